"""LLVM bitcode as a file: its modules, and the tables that stand after them.

A file is a bitstream after the magic ``42 43 C0 DE``, or lies behind a wrapper (little-endian):

| offset | type | field |
|---|---|---|
| 0 | u32 | magic ``DE C0 17 0B`` |
| 4 | u32 | version |
| 8 | u32 | offset of the bitcode from the first byte of the wrapper |
| 12 | u32 | size of the bitcode |
| 16 | u32 | CPU type |

| block | id | record used |
|---|---|---|
| MODULE | 8 | |
| STRTAB | 23 | BLOB 1: the names of those modules before it that have no string table yet |
| SYMTAB | 25 | BLOB 1: a table of their symbols, whose names are in that string table too |

The stream is any number of such blocks.  Source: "LLVM Bitcode File Format" in the LLVM manual,
``llvm/Bitcode/LLVMBitCodes.h`` of LLVM 16 to 22.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from ..errors import FormatError
from ..frozen import frozen
from ..limits import BITCODE_MODULES
from ..wire.bounded import span, unpack
from ..wire.magic import BITCODE as MAGIC
from ..wire.magic import BITCODE_WRAPPER as WRAPPER_MAGIC
from .bitstream import Block, Record, outermost_blocks

__all__ = ["MAGIC", "WRAPPER_MAGIC", "BitcodePart", "bitcode_parts", "matches", "unwrapped"]

WRAPPER = Struct("<4sIIII")
assert WRAPPER.size == 20

MODULE_BLOCK, STRTAB_BLOCK, SYMTAB_BLOCK = 8, 23, 25
BLOB = 1


@frozen
class BitcodePart:
    """Modules that share a string table: ``names`` is its bytes, ``symtab`` the block of their symbols or None."""

    modules: tuple[Block, ...]
    names: memoryview
    symtab: Block | None

    def symtab_blob(self) -> memoryview | None:
        """The bytes of the symbol table, or None; raises FormatError if its block is damaged."""
        return None if self.symtab is None else _blob(self.symtab, "symbol table")


def matches(head: bytes) -> bool:
    """Whether the bytes begin as LLVM bitcode does."""
    return head[:4] in (MAGIC, WRAPPER_MAGIC)


def unwrapped(data: memoryview) -> tuple[int, memoryview]:
    """Where the bitcode begins in ``data``, in bytes, and the bitcode; raises FormatError if a wrapper is damaged."""
    if data[:4] != WRAPPER_MAGIC:
        return 0, data
    _, _, offset, size, _ = unpack(WRAPPER, data, 0, "the bitcode wrapper")
    return offset, span(data, offset, size, "the wrapped bitcode")


def bitcode_parts(stream: memoryview) -> Iterator[BitcodePart]:
    """The parts of a file without its wrapper, in order; modules after the last string table have an empty one.

    Raises FormatError, with the offset in ``stream``, where the outermost blocks or a string table are damaged.
    """
    if stream[: len(MAGIC)] != MAGIC:
        what = f"magic {bytes(stream[: len(MAGIC)]).hex(' ')!r} is not that of LLVM bitcode, {MAGIC.hex(' ')!r}"
        raise FormatError(what, offset=0)
    count, modules, symtab = 0, list[Block](), None
    for block in outermost_blocks(stream, len(MAGIC)):
        if block.block_id == MODULE_BLOCK:
            count += 1
            if count > BITCODE_MODULES:
                raise FormatError(f"bitcode has more than {BITCODE_MODULES} modules", offset=block.byte)
            modules.append(block)
        elif block.block_id == SYMTAB_BLOCK:
            symtab = block
        elif block.block_id == STRTAB_BLOCK:
            yield BitcodePart(modules=tuple(modules), names=_blob(block, "string table"), symtab=symtab)
            modules, symtab = [], None
    if not count:
        raise FormatError("bitcode has no module", offset=len(MAGIC))
    if modules:
        yield BitcodePart(modules=tuple(modules), names=stream[:0], symtab=None)


def _blob(block: Block, what: str) -> memoryview:
    for _, entry in block.entries():
        if isinstance(entry, Record) and entry.code == BLOB:
            return entry.scalars_and_blob()[1]
    raise FormatError(f"{what} has no blob", offset=block.byte)
