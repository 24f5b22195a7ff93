"""The symbol table that LLVM writes beside modules: what their assembly defines, which only an assembler could tell.

All numbers are u32, little-endian.  A range is offset in the table and count, a name offset and size in the string
table.

| offset | field |
|---|---|
| 0 | Version: 3 in LLVM 16 to 22 |
| 4 | Producer, a name |
| 12 | Modules, a range |
| 20 | Comdats, a range |
| 28 | Symbols, a range |
| 36 | and more |

| offset in Module | field |
|---|---|
| 0 | Begin: its first symbol |
| 4 | End: the first symbol after its last one |
| 8 | UncBegin |

| offset in Symbol | field |
|---|---|
| 0 | Name, mangled |
| 8 | IRName |
| 16 | ComdatIndex |
| 20 | Flags: 3 undefined, 10 global, 11 format-specific (numbers of bits) |

Of each module first stand its functions, variables, aliases and ifuncs, then what its assembly defines or uses.
Source: ``llvm/Object/IRSymtab.h`` of LLVM 16 to 22, measured on these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct

from ..errors import FormatError
from ..limits import BITCODE_SYMBOL_BYTES, BITCODE_SYMBOLS
from ..wire.bounded import span, unpack

__all__ = ["assembly_symbols"]

HEADER = Struct("<I 2I 2I 2I 2I")
MODULE = Struct("<3I")
SYMBOL = Struct("<2I 2I I I")
assert (HEADER.size, MODULE.size, SYMBOL.size) == (36, 12, 24)

_VERSION = 3
UNDEFINED, GLOBAL, FORMAT_SPECIFIC = 1 << 3, 1 << 10, 1 << 11


def assembly_symbols(table: memoryview, names: memoryview, value_counts: Sequence[int]) -> list[list[bytes]]:
    """For each module the global symbols that its assembly defines.

    ``value_counts`` tells how many symbols each module has without assembly.  A table of another version, or of
    another number of modules, tells nothing.  Raises FormatError, with the offset in ``table``, for a damaged one.
    """
    version, _, _, modules, module_count, _, _, symbols, symbol_count = unpack(HEADER, table, 0, "the symbol table")
    if version != _VERSION or module_count != len(value_counts):
        return [[] for _ in value_counts]
    if symbol_count > BITCODE_SYMBOLS:
        raise FormatError(f"symbol table claims {symbol_count} symbols; at most {BITCODE_SYMBOLS} are read", offset=28)
    ranges = span(table, modules, module_count * MODULE.size, "the modules of the symbol table")
    entries = span(table, symbols, symbol_count * SYMBOL.size, "the symbols of the symbol table")
    found, last, size = [], 0, 0
    for (begin, end, _), value_count in zip(MODULE.iter_unpack(ranges), value_counts, strict=True):
        if begin != last or not begin + value_count <= end <= symbol_count:
            what = f"symbols {begin} to {end} of {symbol_count} cannot be a module's with {value_count} before assembly"
            raise FormatError(what, offset=modules)
        rest = entries[(begin + value_count) * SYMBOL.size : end * SYMBOL.size]
        found.append(list(_names(rest, names, BITCODE_SYMBOL_BYTES - size)))
        last, size = end, size + sum(map(len, found[-1]))
    return found


def _names(symbols: memoryview, names: memoryview, most: int) -> Iterator[bytes]:
    for offset, size, _, _, _, flags in SYMBOL.iter_unpack(symbols):
        if flags & (UNDEFINED | GLOBAL | FORMAT_SPECIFIC) != GLOBAL:
            continue
        most -= size
        if most < 0:
            raise FormatError(f"names in the symbol table take more than {BITCODE_SYMBOL_BYTES} bytes", offset=0)
        name = bytes(span(names, offset, size, "the name of a symbol"))
        if b"\0" in name:
            raise FormatError("the name of a symbol has a NUL, which ends names in an index", offset=0)
        yield name
