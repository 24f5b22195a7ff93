"""PE images: what linkers and both objcopy make of the section, and damaged images."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offload_tool.containers import coff, pe
from offload_tool.errors import FormatError

from ..peers import peer, run
from .test_coff import FAT, GOLDEN, WINDOWS, assembled, compiled, contents, sections_or_fault

KEPT_IN_IMAGE = '.text\n.globl answer\nanswer: ret\n.section .llvm.offloading,"dr"\n.incbin "fat.bin"\n'


def linked(folder: Path) -> bytes:
    run([peer("lld-link-22"), "/dll", "/noentry", "/opt:noref", "host.obj", "/out:host.dll"], cwd=folder)
    return (folder / "host.dll").read_bytes()


@pytest.fixture
def image(tmp_path: Path) -> bytes:
    """A DLL whose section kept five bytes of its name, its bytes filled up to 512."""
    assembled(tmp_path, KEPT_IN_IMAGE)
    return linked(tmp_path)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A DLL without the section: the linker drops what clang embeds."""
    compiled(tmp_path, WINDOWS)
    linked(tmp_path)
    return tmp_path / "host.dll"


def added(plain: Path, program: str, *options: str) -> bytes:
    command: list[str | Path] = [
        peer(program),
        *options,
        "--add-section",
        f".llvm.offloading={GOLDEN}",
        plain,
        "added.dll",
    ]
    done = run(command, cwd=plain.parent, status=None)
    if "file format not recognized" in done.stderr:
        pytest.skip("this binutils knows no PE")
    return (plain.parent / "added.dll").read_bytes()


def found_in(data: bytes) -> list[tuple[str, bytes]]:
    assert pe.matches(data[:512])
    assert not coff.matches(data[:512])
    return contents(data, pe.offloading_sections(memoryview(data)))


def test_g06_linker_drops_the_section(plain: Path) -> None:
    assert found_in(plain.read_bytes()) == []


def test_name_cut_by_lld_link_and_true_size(image: bytes) -> None:
    assert found_in(image) == [(".llvm", FAT)]


def test_name_cut_to_eight_bytes_by_binutils(plain: Path) -> None:
    assert found_in(added(plain, "objcopy")) == [(".llvm.of", FAT)]


def test_long_name_by_llvm_objcopy(plain: Path) -> None:
    assert found_in(added(plain, "llvm-objcopy-22")) == [(".llvm.offloading", FAT)]


def test_long_name_by_binutils(plain: Path) -> None:
    assert found_in(added(plain, "objcopy", "--long-section-names", "enable")) == [(".llvm.offloading", FAT)]


def test_string_table_taken_off(plain: Path) -> None:
    data = bytearray(added(plain, "llvm-objcopy-22"))
    (signature,) = struct.unpack_from("<I", data, 60)
    data[signature + 12 : signature + 20] = bytes(8)
    assert found_in(bytes(data)) == [("/4", FAT)]


def test_cut_name_without_the_magic_is_no_such_section(image: bytes) -> None:
    (section,) = pe.offloading_sections(memoryview(image))
    data = bytearray(image)
    data[section.offset] ^= 1
    assert found_in(bytes(data)) == []


def test_full_name_counts_without_the_magic(plain: Path) -> None:
    data = bytearray(added(plain, "llvm-objcopy-22"))
    (section,) = pe.offloading_sections(memoryview(data))
    data[section.offset] ^= 1
    assert [name for name, _ in found_in(bytes(data))] == [".llvm.offloading"]


def test_signature_beyond_the_first_bytes(image: bytes) -> None:
    # Bytes between the program for DOS and the signature move everything that the file counts from its start.
    (signature,) = struct.unpack_from("<I", image, 60)
    (section,) = pe.offloading_sections(memoryview(image))
    data = bytearray(image[:signature] + bytes(1024) + image[signature:])
    struct.pack_into("<I", data, 60, signature + 1024)
    place = data.index(b".llvm\0\0\0")
    struct.pack_into("<I", data, place + 20, section.offset + 1024)
    assert found_in(bytes(data)) == [(".llvm", FAT)]


def test_program_for_dos(image: bytes) -> None:
    (signature,) = struct.unpack_from("<I", image, 60)
    data = bytearray(image)
    data[signature : signature + 2] = b"NE"
    assert not pe.matches(bytes(data[:512]))
    with pytest.raises(FormatError, match=r"signature b'NE\\x00\\x00' is not that of a PE image"):
        pe.offloading_sections(memoryview(data))


@pytest.mark.parametrize("head", [b"", b"MZ", b"MZ".ljust(512, b"\t"), b"MZ" + b" a text" * 99, b"MZ" + b"\1" * 510])
def test_two_letters_alone_are_not_enough(head: bytes) -> None:
    assert not pe.matches(head[:512])


def test_no_image_at_all() -> None:
    with pytest.raises(FormatError, match="is not that of a PE image"):
        pe.offloading_sections(memoryview(FAT))


def test_signature_outside_the_file(image: bytes) -> None:
    data = bytearray(image)
    struct.pack_into("<I", data, 60, 0xFFFFFFFC)
    with pytest.raises(FormatError, match="the signature of a PE image needs bytes"):
        pe.offloading_sections(memoryview(data))


def test_cut_at_every_length(image: bytes) -> None:
    (section,) = pe.offloading_sections(memoryview(image))
    end = section.offset + section.size
    for length in range(end):
        with pytest.raises(FormatError):
            pe.offloading_sections(memoryview(image[:length]))
    assert pe.offloading_sections(memoryview(image[:end])) == [section]


@pytest.mark.parametrize("program", ["objcopy", "llvm-objcopy-22"])
def test_every_byte_of_the_headers_flipped(plain: Path, program: str) -> None:
    data = bytearray(added(plain, program))
    for offset in range(512):
        for change in (0x01, 0x80, 0xFF):
            data[offset] ^= change
            pe.matches(bytes(data[:512]))
            sections_or_fault(pe.offloading_sections, bytes(data))
            data[offset] ^= change


@settings(deadline=None)
@given(st.binary(max_size=600))
def test_any_bytes_are_answered(tail: bytes) -> None:
    data = b"MZ" + tail
    pe.matches(data[:512])
    sections_or_fault(pe.offloading_sections, data)
