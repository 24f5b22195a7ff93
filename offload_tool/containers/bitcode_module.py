"""One module of LLVM bitcode: its embedded objects, from metadata to global to initializer.

| block | id | records used |
|---|---|---|
| MODULE | 8 | VERSION 1, GLOBALVAR 7, FUNCTION 8, ALIAS_OLD 9, ALIAS 14, IFUNC 18 |
| CONSTANTS | 11 | SETTYPE 1, NULL 2, INTEGER 4, AGGREGATE 7, STRING 8, CSTRING 9, DATA 22 |
| METADATA | 15 | STRING_OLD 1, VALUE 2, NODE 3, NAME 4, DISTINCT_NODE 5, NAMED_NODE 10, STRINGS 35 |
| TYPE_NEW | 17 | INTEGER 7 (width), ARRAY 11 (number of elements, element type) |

Values are numbered in one row: variables, functions, aliases and ifuncs in the order of their records, then the
constants of the module's own CONSTANTS blocks.  GLOBALVAR: from version 2 on offset and size of the name in the string
table, then type, flags, initializer (value id + 1, or 0), and more.  The rest of a module, above all its functions, is
passed over.  Source: ``llvm/Bitcode/LLVMBitCodes.h`` of LLVM 16 to 22, measured with llvm-bcanalyzer.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator

from ..errors import FormatError
from ..frozen import frozen
from .bitcode_constants import Initializer, read_initializers
from .bitcode_metadata import embedded_objects
from .bitstream import Block, Record

__all__ = ["ModuleObject", "module_objects"]

CONSTANTS_BLOCK = 11
METADATA_BLOCK = 15
TYPE_BLOCK_NEW = 17

VERSION, GLOBALVAR, FUNCTION, ALIAS_OLD, ALIAS, IFUNC = 1, 7, 8, 9, 14, 18

_VALUES = (GLOBALVAR, FUNCTION, ALIAS_OLD, ALIAS, IFUNC)
_NEWEST_VERSION = 2


@frozen
class ModuleObject:
    """An embedded object: where its name stands in the string table, in bytes, and what it is initialized with.

    ``byte`` is the offset in the stream of the variable's record.
    """

    byte: int
    name_offset: int
    name_size: int
    initializer: Initializer


@frozen
class _Variable:
    """The fields of GLOBALVAR that are used, and where its record is."""

    byte: int
    name_offset: int
    name_size: int
    initializer: int


class _Module:
    """What is needed of a module: the blocks to read, and where the variables' records are."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.version = 0
        self.value_count = 0
        self.blocks: dict[int, list[Block]] = {CONSTANTS_BLOCK: [], METADATA_BLOCK: [], TYPE_BLOCK_NEW: []}
        self._variable_ids, self._variable_positions = array("Q"), array("Q")
        for position, entry in block.entries():
            if isinstance(entry, Record):
                self._take(entry, position)
            elif entry.block_id in self.blocks:
                self.blocks[entry.block_id].append(entry)

    def _take(self, record: Record, position: int) -> None:
        if record.code == VERSION:
            self.version = _operands(record, 1, "VERSION")[0]
            if self.version > _NEWEST_VERSION:
                what = f"module version {self.version} is not known; expected at most {_NEWEST_VERSION}"
                raise FormatError(what, offset=record.byte)
        elif record.code in _VALUES:
            if self.blocks[CONSTANTS_BLOCK]:
                raise FormatError("module has a global after its constants", offset=record.byte)
            if record.code == GLOBALVAR:
                self._variable_ids.append(self.value_count)
                self._variable_positions.append(position)
            self.value_count += 1

    def variable(self, value_id: int) -> _Variable | None:
        """A variable; None if the value is something else."""
        index = bisect_left(self._variable_ids, value_id)
        if index == len(self._variable_ids) or self._variable_ids[index] != value_id:
            return None
        record = self.block.record_at(self._variable_positions[index])
        name = [0, 0] if self.version < _NEWEST_VERSION else []
        operands = name + _operands(record, 5 - len(name), "GLOBALVAR")
        return _Variable(
            byte=record.byte, name_offset=operands[0], name_size=operands[1], initializer=operands[4]
        )  # fmt: skip


def module_objects(block: Block) -> Iterator[ModuleObject]:
    """The embedded objects of a module, in the order of ``llvm.embedded.objects``, each variable once.

    An entry that names no variable, or one without an initializer, is passed over as LLVM does: the variable was
    removed, or is in another module.  Raises FormatError where the module is damaged, or where an initializer is not an
    array of known bytes.
    """
    module = _Module(block)
    listed = [module.variable(value_id) for value_id in embedded_objects(module.blocks[METADATA_BLOCK])]
    # The field is a value id plus one; 0 stands for no initializer.
    found = [(variable, variable.initializer - 1) for variable in listed if variable and variable.initializer]
    if not found:
        return
    constants, types = module.blocks[CONSTANTS_BLOCK], module.blocks[TYPE_BLOCK_NEW]
    initializers = read_initializers(constants, types, module.value_count, {value_id for _, value_id in found})
    for variable, value_id in found:
        if value_id not in initializers:
            what = f"value {value_id} initializes an embedded object and is not a constant of the module"
            raise FormatError(what, offset=variable.byte)
        yield ModuleObject(
            byte=variable.byte, name_offset=variable.name_offset, name_size=variable.name_size,
            initializer=initializers[value_id],
        )  # fmt: skip


def _operands(record: Record, least: int, what: str) -> list[int]:
    operands = record.leading(least)
    if len(operands) < least:
        raise FormatError(f"{what} has {len(operands)} operands; expected at least {least}", offset=record.byte)
    return operands
