r"""COFF objects: which sections hold offload binaries.  The section table is that of PE images too (``pe``).

All numbers are little-endian.  File header, 20 bytes:

| offset | type | field |
|---|---|---|
| 0 | u16 | Machine |
| 2 | u16 | NumberOfSections |
| 4 | u32 | TimeDateStamp |
| 8 | u32 | PointerToSymbolTable, from the start of the file |
| 12 | u32 | NumberOfSymbols, 18 bytes each |
| 16 | u16 | SizeOfOptionalHeader: 0 in objects |
| 18 | u16 | Characteristics |

File header of a big object, 56 bytes (``/bigobj``, more than 65,279 sections); its symbols have 20 bytes:

| offset | type | field |
|---|---|---|
| 0 | u16 | Sig1 = 0 |
| 2 | u16 | Sig2 = 0xFFFF |
| 4 | u16 | Version: 2 or more; 0 is an entry of an import library, 1 no object code |
| 6 | u16 | Machine |
| 8 | u32 | TimeDateStamp |
| 12 | 16 bytes | ClassID |
| 28 | 4 x u32 | SizeOfData, Flags, MetaDataSize, MetaDataOffset |
| 44 | u32 | NumberOfSections |
| 48 | u32 | PointerToSymbolTable |
| 52 | u32 | NumberOfSymbols |

Section header, 40 bytes, right behind the file header and the optional header:

| offset | type | field |
|---|---|---|
| 0 | 8 bytes | Name, filled with NUL; ``/123`` and ``//BASE64`` stand for an offset in the string table |
| 8 | u32 | VirtualSize: 0 in objects |
| 12 | u32 | VirtualAddress |
| 16 | u32 | SizeOfRawData: bytes in the file |
| 20 | u32 | PointerToRawData: any offset, odd ones too; 0 where the file holds none |
| 24 | 2 x u32 | PointerToRelocations, PointerToLinenumbers |
| 32 | 2 x u16 | NumberOfRelocations, NumberOfLinenumbers |
| 36 | u32 | Characteristics |

String table, behind the symbols: u32 size, itself counted, then NUL-terminated names.

Source: "PE Format" of Microsoft and its ``winnt.h`` (big objects); long names in base64, and names cut in images:
measured on LLVM 22.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from struct import Struct

from ..errors import FormatError
from ..frozen import frozen
from ..limits import COFF_NAME_BYTES, COFF_SECTIONS
from ..wire.bounded import c_string, span, unpack
from .held_sections import OFFLOADING, HeldSection, held_section

__all__ = [
    "FILE_HEADER",
    "CoffSection",
    "SectionTable",
    "holding_sections",
    "matches",
    "offloading_sections",
    "section_table",
]

FILE_HEADER = Struct("<HHIIIHH")
_BIG_FILE_HEADER = Struct("<HHHHI16sIIIIIII")
_SECTION_HEADER = Struct("<8sIIIIIIHHI")
_STRING_TABLE_SIZE = Struct("<I")
assert (FILE_HEADER.size, _BIG_FILE_HEADER.size, _SECTION_HEADER.size) == (20, 56, 40)

_SYMBOL_SIZE = 18
_BIG_SYMBOL_SIZE = 20
_BIG_SIGNATURE = b"\0\0\xff\xff"
_BIG_CLASS_ID = bytes.fromhex("C7A1BAD1EEBAA94BAF20FAF66AA4DCB8")
_LARGEST_SECTION_COUNT = 0xFEFF
_EXECUTABLE_IMAGE_OR_DLL = 0x2002
# I386, ARMNT, AMD64, ARM64EC, ARM64X, ARM64: the machines that Windows has run on since it has had GPU programs.
_MACHINES = (0x014C, 0x01C4, 0x8664, 0xA641, 0xA64E, 0xAA64)

_DECIMAL_NAME = rb"/(\d{1,7})"
_BASE64_NAME = rb"//([A-Za-z0-9+/]{6})"


@frozen
class CoffSection:
    """One section that holds offload binaries: ``offset`` and ``size`` count bytes from the start of the file."""

    name: str
    offset: int
    size: int


@frozen
class SectionTable:
    """Where the section headers of a file and its string table stand, in bytes from its start.

    ``strings`` is None in a file without symbols, since the string table is found behind them.
    """

    offset: int
    count: int
    strings: int | None
    is_image: bool


@frozen
class _SectionHeader:
    """The fields of a section header that count, and ``place``, where it stands."""

    name: bytes
    virtual_size: int
    raw_size: int
    raw_offset: int
    place: int

    def is_plausible(self, least_offset: int) -> bool:
        text, _, filling = self.name.partition(b"\0")
        printable = text.isascii() and text.decode("ascii").isprintable()
        return (
            bool(text) and printable and not any(filling) and (not self.raw_offset or self.raw_offset >= least_offset)
        )


def matches(head: bytes) -> bool:
    r"""Whether the bytes, 60 of them at least, begin as a COFF object for Windows does.

    There is no magic, and a known machine alone says little.  So an object must have a section and no optional header,
    its symbols must follow the section table, and the section headers at hand must have names of printable ASCII and
    bytes that follow the table too.

    >>> matches(b"L\x01 is how any text may begin, and the rest of it is no section header")
    False
    """
    if head[:4] == _BIG_SIGNATURE:
        return _is_big(head)
    if len(head) < FILE_HEADER.size + _SECTION_HEADER.size:
        return False
    machine, count, _, symbols, symbol_count, optional_size, characteristics = FILE_HEADER.unpack_from(head)
    if machine not in _MACHINES:
        return False
    end = FILE_HEADER.size + count * _SECTION_HEADER.size
    whole = min(count, (len(head) - FILE_HEADER.size) // _SECTION_HEADER.size)
    return (
        1 <= count <= _LARGEST_SECTION_COUNT
        and (symbols >= end or (symbols, symbol_count) == (0, 0))
        and optional_size == 0
        and not characteristics & _EXECUTABLE_IMAGE_OR_DLL
        and all(header.is_plausible(end) for header in _headers(head[FILE_HEADER.size :], whole, FILE_HEADER.size))
    )


def offloading_sections(data: memoryview, held: tuple[HeldSection, ...] = OFFLOADING) -> list[CoffSection]:
    """The sections of a COFF object that hold offload binaries, or whatever else ``held`` names, in table order.

    Raises FormatError where the bytes are no COFF object, or where the section table, a long name or such a section
    leaves the file.

    >>> offloading_sections(memoryview(open("host.obj", "rb").read()))  # doctest: +SKIP
    [CoffSection(name='.llvm.offloading', offset=266, size=184)]
    """
    if data[:4] == _BIG_SIGNATURE:
        return holding_sections(data, _big_section_table(data), held)
    (machine,) = unpack(Struct("<H"), data, 0, "the machine of a COFF object")
    if machine not in _MACHINES:
        raise FormatError(f"machine {machine:#06x} is none of COFF objects for Windows", offset=0)
    return holding_sections(data, section_table(data, 0, is_image=False), held)


def section_table(data: memoryview, header_offset: int, *, is_image: bool) -> SectionTable:
    """The section table behind the 20-byte file header at ``header_offset``; raises FormatError if that is cut."""
    fields = unpack(FILE_HEADER, data, header_offset, "the header of a COFF file")
    _, count, _, symbols, symbol_count, optional_size, _ = fields
    return SectionTable(
        offset=header_offset + FILE_HEADER.size + optional_size, count=count,
        strings=symbols + symbol_count * _SYMBOL_SIZE if symbols else None, is_image=is_image,
    )  # fmt: skip


def holding_sections(
    data: memoryview, table: SectionTable, held: tuple[HeldSection, ...] = OFFLOADING
) -> list[CoffSection]:
    """The sections of ``table`` that ``held`` names; raises FormatError as ``offloading_sections`` does.

    A section counts by its name.  What an image has cut off its name leaves it to the magic at the section's start.
    """
    if table.count > COFF_SECTIONS:
        raise FormatError(f"section table claims {table.count} sections, at most {COFF_SECTIONS} are read", offset=0)
    headers = span(data, table.offset, table.count * _SECTION_HEADER.size, "the section table")
    found = []
    for header in _headers(headers, table.count, table.offset):
        try:
            section = _holding_section(data, table, header, held)
        except FormatError as error:
            raise FormatError(error.what, offset=header.place) from None
        found += [section] if section is not None else []
    # Headers that share their bytes would have the caller read them over and over; no linker writes such.
    total = sum(section.size for section in found)
    if total > len(data):
        raise FormatError(f"sections of device code claim {total} bytes, the file has {len(data)}", offset=0)
    return found


def _is_big(head: bytes) -> bool:
    if len(head) < _BIG_FILE_HEADER.size:
        return False
    _, _, version, machine, _, class_id, *_ = _BIG_FILE_HEADER.unpack_from(head)
    return version >= 2 and machine in _MACHINES and class_id == _BIG_CLASS_ID


def _big_section_table(data: memoryview) -> SectionTable:
    fields = unpack(_BIG_FILE_HEADER, data, 0, "the header of a big COFF object")
    if not _is_big(bytes(data[: _BIG_FILE_HEADER.size])):
        raise FormatError(f"version {fields[2]}, machine {fields[3]:#06x} are none of big COFF objects", offset=4)
    *_, count, symbols, symbol_count = fields
    return SectionTable(
        offset=_BIG_FILE_HEADER.size, count=count,
        strings=symbols + symbol_count * _BIG_SYMBOL_SIZE if symbols else None, is_image=False,
    )  # fmt: skip


def _headers(table: bytes | memoryview, count: int, base: int) -> Iterator[_SectionHeader]:
    for offset in range(0, count * _SECTION_HEADER.size, _SECTION_HEADER.size):
        name, virtual_size, _, raw_size, raw_offset, *_ = _SECTION_HEADER.unpack_from(table, offset)
        yield _SectionHeader(
            name=name, virtual_size=virtual_size, raw_size=raw_size, raw_offset=raw_offset, place=base + offset
        )


def _holding_section(
    data: memoryview, table: SectionTable, header: _SectionHeader, held: tuple[HeldSection, ...]
) -> CoffSection | None:
    name = _possible_name(data, table, header.name.partition(b"\0")[0], held)
    size = header.raw_size
    # The bytes of an image are filled up to a multiple of its alignment; 0 is what objcopy leaves there.
    if table.is_image and header.virtual_size:
        size = min(size, header.virtual_size)
    if name is None or not size or not header.raw_offset:
        return None
    raw = span(data, header.raw_offset, size, f"section {name!r}")
    if held_section(name, held) is None and not any(raw[: len(magic)] == magic for magic in _magics(name, held)):
        return None
    return CoffSection(name=name.decode("utf-8", "surrogateescape"), offset=header.raw_offset, size=size)


def _magics(name: bytes, held: tuple[HeldSection, ...]) -> tuple[bytes, ...]:
    """What must stand at the start of a section whose name is cut, or not to be had."""
    return tuple(magic for one in held if name in one.cut or name.startswith(b"/") for magic in one.magics)


def _possible_name(data: memoryview, table: SectionTable, name: bytes, held: tuple[HeldSection, ...]) -> bytes | None:
    """The whole name where a section of that name may be one of ``held``."""
    if not name.startswith(b"/"):
        return name if any(name in one.cut or name == one.name for one in held) else None
    if table.strings is None:
        if table.is_image:
            # Windows reads no string table in an image, so a tool may take it off together with the symbols.
            return name
        raise FormatError(f"section name {name!r} needs a string table, the object has none", offset=0)
    (size,) = unpack(_STRING_TABLE_SIZE, data, table.strings, "the string table")
    strings = span(data, table.strings, size, "the string table")
    offset = _name_offset(name)
    if not _STRING_TABLE_SIZE.size <= offset < len(strings):
        raise FormatError(f"section name {name!r} leaves the string table of {len(strings)} bytes", offset=0)
    if not any(strings[offset : offset + len(one.name)] == one.name for one in held):
        return None
    return c_string(strings, offset, COFF_NAME_BYTES, "a section's name")


def _name_offset(name: bytes) -> int:
    if found := re.fullmatch(_DECIMAL_NAME, name):
        return int(found[1])
    if found := re.fullmatch(_BASE64_NAME, name):
        # Six digits of six bits, the first one highest; two more make it whole bytes.
        import base64

        return int.from_bytes(base64.b64decode(b"AA" + found[1]), "big")
    raise FormatError(f"section name {name!r} is no offset in the string table", offset=0)
