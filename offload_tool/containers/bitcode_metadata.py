"""Metadata of an LLVM module: which values ``llvm.embedded.objects`` lists for the section ``.llvm.offloading``.

Metadata is numbered in the order of its records; STRINGS defines as many as its first operand says, NAME, KIND,
NAMED_NODE, GLOBAL_DECL_ATTACHMENT, INDEX and the like none, every other record one.

| record | code | operands |
|---|---|---|
| STRING_OLD | 1 | the characters |
| VALUE | 2 | type, value id |
| NODE, DISTINCT_NODE | 3, 5 | metadata id + 1, or 0 for none, of each operand |
| NAME | 4 | the characters; the NAMED_NODE that it names comes next |
| NAMED_NODE | 10 | metadata id of each node |
| STRINGS | 35 | count, offset of the characters in the blob; the blob begins with a VBR6 length for each string |

Source: ``llvm/Bitcode/LLVMBitCodes.h`` of LLVM 16 to 22, measured with llvm-bcanalyzer.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ..errors import FormatError
from ..limits import BITCODE_OBJECTS
from .bit_cursor import BitCursor
from .bitstream import Block, Record

__all__ = ["EMBEDDED_OBJECTS", "OFFLOADING_SECTION", "embedded_objects"]

EMBEDDED_OBJECTS = b"llvm.embedded.objects"
OFFLOADING_SECTION = b".llvm.offloading"

STRING_OLD, VALUE, NODE, NAME, DISTINCT_NODE, KIND = range(1, 7)
NAMED_NODE, ATTACHMENT, STRINGS, GLOBAL_DECL_ATTACHMENT, INDEX_OFFSET, INDEX = 10, 11, 35, 36, 38, 39

_UNNUMBERED = frozenset((NAME, KIND, NAMED_NODE, ATTACHMENT, GLOBAL_DECL_ATTACHMENT, INDEX_OFFSET, INDEX))
_LOOKED_UP = frozenset((STRING_OLD, VALUE, NODE, DISTINCT_NODE, STRINGS))


def embedded_objects(blocks: Sequence[Block]) -> Iterator[int]:
    """Value ids that the nodes of ``llvm.embedded.objects`` give with the section ``.llvm.offloading``, each once.

    ``blocks`` are the METADATA blocks of one module.  Nodes of another form are passed over, as LLVM does.  Raises
    FormatError where a node or what it refers to is not there.
    """
    metadata = _Metadata(blocks)
    if len(metadata.listed) > BITCODE_OBJECTS:
        what = f"module lists more than {BITCODE_OBJECTS} embedded objects"
        raise FormatError(what, offset=blocks[0].byte)
    nodes = dict.fromkeys(metadata.listed)
    values = dict.fromkeys(metadata.value_in_section(node, OFFLOADING_SECTION) for node in nodes)
    return (value for value in values if value is not None)


class _Metadata:
    """The metadata of a module by id; only positions of records are kept, since there may be millions."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.listed: list[int] = []
        self._blocks, self._end = blocks, 0
        self._ids, self._positions, self._block_indices = array("Q"), array("Q"), array("Q")
        self._strings: dict[int, _Strings] = {}
        self._compared: dict[int, bool] = {}  # any number of nodes may share a long string or a long record
        self._value_ids: dict[int, int | None] = {}
        for index, block in enumerate(blocks):
            self._take(block, index)

    def value_in_section(self, node: int, section: bytes) -> int | None:
        """The value id that is a node's first operand, if its second one is the string ``section``."""
        record, _ = self._record(node)
        if record is None or record.code not in (NODE, DISTINCT_NODE):
            return None
        operands = record.leading(2)
        if len(operands) < 2 or 0 in operands:
            return None
        value, text = (operand - 1 for operand in operands)
        if text not in self._compared:
            self._compared[text] = self._string(text) == section
        if not self._compared[text]:
            return None
        if value not in self._value_ids:
            self._value_ids[value] = self._value_id(value)
        return self._value_ids[value]

    def _take(self, block: Block, index: int) -> None:
        name_matches = False
        for position, entry in block.entries():
            if not isinstance(entry, Record):
                continue
            if entry.code == NAMED_NODE and name_matches:
                self.listed += entry.leading(BITCODE_OBJECTS + 1 - len(self.listed))
            name_matches = entry.code == NAME and entry.leading(len(EMBEDDED_OBJECTS) + 1) == list(EMBEDDED_OBJECTS)
            if entry.code in _LOOKED_UP:
                self._ids.append(self._end)
                self._positions.append(position)
                self._block_indices.append(index)
            if entry.code not in _UNNUMBERED:
                self._end += _string_counts(entry)[0] if entry.code == STRINGS else 1

    def _record(self, number: int) -> tuple[Record | None, int]:
        """The record that defines a metadata id and which of its strings that is; None for one of no use here."""
        if number >= self._end:
            raise FormatError(f"metadata {number} is referred to, {self._end} are there", offset=self._blocks[0].byte)
        index = bisect_right(self._ids, number) - 1
        if index < 0:
            return None, 0
        record = self._blocks[self._block_indices[index]].record_at(self._positions[index])
        inner = number - self._ids[index]
        return (record if inner == 0 or record.code == STRINGS else None), inner

    def _value_id(self, number: int) -> int | None:
        record, _ = self._record(number)
        if record is None or record.code != VALUE:
            return None
        operands = record.leading(3)
        if len(operands) != 2:
            raise FormatError(f"metadata VALUE has {len(operands)} operands; expected 2", offset=record.byte)
        return operands[1]

    def _string(self, number: int) -> bytes | None:
        record, inner = self._record(number)
        if record is not None and record.code == STRING_OLD:
            return bytes(record.characters()[0])
        if record is None or record.code != STRINGS:
            return None
        first = number - inner
        if first not in self._strings:
            self._strings[first] = _Strings(record)
        return self._strings[first].string(inner)


class _Strings:
    """The strings of one record STRINGS: their characters and where each ends."""

    def __init__(self, record: Record) -> None:
        count, offset, blob = _string_counts(record)
        self._characters, self._ends, end = blob[offset:], array("Q"), 0
        lengths = BitCursor(blob, 0, offset * 8)
        for _ in range(count):
            end += self._length(lengths, record)
            if end > len(self._characters):
                what = f"metadata strings claim {end} characters and more, {len(self._characters)} are there"
                raise FormatError(what, offset=record.byte)
            self._ends.append(end)

    @staticmethod
    def _length(lengths: BitCursor, record: Record) -> int:
        try:
            return lengths.vbr(6)
        except FormatError as error:  # it counts from the blob
            raise FormatError(f"length of a metadata string: {error.what}", offset=record.byte) from None

    def string(self, index: int) -> bytes | None:
        """One string, or None if there are not so many."""
        if index >= len(self._ends):
            return None
        start = self._ends[index - 1] if index else 0
        return bytes(self._characters[start : self._ends[index]])


def _string_counts(record: Record) -> tuple[int, int, memoryview]:
    """Number of strings, offset of their characters in the blob, and the blob."""
    scalars, blob = record.scalars_and_blob()
    if len(scalars) != 2:
        raise FormatError(f"metadata strings have {len(scalars)} operands; expected 2", offset=record.byte)
    count, offset = scalars
    if offset > len(blob) or count * 6 > offset * 8:
        what = f"metadata claims {count} strings whose lengths take {offset} of {len(blob)} bytes"
        raise FormatError(what, offset=record.byte)
    return count, offset, blob
