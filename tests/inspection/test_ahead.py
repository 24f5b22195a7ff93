"""Payloads that are decoded ahead come in the order of the file, with the ids and the faults that they have without."""

from __future__ import annotations

import hashlib
import os
import struct
import threading
from pathlib import Path

import pytest
import zstandard

from offload_tool import Inspection, inspect_file
from offload_tool.actions.inspection import ahead, file_digest

COUNT = 12
DAMAGED = 5


def text_of(number: int) -> bytes:
    return b".version 8.0\n.target sm_80\n.visible .entry kernel_%d()\n{\n ret;\n}\n" % number


def fatbin(damaged: int | None = None) -> bytes:
    """PTX texts packed by zstd, one of them cut short by what says that its only block is of the reserved kind."""
    entries = b""
    for number in range(COUNT):
        text = text_of(number)
        packed = bytearray(zstandard.ZstdCompressor(write_checksum=False).compress(text))
        if number == damaged:
            packed[zstandard.frame_header_size(bytes(packed))] |= 0b110
        padding = bytes(-len(packed) % 8)
        size = len(packed) + len(padding)
        fields = (1, 0x0101, 64, size, len(packed), 0, 0, 8, 80, 0, 0, 0x8000, 0, len(text))
        entries += struct.pack("<HHIQIIHHIIIQQQ", *fields) + packed + padding
    return struct.pack("<4sHHQ", b"\x50\xed\x55\xba", 1, 16, len(entries)) + entries


def inspected(folder: Path, content: bytes) -> Inspection:
    file = folder / "a.fatbin"
    file.write_bytes(content)
    found = inspect_file(str(file), kernels=True, payload_digests=True)
    assert not [thread for thread in threading.enumerate() if thread.daemon]
    return found


def test_order_and_ids(tmp_path: Path) -> None:
    found = inspected(tmp_path, fatbin())
    assert [row.id for row in found.objects] == [str(number) for number in range(COUNT)]
    assert [(row.object_id, row.name) for row in found.kernels or ()] == [
        (str(number), f"kernel_{number}") for number in range(COUNT)
    ]
    assert [row.payload_sha256 for row in found.objects] == [
        hashlib.sha256(text_of(number)).hexdigest() for number in range(COUNT)
    ]


def test_fault_in_the_middle(tmp_path: Path) -> None:
    found = inspected(tmp_path, fatbin(DAMAGED))
    assert [row.coverage == "malformed" for row in found.objects] == [number == DAMAGED for number in range(COUNT)]
    fault = found.objects[DAMAGED].fault
    assert fault is not None
    assert fault.code == "bad-compression"
    assert fault.offset == found.objects[DAMAGED].encoded_offset
    assert [row.name for row in found.kernels or ()] == [f"kernel_{n}" for n in range(COUNT) if n != DAMAGED]


@pytest.mark.parametrize("damaged", [None, DAMAGED])
def test_the_same_without_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: int | None) -> None:
    expected = inspected(tmp_path, fatbin(damaged))

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert inspected(tmp_path, fatbin(damaged)) == expected


def test_a_large_payload_is_not_decoded_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = inspected(tmp_path, fatbin())
    monkeypatch.setattr(ahead, "_HELD", len(text_of(0)))  # the names of two digits make the last two larger
    assert inspected(tmp_path, fatbin()) == expected


def test_chosen_ids_alone(tmp_path: Path) -> None:
    content = fatbin()
    file = tmp_path / "a.fatbin"
    file.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    found = inspect_file(str(file), kernels=True, expected_sha256=digest, object_ids=["7", "2"])
    assert [(row.object_id, row.name) for row in found.kernels or ()] == [("2", "kernel_2"), ("7", "kernel_7")]


def test_digest_of_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_digest, "_SMALL", 0)
    file = tmp_path / "a.fatbin"
    file.write_bytes(fatbin())
    assert inspect_file(str(file), digest=True).sha256 == hashlib.sha256(fatbin()).hexdigest()


def test_what_reading_for_the_digest_raised_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_digest, "_SMALL", 0)
    file = tmp_path / "a.fatbin"
    file.write_bytes(fatbin())

    def fail(_descriptor: int, _buffers: list[memoryview], _offset: int) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "preadv", fail)
    with pytest.raises(OSError, match="Input/output error"):
        inspect_file(str(file), digest=True)
