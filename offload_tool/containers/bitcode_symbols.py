r"""Symbols that LLVM bitcode defines for the linker: what an archive's index says of such a member.

| record of MODULE | code | operands; "name" is offset and size in the string table |
|---|---|---|
| VERSION | 1 | 2 from LLVM 5 on; before, names stood elsewhere |
| DATALAYOUT | 3 | the characters; the part ``m:`` tells how names are mangled |
| ASM | 4 | the characters |
| SECTIONNAME | 5 | the characters |
| GLOBALVAR | 7 | name, type, flags, initializer or 0, linkage, alignment, section from 1 on or 0, and more |
| FUNCTION | 8 | name, type, calling convention, 1 for a declaration, linkage, and more |
| ALIAS_OLD | 9 | name, type, aliasee, linkage, and more |
| ALIAS | 14 | name, type, address space, aliasee, linkage, and more |
| IFUNC | 18 | name, type, address space, resolver, linkage, and more |

The order is that of LLVM's symbol table: by module, there functions, variables, aliases, ifuncs, and what assembly
defines.  Source: ``llvm/Bitcode/LLVMBitCodes.h`` of LLVM 16 to 22, measured on LLVM 22's archives.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import FormatError
from ..limits import BITCODE_SYMBOL_BYTES, BITCODE_SYMBOLS
from .bitcode_file import BitcodePart, bitcode_parts, unwrapped
from .bitcode_symtab import assembly_symbols
from .bitstream import Block, Record

__all__ = ["defined_symbols"]

VERSION, DATALAYOUT, ASM, SECTIONNAME = 1, 3, 4, 5
GLOBALVAR, FUNCTION, ALIAS_OLD, ALIAS, IFUNC = 7, 8, 9, 14, 18

_ORDER = (FUNCTION, GLOBALVAR, ALIAS, IFUNC)
_WITH_NAMES_IN_TABLE = 2

INTERNAL, PRIVATE, AVAILABLE_EXTERNALLY, LINKER_PRIVATE, LINKER_PRIVATE_WEAK = 3, 9, 12, 13, 14
_NOT_FOR_LINKER = frozenset((INTERNAL, PRIVATE, AVAILABLE_EXTERNALLY, LINKER_PRIVATE, LINKER_PRIVATE_WEAK))

# Where the operands are, counted from the record's first one.
_LINKAGE = {GLOBALVAR: 5, FUNCTION: 5, ALIAS_OLD: 4, ALIAS: 5, IFUNC: 5}
_INITIALIZER = _IS_DECLARATION = 4
_SECTION = 7
_OPERANDS_USED = {GLOBALVAR: 8, FUNCTION: 6, ALIAS_OLD: 5, ALIAS: 6, IFUNC: 6}

MACH_O, WINDOWS_X86 = "o", "x"
_METADATA_SECTION = list(b"llvm.metadata")
_BITCODE_ALIGNMENT = 4


def defined_symbols(data: memoryview) -> list[bytes]:
    """The global symbols that a bitcode file defines, mangled, in the order of LLVM's symbol table.

    Assembly in a module counts as far as the file's own symbol table tells; LLVM writes none for NVPTX.  The ``@N``
    that Windows on 32-bit x86 appends for a calling convention is left out.  Modules of LLVM 4 and older have no
    symbols here.  Raises FormatError, with the offset in ``data``, where what has to be read for that is damaged.

    >>> defined_symbols(memoryview(b"BC"))
    Traceback (most recent call last):
    ...
    offload_tool.errors.FormatError: bitcode has 2 bytes; expected a multiple of 4 (at byte 0)
    """
    if len(data) % _BITCODE_ALIGNMENT:  # LLVM takes no such file, and has no symbols of it
        raise FormatError(f"bitcode has {len(data)} bytes; expected a multiple of {_BITCODE_ALIGNMENT}", offset=0)
    base, stream = unwrapped(data)
    try:
        return _symbols(stream)
    except FormatError as error:
        raise error.shifted(base) from None


def _symbols(stream: memoryview) -> list[bytes]:
    found = _Found()
    for part in bitcode_parts(stream):
        modules = [_Module(block, part.names, found) for block in part.modules]
        for module, from_assembly in zip(modules, _from_assembly(part, modules), strict=True):
            for name in module.defined():
                found.names.append(_mangled(name or found.next_unnamed(), module.mangling))
            found.names += from_assembly
    return found.names


class _Found:
    """The symbols of all modules of a file, and how much they take."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self._count = self._size = self._unnamed = 0

    def count(self, size: int, byte: int) -> None:
        """Checks that one more symbol, with a name of ``size`` bytes, may be kept."""
        self._count += 1
        self._size += size
        if self._count > BITCODE_SYMBOLS:
            raise FormatError(f"bitcode defines more than {BITCODE_SYMBOLS} symbols", offset=byte)
        if self._size > BITCODE_SYMBOL_BYTES:
            what = f"names of symbols take {self._size} bytes; at most {BITCODE_SYMBOL_BYTES} are read"
            raise FormatError(what, offset=byte)

    def next_unnamed(self) -> bytes:
        """The name that LLVM gives to a symbol without one."""
        self._unnamed += 1
        return b"__unnamed_%d" % self._unnamed


