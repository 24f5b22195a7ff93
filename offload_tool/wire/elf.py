"""The tables of an ELF file: sections, their names, and segments.

A section header; 40 bytes in a 32-bit file, 64 in a 64-bit one:

| offset | 32-bit | 64-bit | field |
|---|---|---|---|
| 0 | u32 | u32 | sh_name: where the name begins in the section that e_shstrndx numbers |
| 4 | u32 | u32 | sh_type |
| 8 | u32 | u64 | sh_flags |
| 12 / 16 | u32 | u64 | sh_addr |
| 16 / 24 | u32 | u64 | sh_offset |
| 20 / 32 | u32 | u64 | sh_size |
| 24 / 40 | u32 | u32 | sh_link |
| 28 / 44 | u32 | u32 | sh_info |
| 32 / 48 | u32 | u64 | sh_addralign |
| 36 / 56 | u32 | u64 | sh_entsize |

A program header; 32 bytes, or 56 (there p_flags comes second):

| offset | 32-bit | 64-bit | field |
|---|---|---|---|
| 0 | u32 | u32 | p_type |
| 4 / 8 | u32 | u64 | p_offset |
| 8 / 16 | u32 | u64 | p_vaddr |
| 16 / 32 | u32 | u64 | p_filesz |
| 24 / 4 | u32 | u32 | p_flags |

Where e_shnum is 0, sh_size of section 0 holds the count; where e_shstrndx is 0xFFFF, its sh_link holds that number.
Source: the System V ABI, chapters 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from struct import Struct
from typing import Any, NamedTuple

from ..errors import FormatError
from ..frozen import frozen
from ..limits import ELF_NAME_BYTES, ELF_SECTIONS
from .bounded import span
from .elf_head import IDENTITY_SIZE, ElfIdentity, elf_identity

__all__ = [
    "SHT_NOBITS", "ElfNames", "ElfSection", "ElfSegment", "check_inside", "identity", "section_table", "sections",
    "segments",
]  # fmt: skip

SHT_NULL = 0
SHT_NOBITS = 8
_SHN_XINDEX = 0xFFFF
_SECTION = {1: "8I8x", 2: "2I4Q2I16x"}
_SEGMENT = {1: "8I", 2: "2I6Q"}
_NAMES_ALLOWANCE = 1 << 20


class ElfSection(NamedTuple):
    """One section: ``offset`` and ``size`` count bytes from the start of the file; ``sh_type`` is its number.

    One library may hold hundreds of thousands in its cubins, and a frozen dataclass takes six times as long to make.
    """

    name: str
    sh_type: int
    sh_flags: int
    sh_addr: int
    offset: int
    size: int
    sh_link: int
    sh_info: int

    @property
    def has_bytes(self) -> bool:
        """Whether the file holds bytes of it."""
        return self.size > 0 and self.sh_type not in (SHT_NULL, SHT_NOBITS)


# The fields stand in the order of the file; to name them would take four times as long.
_section: Callable[[tuple[Any, ...]], ElfSection] = partial(tuple.__new__, ElfSection)


@frozen
class ElfSegment:
    """One segment: ``offset`` and ``size`` (p_filesz) count bytes from the start of the file."""

    p_type: int
    p_flags: int
    p_vaddr: int
    offset: int
    size: int


class ElfNames:
    """The strings of a string table, each read once.

    Strings may overlap, so what is read in all is limited to a few times the table, as tables of real files need.
    """

    def __init__(self, table: memoryview) -> None:
        self._table = bytes(table)
        self._left = 4 * len(self._table) + _NAMES_ALLOWANCE
        self._read: dict[int, str] = {}

    def at(self, offset: int) -> str:
        """The string at ``offset`` in the table; raises FormatError where it leaves the table or is too long."""
        found = self._read.get(offset)
        if found is None:
            end = self._table.find(b"\0", offset, offset + ELF_NAME_BYTES + 1)
            self._left -= end - offset
            if end < 0 or self._left < 0:
                raise FormatError(f"an ELF name begins at byte {offset} of {len(self._table)} and does not end there",
                                  offset=0)  # fmt: skip
            found = self._read[offset] = self._table[offset:end].decode("utf-8", "surrogateescape")
        return found

    def each(self, offsets: Sequence[int]) -> list[str]:
        """The strings at several offsets, much faster than one by one where most of the table is asked for.

        Raises FormatError as ``at``.
        """
        known = self._all(len(offsets))
        found = list(map(known.get, offsets))
        return [self.at(offset) if name is None else name for name, offset in zip(found, offsets, strict=True)]

    def _all(self, wanted: int) -> dict[int, str]:
        """The strings that stand back to back, by their offsets; none where that is no gain, or one is too long.

        A string that begins inside of another is not among them.
        """
        if not self._table.isascii() or self._table.count(b"\0") > 4 * wanted:
            return {}
        strings = self._table.decode("ascii").split("\0")
        del strings[-1]  # what follows the last NUL does not end
        if max(map(len, strings), default=0) > ELF_NAME_BYTES:
            return {}
        offsets = accumulate(map((1).__add__, map(len, strings)), initial=0)
        return dict(zip(offsets, strings, strict=False))


def sections(data: memoryview) -> list[ElfSection]:
    """The sections of an ELF file that have bytes in it, in table order.

    Raises FormatError where the table, a name or a section leaves the file.
    """
    found = [section for section in section_table(data) if section.has_bytes]
    check_inside(data, found)
    return found


def section_table(data: memoryview) -> list[ElfSection]:
    """Every section header of an ELF file: sh_link and st_shndx count in this list.

    Whether a section is inside of the file is for the caller to check.  Raises FormatError where the table or a name
    leaves the file.
    """
    header = identity(data)
    rows = _section_rows(data, header)
    if not rows:
        return []
    strings = rows[0][6] if header.e_shstrndx == _SHN_XINDEX else header.e_shstrndx
    table = _name_table(data, rows, strings)
    names = ElfNames(table).each([row[0] for row in rows]) if strings else [""] * len(rows)
    _, *columns = zip(*rows, strict=True)
    return list(map(_section, zip(names, *columns, strict=True)))


def segments(data: memoryview) -> Iterator[ElfSegment]:
    """The segments of an ELF file, in table order.

    Whether a segment is inside of the file is for the caller to check.  Raises FormatError where the table leaves the
    file.
    """
    header = identity(data)
    layout = Struct(header.order + _SEGMENT[header.ei_class])
    count = header.e_phnum if header.e_phoff else 0
    for fields in _rows(data, layout, header.e_phoff, count, header.e_phentsize, "the ELF segment table"):
        if header.is_64:
            p_type, p_flags, p_offset, p_vaddr, _, p_filesz, _, _ = fields
        else:
            p_type, p_offset, p_vaddr, _, p_filesz, _, p_flags, _ = fields
        yield ElfSegment(p_type=p_type, p_flags=p_flags, p_vaddr=p_vaddr, offset=p_offset, size=p_filesz)


def check_inside(data: memoryview, found: Iterable[ElfSection]) -> None:
    """Raises FormatError at the first section that has bytes, but not all of them inside of the file."""
    end = len(data)
    outside = (section for section in found if section.offset + section.size > end and section.has_bytes)
    section = next(outside, None)
    if section is not None:
        place = f"bytes {section.offset} to {section.offset + section.size} of {end}"
        raise FormatError(f"section {section.name!r} claims {place}", offset=min(section.offset, end))


def identity(data: memoryview) -> ElfIdentity:
    """The header of an ELF file; raises FormatError where there is none, or a cut one."""
    found = elf_identity(bytes(data[:IDENTITY_SIZE]))
    if found is None:
        raise FormatError(f"the ELF header is damaged or ends early, in {len(data)} bytes", offset=0)
    return found


def _section_rows(data: memoryview, header: ElfIdentity) -> list[tuple[Any, ...]]:
    layout = Struct(header.order + _SECTION[header.ei_class])
    what = "the ELF section table"
    count = header.e_shnum
    if not header.e_shoff:
        return []
    if not count:
        count = _rows(data, layout, header.e_shoff, 1, header.e_shentsize, what)[0][5]
    if count > ELF_SECTIONS:
        raise FormatError(f"the ELF header claims {count} sections, at most {ELF_SECTIONS} are read", offset=0)
    return _rows(data, layout, header.e_shoff, count, header.e_shentsize, what)


def _rows(
    data: memoryview, layout: Struct, offset: int, count: int, entry_size: int, what: str
) -> list[tuple[Any, ...]]:
    if not count:
        return []
    if entry_size != layout.size:
        raise FormatError(f"{what} has entries of {entry_size} bytes, expected {layout.size}", offset=0)
    # A copy: an iterator over a memoryview crashes CPython 3.11 when both are collected with an error's frames.
    return list(layout.iter_unpack(bytes(span(data, offset, count * layout.size, what))))


def _name_table(data: memoryview, rows: list[tuple[Any, ...]], number: int) -> memoryview:
    if not number:
        return data[:0]
    if number >= len(rows):
        raise FormatError(f"the ELF section table has no section {number}, which should hold the names", offset=0)
    return span(data, rows[number][4], rows[number][5], "the table of section names")
