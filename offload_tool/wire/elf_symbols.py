"""Symbols of an ELF file, read from the bytes of their table; every field as it stands there.

A symbol; 16 bytes in a 32-bit file, 24 in a 64-bit one, and in another order:

| 32-bit | 64-bit | field |
|---|---|---|
| 0, u32 | 0, u32 | st_name: where the name begins in the table of strings |
| 4, u32 | 8, u64 | st_value |
| 8, u32 | 16, u64 | st_size |
| 12, u8 | 4, u8 | st_info: binding in the high half, type in the low one |
| 13, u8 | 5, u8 | st_other: visibility in the low two bits, the rest belongs to the machine |
| 14, u16 | 6, u16 | st_shndx |

Source: the System V ABI, chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import Struct

from ..errors import FormatError
from ..frozen import constructor, frozen
from ..limits import ELF_SYMBOLS
from .bounded import span
from .elf import ElfNames, ElfSection, identity, section_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SHT_DYNSYM", "SHT_SYMTAB", "ElfSymbol", "defined_symbols", "symbols"]

SHT_SYMTAB = 2
SHT_DYNSYM = 11

STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE = 1, 2, 10
STT_SECTION, STT_FILE = 3, 4

_LAYOUTS = {1: "IIIBBH", 2: "IBBHQQ"}


@frozen
class ElfSymbol:
    """One symbol, ``number`` in its table; ``st_other`` is the whole byte."""

    number: int
    name: str
    st_info: int
    st_other: int
    st_shndx: int
    st_value: int
    st_size: int

    @property
    def type(self) -> int:
        """What it stands for, by its number."""
        return self.st_info & 15


def symbols(
    data: memoryview,
    table: ElfSection,
    strings: ElfSection,
    wanted: Callable[[int, int, int], bool] | None = None,
) -> Iterator[ElfSymbol]:
    """The symbols of a table, in its order; ``wanted`` may choose some by st_info, st_other and st_shndx.

    Only names of chosen symbols are read, which makes a large table cheap.  Raises FormatError where the table, the
    strings or a name leave the file.
    """
    header = identity(data)
    layout = Struct(header.order + _LAYOUTS[header.ei_class])
    count = table.size // layout.size
    if count > ELF_SYMBOLS:
        raise FormatError(f"the ELF symbol table claims {count} symbols, at most {ELF_SYMBOLS} are read", offset=0)
    # Copies: an iterator over a memoryview crashes CPython 3.11 when both are collected with an error's frames.
    rows = bytes(span(data, table.offset, count * layout.size, "the ELF symbol table"))
    names = ElfNames(span(data, strings.offset, strings.size, "the ELF symbol names"))
    numbered: Iterator[tuple[int, tuple[Any, ...]]] = enumerate(layout.iter_unpack(rows))
    if wanted is not None:
        chosen = slice(1, 4) if header.is_64 else slice(3, 6)
        numbered = ((number, fields) for number, fields in numbered if wanted(*fields[chosen]))
    make_symbol = constructor(ElfSymbol)
    for number, fields in numbered:
        if header.is_64:
            st_name, st_info, st_other, st_shndx, st_value, st_size = fields
        else:
            st_name, st_value, st_size, st_info, st_other, st_shndx = fields
        yield make_symbol(
            number=number, name=names.at(st_name), st_info=st_info, st_other=st_other, st_shndx=st_shndx,
            st_value=st_value, st_size=st_size,
        )  # fmt: skip


def defined_symbols(data: memoryview) -> list[str]:
    """Names of the global and weak symbols that an object defines, in table order: an archive's index holds them.

    Raises FormatError where the symbol table leaves the file.
    """
    found = section_table(data)
    table = next((section for section in found if section.name == ".symtab" and section.sh_type == SHT_SYMTAB), None)
    if table is None:
        return []
    if table.sh_link >= len(found):
        raise FormatError(f"the ELF symbol table names section {table.sh_link} of {len(found)}", offset=0)
    return [symbol.name for symbol in symbols(data, table, found[table.sh_link], _is_defined_global)]


def _is_defined_global(st_info: int, _st_other: int, st_shndx: int) -> bool:
    if st_info >> 4 not in (STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE) or not st_shndx:
        return False
    return st_info & 15 not in (STT_SECTION, STT_FILE)
