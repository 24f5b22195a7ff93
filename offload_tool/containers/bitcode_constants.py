"""Constants of an LLVM module: arrays of bytes that initialize its variables.

| record | code | operands |
|---|---|---|
| SETTYPE | 1 | type id of the constants that follow |
| NULL | 2 | none: zero, of an array all its elements |
| INTEGER | 4 | the value, shifted left by one; the low bit is its sign |
| AGGREGATE | 7 | value ids of the elements |
| STRING | 8 | the bytes |
| CSTRING | 9 | the bytes without the NUL at their end |
| DATA | 22 | the elements |

Every record but SETTYPE is one constant.  LLVM writes an array of bytes as NULL, CSTRING or STRING, the last one with
elements of 8 bits that may begin at any bit; it reads the other forms too.  TYPE_NEW: every record but NUMENTRY 1 and
STRUCT_NAME 19 is one type.  Source: ``llvm/Bitcode/LLVMBitCodes.h`` of LLVM 16 to 22, measured with llvm-bcanalyzer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from ..errors import FormatError
from ..frozen import frozen
from ..limits import BITCODE_TYPES, BITCODE_ZERO_BYTES
from .bitstream import Block, Record

__all__ = ["Initializer", "read_initializers"]

SETTYPE, NULL, INTEGER, AGGREGATE, STRING, CSTRING, DATA = 1, 2, 4, 7, 8, 9, 22
NUMENTRY, TYPE_INTEGER, TYPE_ARRAY, STRUCT_NAME = 1, 7, 11, 19

_BYTE_BITS = 8


@frozen
class Initializer:
    """The bytes of a variable; ``offset`` is that of the first one in the stream where they stand there as they are."""

    data: memoryview
    offset: int | None


@frozen
class _Types:
    """Type ids: of integers of 8 bits, and of arrays of them with their number of elements."""

    bytes: frozenset[int]
    arrays: dict[int, int]


@frozen
class _Constant:
    value_id: int
    type_id: int
    record: Record


@frozen
class _Aggregate:
    """Value ids of an array's elements; ``byte`` is where they stand in the stream."""

    byte: int
    elements: list[int]


def read_initializers(
    constants: Sequence[Block], types: Sequence[Block], first: int, wanted: Collection[int]
) -> dict[int, Initializer]:
    """The wanted constants by value id, those that are there; ``first`` is the value id of the first constant.

    Raises FormatError for one that is not an array of known bytes.
    """
    known_types = _read_types(types)
    found: dict[int, Initializer] = {}
    aggregates: dict[int, _Aggregate] = {}
    for constant in _constants(constants, first):
        if constant.value_id not in wanted:
            continue
        record, size = constant.record, known_types.arrays.get(constant.type_id)
        if size is None:
            raise FormatError("embedded object is initialized with no array of bytes", offset=record.byte)
        if record.code == AGGREGATE:
            aggregates[constant.value_id] = _aggregate(record, size)
        else:
            found[constant.value_id] = _array(record, size)
    if aggregates:
        found.update(_joined(_constants(constants, first), known_types, aggregates))
    return found


def _constants(blocks: Sequence[Block], first: int) -> Iterator[_Constant]:
    value_id, type_id = first, -1
    for block in blocks:
        for _, entry in block.entries():
            if isinstance(entry, Block):
                continue
            if entry.code == SETTYPE:
                type_id = _operand(entry, "SETTYPE")
            else:
                yield _Constant(value_id=value_id, type_id=type_id, record=entry)
                value_id += 1


def _array(record: Record, size: int) -> Initializer:
    if record.code == NULL:
        return Initializer(data=_zeros(record, size), offset=None)
    if record.code not in (STRING, CSTRING, DATA):
        raise FormatError(f"constant {record.code} is not an array of known bytes", offset=record.byte)
    data, offset = record.characters()
    if record.code == CSTRING:
        data, offset = memoryview(bytes(data) + b"\0"), None
    _check_count(record, len(data), size)
    return Initializer(data=data, offset=offset)


def _zeros(record: Record, size: int) -> memoryview:
    if size > BITCODE_ZERO_BYTES:
        what = f"array of {size} bytes is zero without standing in the file; at most {BITCODE_ZERO_BYTES} are read"
        raise FormatError(what, offset=record.byte)
    return _shared_zeros()[:size]


@lru_cache(maxsize=1)
def _shared_zeros() -> memoryview:
    # One for all: a small file may declare any number of such arrays.
    return memoryview(bytes(BITCODE_ZERO_BYTES))


def _aggregate(record: Record, size: int) -> _Aggregate:
    elements = record.operands()
    _check_count(record, len(elements), size)
    return _Aggregate(byte=record.byte, elements=elements)


def _check_count(record: Record, count: int, size: int) -> None:
    if count != size:
        raise FormatError(f"array of {size} bytes is given {count}", offset=record.byte)


def _joined(
    constants: Iterator[_Constant], types: _Types, aggregates: dict[int, _Aggregate]
) -> Iterator[tuple[int, Initializer]]:
    """The arrays whose elements are constants of their own."""
    wanted = {element for aggregate in aggregates.values() for element in aggregate.elements}
    values = {
        constant.value_id: _integer(constant.record)
        for constant in constants
        if constant.value_id in wanted and constant.type_id in types.bytes and constant.record.code in (NULL, INTEGER)
    }
    for value_id, aggregate in aggregates.items():
        missing = next((element for element in aggregate.elements if element not in values), None)
        if missing is not None:
            what = f"value {missing} is an element of an embedded object and no known byte"
            raise FormatError(what, offset=aggregate.byte)
        data = memoryview(bytes(values[element] for element in aggregate.elements))
        yield value_id, Initializer(data=data, offset=None)


def _integer(record: Record) -> int:
    if record.code == NULL:
        return 0
    magnitude, negative = divmod(_operand(record, "INTEGER"), 2)
    return (-magnitude if negative else magnitude) & 0xFF


def _read_types(blocks: Sequence[Block]) -> _Types:
    integers, arrays, count = set[int](), dict[int, tuple[int, int]](), 0
    for block in blocks:
        for _, entry in block.entries():
            if isinstance(entry, Block) or entry.code in (NUMENTRY, STRUCT_NAME):
                continue
            if count == BITCODE_TYPES:
                raise FormatError(f"module has more than {BITCODE_TYPES} types", offset=entry.byte)
            if entry.code == TYPE_INTEGER and _operand(entry, "integer type") == _BYTE_BITS:
                integers.add(count)
            elif entry.code == TYPE_ARRAY:
                arrays[count] = _array_type(entry)
            count += 1
    byte_arrays = {type_id: size for type_id, (size, element) in arrays.items() if element in integers}
    return _Types(bytes=frozenset(integers), arrays=byte_arrays)


def _array_type(record: Record) -> tuple[int, int]:
    operands = record.leading(2)
    if len(operands) < 2:
        raise FormatError(f"array type has {len(operands)} operands; expected 2", offset=record.byte)
    return operands[0], operands[1]


def _operand(record: Record, what: str) -> int:
    operands = record.leading(1)
    if not operands:
        raise FormatError(f"{what} has no operand", offset=record.byte)
    return operands[0]
