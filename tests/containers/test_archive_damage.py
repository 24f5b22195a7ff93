"""Damaged archives, and forms of archives that no writer of today has: a fault with its place, or the members."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool.containers import archive_reader
from offload_tool.containers.archive_layout import MAGIC, THIN_MAGIC
from offload_tool.containers.archive_reader import members
from offload_tool.errors import FormatError

from ..peers import peer, run

# Names on both sides of what a header holds, odd and even sizes, and two files of one base name.
from .test_archive_reader import FILES, filled, header, outcome, read, written


@pytest.mark.parametrize("size", [b"", b"-5", b"+5", b"0x5", b"5_0", b" 5", b"5 5", b"\xd9\xa5", b"5\0"])
def test_size_that_is_not_decimal(size: bytes) -> None:
    with pytest.raises(FormatError, match="is not decimal") as caught:
        list(members(memoryview(MAGIC + header(b"k.o/", 5, digits=size) + b"12345")))
    assert caught.value.offset == 8 + 48


@pytest.mark.parametrize("size", [6, 10**10 - 1])
def test_size_beyond_the_end(size: int) -> None:
    with pytest.raises(FormatError, match=f"claims {size} bytes, 5 are there") as caught:
        list(members(memoryview(MAGIC + header(b"k.o/", size) + b"12345")))
    assert caught.value.offset == 8 + 48


def test_header_without_its_end() -> None:
    with pytest.raises(FormatError, match="ends in") as caught:
        list(members(memoryview(MAGIC + header(b"k.o/", 5)[:-2] + b"``12345")))
    assert caught.value.offset == 8 + 58


def test_last_byte_of_filling_is_missing() -> None:
    data = MAGIC + header(b"k.o/", 3) + b"abc\n" + header(b"n.o/", 5) + b"12345"
    assert read(data) == [("k.o", 0, b"abc"), ("n.o", 0, b"12345")]


def test_members_before_the_fault_are_given() -> None:
    data = MAGIC + header(b"k.o/", 3) + b"abc\n" + header(b"n.o/", 50) + b"12345"
    found = members(memoryview(data))
    assert next(found).name == "k.o"
    with pytest.raises(FormatError, match="claims 50 bytes"):
        next(found)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (b"/12", "byte 12 of the name table, which has 12"),
        (b"/999999999999999", "byte 999999999999999 of the name table"),
        (b"/1", "inside another name"),
        (b"/5", "inside another name"),
        (b"/6", "does not end within"),
        (b"/0:8", "for thin archives only"),
        (b"/x", "of no known form"),
        (b"/-1", "of no known form"),
        (b"/0:", "of no known form"),
        (b"///", "of no known form"),
        (b"", "is empty"),
        (b"#1/0", "is empty"),
        (b"#1/4", "claims 4 bytes, the member has 3"),
        (b"#1/999999", "claims 999999 bytes"),
        (b"a\0b/", "holds a NUL"),
    ],
)
def test_damaged_name(name: bytes, message: str) -> None:
    table = b"name/\nno end"
    data = MAGIC + header(b"//", len(table)) + table + header(name, 3) + b"abc\n"
    with pytest.raises(FormatError, match=message) as caught:
        list(members(memoryview(data)))
    assert caught.value.offset == 8 + 60 + 12


def test_offset_without_a_name_table() -> None:
    with pytest.raises(FormatError, match="byte 0 of the name table, which has 0"):
        list(members(memoryview(MAGIC + header(b"/0", 3) + b"abc\n")))


def test_bsd_name_in_a_thin_archive_has_no_bytes_to_stand_in() -> None:
    with pytest.raises(FormatError, match="claims 4 bytes, the member has 0"):
        list(members(memoryview(THIN_MAGIC + header(b"#1/4", 3) + b"k.o\0")))


@pytest.mark.parametrize("name", [b"__.SYMDEF", b"__.SYMDEF SORTED", b"__.SYMDEF_64", b"__.SYMDEF_64 SORTED"])
def test_bsd_indexes_of_either_form_of_name(name: bytes) -> None:
    long_form = header(b"#1/20", 24) + name.ljust(20, b"\0") + bytes(4)
    short_form = header(name, 4) + bytes(4) if len(name) <= 16 else b""
    assert read(MAGIC + long_form + short_form + header(b"k.o", 2) + b"ab") == [("k.o", 0, b"ab")]


def test_file_called_like_the_mark_of_a_long_name() -> None:
    assert read(written([(b"#1", b"abc", []), (b"#", b"", [])])) == [("#1", 0, b"abc"), ("#", 0, b"")]


def test_wide_symbol_index() -> None:
    assert read(MAGIC + header(b"/SYM64/", 8) + bytes(8) + header(b"k.o/", 2) + b"ab") == [("k.o", 0, b"ab")]


def test_more_members_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_reader, "ARCHIVE_MEMBERS", 2)
    assert len(read(written([(b"k.o", b"", [])] * 2))) == 2
    with pytest.raises(FormatError, match="more than 2 archive members"):
        read(written([(b"k.o", b"", [])] * 3))


def test_longest_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_reader, "ARCHIVE_NAME_BYTES", 20)
    assert read(written([(b"n" * 18, b"", [])]))[0][0] == "n" * 18
    with pytest.raises(FormatError, match="does not end within 20 bytes"):
        read(written([(b"n" * 20, b"", [])]))
    with pytest.raises(FormatError, match="names at most 20"):
        read(MAGIC + header(b"#1/21", 22) + b"n" * 22)


def damaged_archives(folder: Path) -> list[bytes]:
    commands = [
        [peer("ar"), "qc"],
        [peer("ar"), "--thin", "-qc"],
        [peer("llvm-ar-22"), "--format=bsd", "qc"],
        [peer("llvm-ar-22"), "--format=coff", "qc"],
    ]
    for number, command in enumerate(commands):
        run([*command, f"{number}.a", *FILES], cwd=folder)
    return [(folder / f"{number}.a").read_bytes() for number in range(len(commands))]


def test_cut_at_every_length(tmp_path: Path) -> None:
    for data in damaged_archives(filled(tmp_path)):
        for length in range(len(data)):
            outcome(data[:length])


def test_every_byte_flipped(tmp_path: Path) -> None:
    for original in damaged_archives(filled(tmp_path)):
        data = bytearray(original)
        for offset in range(len(data)):
            for change in (0x01, 0x80, 0xFF):
                data[offset] ^= change
                outcome(bytes(data))
                data[offset] ^= change
