"""Kernels of a cubin: what its symbols and the sections that are named after them tell.

A kernel is a symbol of type STT_FUNC with 0x10 in st_other; device functions lack that.  Of a kernel NAME tell:

| section | what |
|---|---|
| ``.nv.info`` | attribute 0x2F, registers: u32 number of the symbol, u32 registers a thread |
| ``.text.NAME`` | its code; below SM 90: registers in bits 24 to 31 of sh_info |
| ``.nv.info.NAME`` | attribute 0x19, size of the parameters; a kernel without parameters lacks it |
| ``.nv.shared.NAME`` | its size is that of the static shared memory; there is none where it is missing |

Source: files of ptxas 11.8, 12.9 and 13.0, and what cuobjdump 13.5 prints of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import TypeVar

from ..errors import FormatError
from ..frozen import constructor
from ..wire.bounded import span
from ..wire.elf import ElfSection
from ..wire.elf_symbols import SHT_SYMTAB, ElfSymbol, symbols
from .cubin_attributes import contents, first_value
from .payload import Kernel

__all__ = ["kernels_of"]

_STT_FUNC = 2
_STO_CUDA_ENTRY = 0x10
_REGISTER_COUNT = 0x2F
_PARAMETERS_SIZE = 0x19
_REGISTERS = Struct("<II")
_INFO, _TEXT, _SHARED = ".nv.info", ".text.", ".nv.shared."

_Told = TypeVar("_Told")


def kernels_of(data: memoryview, table: Sequence[ElfSection], *, registers_in_text: bool) -> Iterator[Kernel]:
    """The kernels of a cubin whose section table is ``table``, in the order of its symbols.

    ``registers_in_text`` says that the cubin is for less than SM 90, see above.  Raises FormatError where a table, a
    name or an attribute is damaged.
    """
    found = list(_entries(data, table))
    if not found:
        return
    by_name = dict(zip([section.name for section in table], table, strict=True))
    information = _Information(data)
    registers = information.registers(by_name.get(_INFO))
    make_kernel = constructor(Kernel)
    for symbol in found:
        text = by_name.get(_TEXT + symbol.name)
        in_text = None if text is None or not registers_in_text else text.sh_info >> 24
        shared = by_name.get(_SHARED + symbol.name)
        yield make_kernel(
            name=symbol.name,
            registers=registers.get(symbol.number, in_text),
            shared_bytes=0 if shared is None else shared.size,
            arguments_bytes=information.parameters_size(by_name.get(f"{_INFO}.{symbol.name}")),
            code_offset=None if text is None else text.offset,
            code_bytes=None if text is None else text.size,
        )


def _entries(data: memoryview, table: Sequence[ElfSection]) -> Iterator[ElfSymbol]:
    section = next((section for section in table if section.sh_type == SHT_SYMTAB), None)
    if section is None:
        return
    if section.sh_link >= len(table):
        raise FormatError(f"the symbols name section {section.sh_link} of {len(table)}", offset=section.offset)
    yield from symbols(data, section, table[section.sh_link], _is_entry)


def _is_entry(st_info: int, st_other: int, st_shndx: int) -> bool:
    return bool(st_other & _STO_CUDA_ENTRY) and st_info & 15 == _STT_FUNC and st_shndx != 0


class _Information:
    """Attributes of sections; they may overlap, so no more bytes are read in all than the file has."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._left = len(data)

    def registers(self, section: ElfSection | None) -> dict[int, int]:
        """Registers a thread, by the number of the symbol."""
        found = () if section is None else self._read(section, _register_counts)
        return dict(map(_REGISTERS.unpack, found))

    def parameters_size(self, section: ElfSection | None) -> int | None:
        """Bytes of the parameters: none where the kernel's section does not speak of any, None where there is none."""
        return None if section is None else self._read(section, _parameters_size)

    def _read(self, section: ElfSection, read: Callable[[memoryview], _Told]) -> _Told:
        held = self._data[section.offset : section.offset + section.size]
        if len(held) < section.size:  # names are long, so they are put into words only where those are told
            span(self._data, section.offset, section.size, f"section {section.name!r}")
        self._left -= len(held)
        if self._left < 0:
            raise FormatError("the sections of a cubin's attributes overlap", offset=section.offset)
        try:
            return read(held)
        except FormatError as error:
            raise error.shifted(section.offset) from None


def _register_counts(held: memoryview) -> list[bytes]:
    return [content for content in contents(held, _REGISTER_COUNT) if len(content) == _REGISTERS.size]


def _parameters_size(held: memoryview) -> int | None:
    return first_value(held, _PARAMETERS_SIZE, 0)
