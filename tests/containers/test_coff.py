"""COFF objects: sections that compilers, assemblers and binutils wrote, and damaged ones."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offload_tool.containers import coff
from offload_tool.containers.archive_reader import members
from offload_tool.containers.coff import CoffSection, matches, offloading_sections
from offload_tool.errors import FormatError

from ..peers import ROOT, peer, run

GOLDEN = ROOT / "tests" / "data" / "offload-binary" / "v1-llvm22.bin"
FAT = GOLDEN.read_bytes()
WINDOWS = "x86_64-pc-windows-msvc"
TARGETS = [
    WINDOWS, "i686-pc-windows-msvc", "aarch64-pc-windows-msvc", "arm64ec-pc-windows-msvc", "thumbv7-pc-windows-msvc",
    "x86_64-w64-windows-gnu",
]  # fmt: skip


def contents(data: bytes, sections: Sequence[CoffSection]) -> list[tuple[str, bytes]]:
    return [(section.name, data[section.offset : section.offset + section.size]) for section in sections]


def sections_or_fault(read: Callable[[memoryview], list[CoffSection]], data: bytes) -> None:
    """Either sections that lie in the file, or a fault that does."""
    try:
        sections = read(memoryview(data))
    except FormatError as error:
        fault = error
    else:
        assert all(0 < section.offset < section.offset + section.size <= len(data) for section in sections)
        return
    assert 0 <= fault.offset <= len(data)


def compiled(folder: Path, target: str) -> bytes:
    (folder / "host.c").write_text("int answer(void) { return 42; }\n")
    embedding = ["-Xclang", f"-fembed-offload-object={GOLDEN}"]
    run([peer("clang-22"), f"--target={target}", "-c", "host.c", *embedding, "-o", "host.obj"], cwd=folder)
    return (folder / "host.obj").read_bytes()


def assembled(folder: Path, source: str) -> bytes:
    (folder / "fat.bin").write_bytes(FAT)
    (folder / "host.s").write_text(source)
    run([peer("clang-22"), f"--target={WINDOWS}", "-c", "host.s", "-o", "host.obj"], cwd=folder)
    return (folder / "host.obj").read_bytes()


def holding(name: str) -> str:
    return f'.section {name},"nD"\n.incbin "fat.bin"\n'


def crafted(
    names: Sequence[bytes], *, strings: bytes | None = b"\x04\0\0\0", raw: bytes = FAT, is_big: bool = False
) -> bytes:
    """An object whose sections all have the same bytes: only by hand are there such."""
    layout = coff._BIG_FILE_HEADER if is_big else coff.FILE_HEADER
    start = layout.size + 40 * len(names)
    symbols = 0 if strings is None else start + len(raw)
    if is_big:
        big = (0, 0xFFFF, 2, 0x8664, 0, coff._BIG_CLASS_ID, 0, 0, 0, 0, len(names), symbols, 0)
        head = layout.pack(*big)
    else:
        head = layout.pack(0x8664, len(names), 0, symbols, 0, 0, 0)
    table = b"".join(coff._SECTION_HEADER.pack(name, 0, 0, len(raw), start, 0, 0, 0, 0, 0) for name in names)
    return head + table + raw + (strings or b"")


def string_table(*strings: bytes) -> bytes:
    body = b"".join(string + b"\0" for string in strings)
    return struct.pack("<I", 4 + len(body)) + body


@pytest.mark.parametrize("target", TARGETS)
def test_g06_object_by_clang(tmp_path: Path, target: str) -> None:
    data = compiled(tmp_path, target)
    assert matches(data[:512])
    assert contents(data, offloading_sections(memoryview(data))) == [(".llvm.offloading", FAT)]


def test_g06_bytes_at_an_odd_offset(tmp_path: Path) -> None:
    data = assembled(tmp_path, ".text\n.byte 0x90\n" + holding(".llvm.offloading"))
    (section,) = offloading_sections(memoryview(data))
    assert section.offset % 2 == 1
    assert contents(data, [section]) == [(".llvm.offloading", FAT)]


def test_several_sections_and_a_name_with_a_suffix(tmp_path: Path) -> None:
    data = assembled(tmp_path, holding(".llvm.offloading$b") + holding(".llvm.offloadin") + holding(".llvm.offloading"))
    found = contents(data, offloading_sections(memoryview(data)))
    assert found == [(".llvm.offloading$b", FAT), (".llvm.offloading", FAT)]


def test_section_without_bytes_holds_nothing(tmp_path: Path) -> None:
    data = assembled(tmp_path, '.section .llvm.offloading,"bn"\n.zero 64\n')
    assert offloading_sections(memoryview(data)) == []


def test_object_without_such_a_section(tmp_path: Path) -> None:
    data = assembled(tmp_path, ".text\nret\n" + holding(".nv_fatbin_segment"))
    assert matches(data[:512])
    assert offloading_sections(memoryview(data)) == []


def test_name_beyond_ten_million_bytes_of_strings_is_base64(tmp_path: Path) -> None:
    long_ones = (f'.section .text${number}{"z" * 4_000_000},"xr"\nnop\n' for number in range(3))
    data = assembled(tmp_path, "".join(long_ones) + holding(".llvm.offloading$a"))
    assert b"//AA" in data[:512]
    assert contents(data, offloading_sections(memoryview(data))) == [(".llvm.offloading$a", FAT)]


def test_big_object(tmp_path: Path) -> None:
    many = "".join(f'.section .text$s{number},"xr"\nnop\n' for number in range(66_000))
    data = assembled(tmp_path, many + holding(".llvm.offloading"))
    assert data[:4] == b"\0\0\xff\xff"
    assert matches(data[:512])
    assert contents(data, offloading_sections(memoryview(data))) == [(".llvm.offloading", FAT)]


def test_object_by_binutils(tmp_path: Path) -> None:
    (tmp_path / "host.c").write_text("int answer(void) { return 42; }\n")
    run([peer("clang-22"), "--target=x86_64-w64-windows-gnu", "-c", "host.c", "-o", "plain.obj"], cwd=tmp_path)
    done = run([peer("objcopy"), "--add-section", f".llvm.offloading={GOLDEN}", "plain.obj", "host.obj"],
               cwd=tmp_path, status=None)  # fmt: skip
    if "file format not recognized" in done.stderr:
        pytest.skip("this binutils knows no COFF")
    data = (tmp_path / "host.obj").read_bytes()
    assert matches(data[:512])
    assert contents(data, offloading_sections(memoryview(data))) == [(".llvm.offloading", FAT)]


def test_import_library_holds_no_objects_to_look_into(tmp_path: Path) -> None:
    (tmp_path / "x.def").write_text("LIBRARY x.dll\nEXPORTS\nanswer\n")
    run([peer("llvm-lib-22"), "/def:x.def", "/machine:x64", "/out:x.lib"], cwd=tmp_path)
    library = (tmp_path / "x.lib").read_bytes()
    parts = [library[member.offset : member.offset + member.size] for member in members(memoryview(library))]
    imports = [part for part in parts if part[:6] == b"\0\0\xff\xff\0\0"]
    assert imports
    assert not any(matches(part[:512]) for part in imports)
    assert all(matches(part[:512]) for part in parts if part not in imports)
    with pytest.raises(FormatError, match="version 0"):
        offloading_sections(memoryview(imports[0].ljust(56, b"\0")))


@pytest.mark.parametrize(
    "file", [GOLDEN, *sorted(GOLDEN.parent.joinpath("inputs").iterdir())], ids=lambda file: file.name
)
def test_nothing_else_is_taken_for_an_object(file: Path) -> None:
    assert not matches(file.read_bytes()[:512])


@pytest.mark.parametrize(
    "head",
    [
        b"", b"L\x01", b"d\x86" + bytes(510), b"\0\0\xff\xff" + bytes(508), b"d\x86" + b"\xff" * 510,
        b"L\x01 begins some text".ljust(512, b" "), bytes(512), b"d\x86\x01\0".ljust(512, b"."),
    ],
)  # fmt: skip
def test_machine_alone_is_not_enough(head: bytes) -> None:
    assert not matches(head)


@pytest.mark.parametrize(
    ("offset", "change"),
    [
        (0, b"\x01"),  # another machine
        (2, b"\0\0"),  # no section
        (2, b"\xff\xff"),  # more sections than an object can have
        (8, b"\x08\0\0\0"),  # symbols inside the headers
        (16, b"\xe0"),  # an optional header
        (18, b"\x02"),  # executable
        (19, b"\x20"),  # a DLL
        (20, b"\x01"),  # a name that nobody can read
        (20, b"\0"),  # no name
        (27, b"x"),  # text behind the end of a name
        (40, b"\x01\0\0\0"),  # bytes inside the headers
    ],
)
def test_every_field_that_tells_an_object_counts(tmp_path: Path, offset: int, change: bytes) -> None:
    data = bytearray(compiled(tmp_path, WINDOWS))
    assert matches(bytes(data[:512]))
    data[offset : offset + len(change)] = change
    assert not matches(bytes(data[:512]))


@settings(deadline=None)
@given(st.binary(max_size=600), st.sampled_from([b"", b"d\x86", b"\0\0\xff\xff"]))
def test_any_bytes_are_answered(tail: bytes, head: bytes) -> None:
    data = head + tail
    matches(data[:512])
    sections_or_fault(offloading_sections, data)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (b"/9", "leaves the string table of 4 bytes"),
        (b"/0", "leaves the string table"),
        (b"/x", "is no offset in the string table"),
        (b"/", "is no offset"),
        (b"/-4", "is no offset"),
        (b"/4_0", "is no offset"),
        (b"//AAA", "is no offset"),
        (b"//AAA=AA", "is no offset"),
        (b"//AAAAAJ", "leaves the string table"),
    ],
)
def test_damaged_long_name(name: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        offloading_sections(memoryview(crafted([b".text", name])))
    assert caught.value.offset == 60


@pytest.mark.parametrize("is_big", [False, True])
def test_long_names_of_both_forms(is_big: bool) -> None:
    strings = string_table(b".llvm.offloading", b".llvm.offloading$x")
    data = crafted([b"/4", b"//AAAAAE", b".rdata"], strings=strings, is_big=is_big) + FAT
    assert [section.name for section in offloading_sections(memoryview(data))] == [".llvm.offloading"] * 2
    data = crafted([b"/21", b"//AAAAAV"], strings=strings, is_big=is_big) + FAT
    assert [section.name for section in offloading_sections(memoryview(data))] == [".llvm.offloading$x"] * 2


def test_object_with_long_names_and_no_string_table() -> None:
    with pytest.raises(FormatError, match="needs a string table"):
        offloading_sections(memoryview(crafted([b"/4"], strings=None)))


def test_string_table_larger_than_the_file() -> None:
    with pytest.raises(FormatError, match="the string table needs bytes"):
        offloading_sections(memoryview(crafted([b"/4"], strings=b"\xff\xff\xff\x7f.llvm.offloading\0")))


def test_name_without_an_end() -> None:
    with pytest.raises(FormatError, match="no NUL"):
        offloading_sections(memoryview(crafted([b"/4"], strings=struct.pack("<I", 20) + b".llvm.offloading")))


def test_sections_that_share_their_bytes_are_refused() -> None:
    data = crafted([b"/4"] * 100, strings=string_table(b".llvm.offloading"))
    with pytest.raises(FormatError, match="claim"):
        offloading_sections(memoryview(data))


def test_more_sections_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coff, "COFF_SECTIONS", 2)
    assert offloading_sections(memoryview(crafted([b".text"] * 2))) == []
    with pytest.raises(FormatError, match="claims 3 sections"):
        offloading_sections(memoryview(crafted([b".text"] * 3)))


def test_more_sections_than_there_are_bytes() -> None:
    data = bytearray(crafted([b".text"], is_big=True))
    data[44:48] = struct.pack("<I", 1_000_000)
    with pytest.raises(FormatError, match="the section table needs bytes"):
        offloading_sections(memoryview(data))


def test_section_that_leaves_the_file(tmp_path: Path) -> None:
    data = compiled(tmp_path, WINDOWS)
    (section,) = offloading_sections(memoryview(data))
    place = data.index(b"/4\0\0\0\0\0\0")
    damaged = bytearray(data)
    struct.pack_into("<I", damaged, place + 16, len(data))
    with pytest.raises(FormatError, match=r"section b'\.llvm\.offloading' needs bytes") as caught:
        offloading_sections(memoryview(damaged))
    assert caught.value.offset == place
    assert section.size == len(FAT)


def test_cut_at_every_length(tmp_path: Path) -> None:
    data = compiled(tmp_path, WINDOWS)
    for length in range(len(data)):
        # The string table stands last, and the name in it, so that no shorter file still has the section.
        with pytest.raises(FormatError):
            offloading_sections(memoryview(data[:length]))


def test_every_byte_flipped(tmp_path: Path) -> None:
    data = bytearray(compiled(tmp_path, WINDOWS))
    for offset in range(len(data)):
        for change in (0x01, 0x80, 0xFF):
            data[offset] ^= change
            sections_or_fault(offloading_sections, bytes(data))
            data[offset] ^= change
