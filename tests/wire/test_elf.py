"""ELF tables: the same as pyelftools reads from files of both classes and byte orders; damage is a FormatError."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection

from offload_tool.errors import FormatError
from offload_tool.wire.elf import identity, section_table, sections, segments
from offload_tool.wire.elf_head import elf_head, elf_identity
from offload_tool.wire.elf_notes import notes
from offload_tool.wire.elf_symbols import defined_symbols, symbols

from ..peers import ROOT, peer, run

DATA = ROOT / "tests" / "data" / "gpu"
FILES = sorted(file.name for file in DATA.iterdir() if file.suffix in (".o", ".so", ".co", ".cubin"))
TRIPLES = ["x86_64-linux-gnu", "i386-linux-gnu", "powerpc64-linux-gnu", "powerpc-linux-gnu"]
SOURCE = """
    .section .note.mine,"a",@note
    .long 5, 3, 7
    .asciz "Mine"
    .balign 4
    .ascii "abc"
    .balign 4
    .text
    .globl one
    .type one,@function
    .size one, 4
one: .long 0
    .weak two
two: .long 0
three: .long 0
    .globl elsewhere
    .long elsewhere
    .section .bss.mine,"aw",@nobits
    .globl four
four: .zero 64
"""


@pytest.fixture(params=[*FILES, *TRIPLES])
def held(request: pytest.FixtureRequest, tmp_path: Path) -> bytes:
    name: str = request.param
    if name in FILES:
        return (DATA / name).read_bytes()
    (tmp_path / "a.s").write_text(SOURCE)
    run([peer("clang-22"), f"--target={name}", "-c", str(tmp_path / "a.s"), "-o", str(tmp_path / "a.o")])
    return (tmp_path / "a.o").read_bytes()


def test_header_and_sections(held: bytes) -> None:
    other = ELFFile(io.BytesIO(held))
    mine = identity(memoryview(held))
    for field in ("e_phoff", "e_shoff", "e_flags", "e_ehsize", "e_phentsize", "e_phnum", "e_shentsize", "e_shnum",
                  "e_shstrndx", "e_entry"):  # fmt: skip
        assert getattr(mine, field) == other.header[field], field
    assert (mine.is_64, mine.order) == (other.elfclass == 64, "<" if other.little_endian else ">")
    head = elf_head(held)
    assert head is not None
    assert (head.e_type, head.e_machine) == (mine.e_type, mine.e_machine)
    found = [
        (one.name, one.sh_flags, one.sh_addr, one.offset, one.size, one.sh_link, one.sh_info)
        for one in section_table(memoryview(held))
    ]
    fields = ("sh_flags", "sh_addr", "sh_offset", "sh_size", "sh_link", "sh_info")
    assert found == [(one.name, *(one.header[field] for field in fields)) for one in other.iter_sections()]


def test_sections_that_have_bytes(held: bytes) -> None:
    other = ELFFile(io.BytesIO(held))
    expected = [
        one.name for one in other.iter_sections()
        if one.header["sh_size"] and one.header["sh_type"] not in ("SHT_NULL", "SHT_NOBITS")
    ]  # fmt: skip
    assert [one.name for one in sections(memoryview(held))] == expected


def test_segments(held: bytes) -> None:
    expected = [
        (one.header["p_flags"], one.header["p_vaddr"], one.header["p_offset"], one.header["p_filesz"])
        for one in ELFFile(io.BytesIO(held)).iter_segments()
    ]
    found = segments(memoryview(held))
    assert [(one.p_flags, one.p_vaddr, one.offset, one.size) for one in found] == expected


def test_symbols(held: bytes) -> None:
    table = section_table(memoryview(held))
    for section in ELFFile(io.BytesIO(held)).iter_sections():
        if isinstance(section, SymbolTableSection):
            mine = next(one for one in table if one.offset == section.header["sh_offset"] and one.name == section.name)
            found = list(symbols(memoryview(held), mine, table[mine.sh_link]))
            assert [(one.st_value, one.st_size) for one in found] == [
                (one.entry["st_value"], one.entry["st_size"]) for one in section.iter_symbols()
            ]
            names = [symbol.name for symbol in section.iter_symbols()]
            # pyelftools gives a symbol of a section the section's name.
            assert all(one.name in (name, "") for one, name in zip(found, names, strict=True))


def test_notes(held: bytes) -> None:
    expected = [
        (note["n_name"], note["n_descdata"])
        for section in ELFFile(io.BytesIO(held)).iter_sections()
        if isinstance(section, NoteSection)
        for note in section.iter_notes()
    ]
    found = list(notes(memoryview(held)))
    assert [(one.owner.decode(), bytes(one.descriptor)) for one in found] == expected
    for one in found:
        place = one.descriptor_offset
        assert held[place : place + len(one.descriptor)] == bytes(one.descriptor)


@pytest.mark.parametrize("triple", TRIPLES)
def test_symbols_that_an_archive_lists(triple: str, tmp_path: Path) -> None:
    (tmp_path / "a.s").write_text(SOURCE)
    run([peer("clang-22"), f"--target={triple}", "-c", str(tmp_path / "a.s"), "-o", str(tmp_path / "a.o")])
    held = memoryview((tmp_path / "a.o").read_bytes())
    assert sorted(defined_symbols(held)) == ["four", "one", "two"]
    (note,) = notes(held)
    assert (note.owner, note.type, bytes(note.descriptor)) == (b"Mine", 7, b"abc")


def test_st_other_is_the_whole_byte() -> None:
    held = memoryview((DATA / "cubin_sm_80.cubin").read_bytes())
    table = section_table(held)
    found = next(one for one in table if one.name == ".symtab")
    kernels = symbols(held, found, table[found.sh_link], lambda _info, other, _index: bool(other & 0x10))
    assert [one.name for one in kernels] == ["_Z4addvPKfS0_Pfi", "scale"]


def test_notes_of_a_file_without_sections() -> None:
    held = bytearray((DATA / "co_v6_gfx90a.co").read_bytes())
    expected = [bytes(one.descriptor) for one in notes(memoryview(bytes(held)))]
    struct.pack_into("<Q", held, 40, 0)
    assert section_table(memoryview(bytes(held))) == []
    assert [bytes(one.descriptor) for one in notes(memoryview(bytes(held)))] == expected


def many_sections(count: int) -> bytearray:
    """A file whose count of sections and number of the names' section stand in section 0."""
    header = struct.pack(
        "<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, 0, 0xFFFF
    )
    first = struct.pack("<2I4Q2I2Q", 0, 0, 0, 0, 0, count, count - 1, 0, 0, 0)
    rest = struct.pack("<2I4Q2I2Q", 1, 1, 0, 0, 64, 8, 0, 0, 0, 0) * (count - 2)
    names = struct.pack("<2I4Q2I2Q", 1, 3, 0, 0, 64 + 64 * count, 6, 0, 0, 0, 0)
    return bytearray(header + first + rest + names + b"\0name\0")


