"""Kernels of AMDGPU code objects by their symbols: where their code is, and all of them where no metadata tells.

From version 3 on each kernel has an object symbol ``NAME.kd`` of 64 bytes, its descriptor:

| offset | type | field |
|---|---|---|
| 0 | u32 | GROUP_SEGMENT_FIXED_SIZE |
| 4 | u32 | PRIVATE_SEGMENT_FIXED_SIZE |
| 8 | u32 | KERNARG_SIZE |

The code is what the function symbol ``NAME`` stands for.  In version 2 that symbol is of type 10.  Registers are not
told in a way that does not depend on the processor.  Source: LLVM's "User Guide for AMDGPU Backend", Kernel Descriptor.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from struct import Struct

from ..errors import FormatError
from ..frozen import replace
from ..limits import AMDGPU_KERNELS
from ..wire.bounded import span
from ..wire.elf import ElfSection, identity, section_table
from ..wire.elf_head import ET_REL
from ..wire.elf_symbols import SHT_DYNSYM, SHT_SYMTAB, ElfSymbol, symbols
from .payload import Kernel

__all__ = ["described_kernels", "with_code"]

SHF_ALLOC = 2
SHT_NOBITS = 8
STT_OBJECT = 1
STT_FUNC = 2
STT_AMDGPU_HSA_KERNEL = 10

_SUFFIX = ".kd"
DESCRIPTOR_SIZE = 64
_DESCRIPTOR = Struct("<III")


class _Places:
    """Where descriptors are: by section number in relocatable files, else by address.

    Tools that remove sections leave the section numbers of the loader's symbols as they were.
    """

    def __init__(self, data: memoryview, sections: list[ElfSection]) -> None:
        self._data = data
        self._sections = sections
        self._is_relocatable = identity(data).e_type == ET_REL
        loaded = [each for each in sections if each.sh_flags & SHF_ALLOC and each.sh_type != SHT_NOBITS]
        self._loaded = sorted(loaded, key=lambda each: each.sh_addr)
        self._addresses = [each.sh_addr for each in self._loaded]

    def offset(self, symbol: ElfSymbol, size: int) -> int:
        """Where in the file a symbol's bytes begin; raises FormatError where its section does not hold them."""
        what = f"the symbol {symbol.name!r}"
        section = self._section(symbol)
        if section is None or section.sh_type == SHT_NOBITS:
            raise FormatError(f"{what} at {symbol.st_value:#x} is in no section with bytes", offset=0)
        held = span(self._data, section.offset, section.size, f"section {section.name!r}")
        start = symbol.st_value - section.sh_addr
        span(held, start, size, what)
        return section.offset + start

    def descriptor(self, symbol: ElfSymbol) -> memoryview:
        """The bytes of a descriptor; raises as ``offset``."""
        start = self.offset(symbol, DESCRIPTOR_SIZE)
        return self._data[start : start + DESCRIPTOR_SIZE]

    def _section(self, symbol: ElfSymbol) -> ElfSection | None:
        if self._is_relocatable:
            section = self._sections[symbol.st_shndx] if symbol.st_shndx < len(self._sections) else None
            return section if section is None or section.sh_addr <= symbol.st_value else None
        number = bisect_right(self._addresses, symbol.st_value)
        return self._loaded[number - 1] if number else None


def described_kernels(data: memoryview) -> tuple[Kernel, ...] | None:
    """The kernels that a code object has symbols of, in table order, or None where it has no table of symbols.

    Raises FormatError where the table or a descriptor leaves its place.
    """
    sections = section_table(data)
    table = _symbol_table(sections)
    if table is None:
        return None
    if table.sh_link >= len(sections):
        raise FormatError(f"the ELF symbol table names section {table.sh_link} of {len(sections)}", offset=0)
    places = _Places(data, sections)
    found: dict[str, Kernel] = {}
    for symbol in symbols(data, table, sections[table.sh_link], _is_wanted):
        kernel = _kernel(symbol, places)
        if kernel is not None:
            found.setdefault(kernel.name, kernel)
        if len(found) > AMDGPU_KERNELS:
            raise FormatError(f"the code object has more than {AMDGPU_KERNELS} kernels", offset=table.offset)
    return tuple(found.values())


def with_code(data: memoryview, kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """The same kernels, with the place and the size of their code where the symbols tell it.

    Symbols that are missing or damaged take nothing from what is known of the kernels.
    """
    try:
        sections = section_table(data)
        table = _symbol_table(sections)
        if table is None or table.sh_link >= len(sections):
            return tuple(kernels)
        found = symbols(data, table, sections[table.sh_link], _is_code)
        by_name = {symbol.name: symbol for symbol in found}
        places = _Places(data, sections)
    except FormatError:
        return tuple(kernels)
    return tuple(_with_code(kernel, by_name.get(kernel.name), places) for kernel in kernels)


def _with_code(kernel: Kernel, symbol: ElfSymbol | None, places: _Places) -> Kernel:
    if symbol is None:
        return kernel
    try:
        return replace(kernel, code_offset=places.offset(symbol, symbol.st_size), code_bytes=symbol.st_size)
    except FormatError:
        return kernel


def _is_code(st_info: int, _st_other: int, st_shndx: int) -> bool:
    return st_shndx != 0 and st_info & 15 in {STT_FUNC, STT_AMDGPU_HSA_KERNEL}


def _symbol_table(sections: list[ElfSection]) -> ElfSection | None:
    """The table of all symbols, or that of the loader: stripped code objects keep it, with every kernel."""
    by_type = {section.sh_type: section for section in sections}
    return by_type.get(SHT_SYMTAB, by_type.get(SHT_DYNSYM))


def _is_wanted(st_info: int, _st_other: int, st_shndx: int) -> bool:
    return st_shndx != 0 and st_info & 15 in {STT_OBJECT, STT_AMDGPU_HSA_KERNEL}


def _kernel(symbol: ElfSymbol, places: _Places) -> Kernel | None:
    if symbol.type == STT_AMDGPU_HSA_KERNEL:
        return Kernel(name=symbol.name)
    if symbol.st_size != DESCRIPTOR_SIZE or not symbol.name.endswith(_SUFFIX):
        return None
    group, _, arguments = _DESCRIPTOR.unpack(places.descriptor(symbol)[: _DESCRIPTOR.size])
    return Kernel(name=symbol.name.removesuffix(_SUFFIX), shared_bytes=group, arguments_bytes=arguments)
