"""ELF sections and symbols, read by pyelftools behind this one door.

pyelftools trusts its input: what it raises on damaged files is turned into FormatError here, and counts are checked
against the bytes before it loops over them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast

from elftools.common.exceptions import ELFError
from elftools.construct.lib.container import Container
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section as _Section
from elftools.elf.sections import SymbolTableSection

from ..errors import FormatError
from ..limits import ELF_SECTIONS, ELF_SYMBOLS
from .buffer_stream import BufferStream

__all__ = ["ElfSection", "defined_symbols", "sections"]

SHT_NOBITS = 8
_TYPE_NUMBERS = {
    "SHT_NULL": 0, "SHT_PROGBITS": 1, "SHT_SYMTAB": 2, "SHT_STRTAB": 3, "SHT_NOBITS": SHT_NOBITS
}  # fmt: skip
_LIBRARY_FAULTS = (ELFError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, MemoryError)


@dataclass(frozen=True, slots=True, kw_only=True)
class ElfSection:
    """One section: ``offset`` and ``size`` count bytes from the start of the file; ``sh_type`` is its number."""

    name: str
    sh_type: int
    sh_flags: int
    offset: int
    size: int


def sections(data: memoryview) -> list[ElfSection]:
    """The sections of an ELF file that have bytes in it, in table order.

    Raises FormatError where the table, a name or a section leaves the file.
    """
    with _faults("the ELF section table"):
        found = (_section(section) for section in _opened(data).iter_sections())
        return [section for section in found if section is not None and _inside(section, data)]


def defined_symbols(data: memoryview) -> list[str]:
    """Names of the global and weak symbols that an object defines, in table order: an archive's index holds them.

    Raises FormatError where the symbol table leaves the file.
    """
    with _faults("the ELF symbol table"):
        table = _opened(data).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            return []
        if table.header.sh_size > len(data) or table.num_symbols() > ELF_SYMBOLS:
            raise FormatError(f"the ELF symbol table claims {table.num_symbols()} symbols", offset=0)
        return [symbol.name for symbol in table.iter_symbols() if _is_defined_global(symbol.entry)]


def _opened(data: memoryview) -> ELFFile:
    elf = ELFFile(cast(IO[bytes], BufferStream(data)))
    count = elf.num_sections()
    if count > ELF_SECTIONS or count * elf.header.e_shentsize > len(data):
        raise FormatError(f"the ELF header claims {count} sections", offset=0)
    return elf


def _section(section: _Section) -> ElfSection | None:
    header = section.header
    sh_type = header.sh_type if isinstance(header.sh_type, int) else _TYPE_NUMBERS.get(header.sh_type, -1)
    if sh_type in (0, SHT_NOBITS) or header.sh_size == 0:
        return None
    return ElfSection(
        name=section.name, sh_type=sh_type, sh_flags=header.sh_flags, offset=header.sh_offset, size=header.sh_size
    )


def _inside(section: ElfSection, data: memoryview) -> bool:
    if section.offset > len(data) or section.size > len(data) - section.offset:
        what = (
            f"section {section.name!r} claims bytes {section.offset} to {section.offset + section.size} of {len(data)}"
        )
        raise FormatError(what, offset=min(section.offset, len(data)))
    return True


def _is_defined_global(symbol: Container) -> bool:
    if symbol.st_info.bind not in ("STB_GLOBAL", "STB_WEAK", "STB_LOOS") or symbol.st_shndx == "SHN_UNDEF":
        return False
    return symbol.st_info.type not in ("STT_FILE", "STT_SECTION")


@contextmanager
def _faults(what: str) -> Iterator[None]:
    try:
        yield
    except _LIBRARY_FAULTS as error:
        raise FormatError(f"{what} is damaged: {str(error) or type(error).__name__}", offset=0) from error
