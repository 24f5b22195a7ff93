"""The short way through binaries of version 1: never another result than that of the reader for every form."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from offload_tool.codec.plain import PlainReader
from offload_tool.codec.reader import StoredImage
from offload_tool.errors import FormatError

from ..peers import peer, run
from .binaries import binary, read
from .test_mutants import GOLDEN, mutants

STRINGS = ((b"triple", b"nvptx64-nvidia-cuda"), (b"arch", b"sm_80"), (b"note", b"\xff"))
OF_VERSION_1 = [path for path in GOLDEN if path.read_bytes()[4:8] == struct.pack("<I", 1)]


def outcome(content: bytes) -> list[StoredImage] | tuple[str, int]:
    try:
        return list(read(content))
    except FormatError as error:
        return error.what, error.offset


def test_what_packagers_write_is_read_the_short_way(tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(b"image")
    image = "--image=file=image,triple=t,arch=a,kind=openmp,note=x"
    run([peer("llvm-offload-binary-22"), "-o", "llvm.bin", image, image], cwd=tmp_path)
    for content in ((tmp_path / "llvm.bin").read_bytes(), binary(b"one", b"two", strings=[STRINGS, STRINGS])):
        reader, offset = PlainReader(memoryview(content)), 0
        while offset < len(content):
            found = reader.read(offset)
            assert found is not None
            offset += found[0]


@pytest.mark.parametrize("path", OF_VERSION_1, ids=lambda path: path.name)
def test_mutants_have_the_same_outcome_either_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = list(mutants(path.read_bytes()))
    short = [outcome(content) for content in damaged]
    assert any(isinstance(found, list) for found in short)
    with monkeypatch.context() as patch:
        patch.setattr(PlainReader, "read", lambda *_: None)
        assert short == [outcome(content) for content in damaged]


@pytest.mark.parametrize("version", [2, 3])
def test_other_versions_are_left_to_the_other_reader(version: int) -> None:
    assert PlainReader(memoryview(binary(b"image", version=version))).read(0) is None


@pytest.mark.parametrize("place", [0, 8, 2**63, 2**64 - 1])
def test_strings_that_stand_elsewhere_are_left_to_the_other_reader(place: int) -> None:
    content = bytearray(binary(b"image"))
    struct.pack_into("<Q", content, 72, place)
    assert PlainReader(memoryview(bytes(content))).read(0) is None


def test_equal_strings_of_several_binaries_are_read_once() -> None:
    first, second = read(binary(b"one", b"two", strings=[STRINGS, STRINGS]))
    assert first.strings is second.strings
    assert first.strings[2] == ("note", "\udcff")