def test_more_sections_than_the_header_can_count() -> None:
    found = section_table(memoryview(bytes(many_sections(70_000))))
    assert len(found) == 70_000
    assert {one.name for one in found[1:]} == {"name"}


@pytest.mark.parametrize(("offset", "layout", "value", "words"), [
    (58, "<H", 63, "entries of 63 bytes"),
    (40, "<Q", 1 << 40, "the ELF section table needs bytes"),
    (64 + 32, "<Q", 1 << 40, "claims 1099511627776 sections"),
    (64 + 40, "<I", 5, "has no section 5"),
    (64 + 64, "<I", 99, "an ELF name begins at byte 99 of 6"),
    (64 + 3 * 64 - 32, "<Q", 1 << 40, "the table of section names needs bytes"),
])  # fmt: skip
def test_damaged_section_table(offset: int, layout: str, value: int, words: str) -> None:
    held = many_sections(3)
    struct.pack_into(layout, held, offset, value)
    with pytest.raises(FormatError, match=words):
        section_table(memoryview(bytes(held)))


def test_section_that_leaves_the_file() -> None:
    held = many_sections(3)
    struct.pack_into("<Q", held, 64 + 64 + 32, 1 << 40)
    with pytest.raises(FormatError, match="section 'name' claims bytes 64 to 1099511627840"):
        sections(memoryview(bytes(held)))


def test_names_that_overlap_are_limited() -> None:
    count = 3000
    held = many_sections(count)
    held[-5:-1] = b"x" * 20_000
    struct.pack_into("<Q", held, 64 + 64 * count - 32, 20_002)
    for number in range(1, count):
        struct.pack_into("<I", held, 64 + 64 * number, number)
    with pytest.raises(FormatError, match="an ELF name"):
        section_table(memoryview(bytes(held)))


@pytest.mark.parametrize("head", [b"", b"\x7fELF", b"\x7fELF\x02\x01", b"\x7fELF\x03\x01" + bytes(60), bytes(64)])
def test_no_header(head: bytes) -> None:
    assert elf_identity(head) is None
    with pytest.raises(FormatError):
        section_table(memoryview(head))


@pytest.mark.parametrize("name", ["host_nvcc.o", "co_v6_gfx90a.co"])
def test_cut_and_flipped_files(name: str) -> None:
    held = (DATA / name).read_bytes()
    damaged = [held[:size] for size in range(0, len(held), 97)]
    damaged += [
        held[:offset] + b"\xff" + held[offset + 1 :] for offset in [*range(64), *range(len(held) - 900, len(held), 3)]
    ]
    for one in damaged:
        for read in (sections, defined_symbols, lambda data: list(notes(data)), lambda data: list(segments(data))):
            try:
                read(memoryview(one))
            except FormatError:
                continue