class _Module:
    """What a module defines for the linker: names as they stand in the string table, by record code."""

    def __init__(self, block: Block, names: memoryview, found: _Found) -> None:
        self.mangling, self.value_count, self.has_assembly = "", 0, False
        self._names, self._found = names, found
        self._version, self._in_metadata = 0, bytearray()
        self._defined: dict[int, list[bytes]] = {code: [] for code in _ORDER}
        layout: Record | None = None
        for _, entry in block.entries():
            if isinstance(entry, Record):
                layout = entry if entry.code == DATALAYOUT else layout
                self._take(entry)
        if layout is not None:
            self.mangling = _mangling(layout)

    def defined(self) -> Iterator[bytes]:
        """The names in LLVM's order; an empty one stands for a symbol without a name."""
        return (name for code in _ORDER for name in self._defined[code])

    def _take(self, record: Record) -> None:
        if record.code == VERSION:
            self._version = _operands(record, 1)[0]
        elif record.code == ASM:
            self.has_assembly = True
        elif record.code == SECTIONNAME:
            self._in_metadata.append(record.leading(len(_METADATA_SECTION) + 1) == _METADATA_SECTION)
        elif record.code in _LINKAGE:
            self.value_count += 1
            if self._version == _WITH_NAMES_IN_TABLE:
                self._take_value(record)

    def _take_value(self, record: Record) -> None:
        operands = _operands(record, _OPERANDS_USED[record.code])
        name_offset, name_size = operands[:2]
        if not self._is_defined(record, operands):
            return
        if name_offset + name_size > len(self._names):
            what = (
                f"the name of a symbol is bytes {name_offset} to {name_offset + name_size} "
                f"of a string table of {len(self._names)}"
            )
            raise FormatError(what, offset=record.byte)
        self._found.count(name_size, record.byte)
        name = bytes(self._names[name_offset : name_offset + name_size])
        if b"\0" in name:
            raise FormatError("the name of a symbol has a NUL, which ends names in an index", offset=record.byte)
        if not name.startswith(b"llvm."):
            self._defined[ALIAS if record.code == ALIAS_OLD else record.code].append(name)

    def _is_defined(self, record: Record, operands: list[int]) -> bool:
        if operands[_LINKAGE[record.code]] in _NOT_FOR_LINKER:
            return False
        if record.code == FUNCTION:
            return not operands[_IS_DECLARATION]
        return record.code != GLOBALVAR or (operands[_INITIALIZER] != 0 and not self._is_in_metadata(record, operands))

    def _is_in_metadata(self, record: Record, operands: list[int]) -> bool:
        section = operands[_SECTION]
        if section > len(self._in_metadata):
            what = f"GLOBALVAR is in section {section} of {len(self._in_metadata)}"
            raise FormatError(what, offset=record.byte)
        return section != 0 and bool(self._in_metadata[section - 1])


def _from_assembly(part: BitcodePart, modules: list[_Module]) -> list[list[bytes]]:
    """The symbols that assembly defines, by module."""
    blob = part.symtab_blob() if any(module.has_assembly for module in modules) else None
    if part.symtab is None or blob is None:
        return [[] for _ in modules]
    try:
        return assembly_symbols(blob, part.names, [module.value_count for module in modules])
    except FormatError as error:  # it counts from the table
        raise FormatError(error.what, offset=part.symtab.byte) from None


def _mangling(layout: Record) -> str:
    """What the data layout says after ``m:``, or nothing."""
    parts = str(layout.characters()[0], "latin-1").split("-")
    return next((part[2:] for part in reversed(parts) if part.startswith("m:")), "")


def _mangled(name: bytes, mangling: str) -> bytes:
    r"""The name as the linker sees it.

    >>> _mangled(b"kernel", "o"), _mangled(b"\1kernel", "o"), _mangled(b"kernel", "e")
    (b'_kernel', b'kernel', b'kernel')
    """
    if name.startswith(b"\1"):
        return name[1:]
    has_prefix = mangling == MACH_O or (mangling == WINDOWS_X86 and not name.startswith(b"?"))
    return b"_" + name if has_prefix else name


def _operands(record: Record, count: int) -> list[int]:
    operands = record.leading(count)
    if len(operands) < count:
        what = f"record {record.code} has {len(operands)} operands; expected at least {count}"
        raise FormatError(what, offset=record.byte)
    return operands
