"""The LLVM bitstream: blocks and records, read by the abbreviations that the stream itself defines.

Each entry of a block begins with an abbreviation id, as wide as the block says (2 bits at the outermost level):

| id | entry | what follows |
|---|---|---|
| 0 | END_BLOCK | zeros up to a multiple of 32 bits |
| 1 | ENTER_SUBBLOCK | block id VBR8, width of abbreviation ids VBR4, zeros up to 32 bits, length in words (32 bits) |
| 2 | DEFINE_ABBREV | a definition, see ``abbreviation`` |
| 3 | UNABBREV_RECORD | code VBR6, number of operands VBR6, each operand VBR6 |
| 4.. | a record | what the abbreviation of that number says |

Block 0 is BLOCKINFO: after its record SETBID (code 1) its abbreviations belong to every later block of that id.
Source: "LLVM Bitcode File Format" in the LLVM manual, measured with llvm-bcanalyzer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..errors import FormatError
from ..limits import BITCODE_ABBREVIATIONS, BITCODE_OPERANDS, BITCODE_RECORDS
from .abbreviation import UNABBREVIATED, Abbreviation, Encoding, Operand, read_abbreviation
from .bit_cursor import BitCursor

__all__ = ["Block", "Record", "outermost_blocks"]

END_BLOCK, ENTER_SUBBLOCK, DEFINE_ABBREV, UNABBREV_RECORD, FIRST_ABBREVIATION = range(5)
BLOCKINFO = 0
SETBID = 1

_OUTERMOST_WIDTH = 2
_WIDEST_ID = 32
_TAIL = 8
_BYTE = Operand(encoding=Encoding.FIXED, value=8)


class Record:
    """One record: ``code`` and, decoded when asked for, its operands; ``byte`` is where these begin in the stream.

    Making one goes over all its bits, so that they are known to be there.
    """

    __slots__ = ("_abbreviation", "_cursor", "code")

    def __init__(self, cursor: BitCursor, abbreviation: Abbreviation) -> None:
        self._abbreviation = abbreviation
        self.code = abbreviation.code.read(cursor)
        start = cursor.position
        abbreviation.skip(cursor)
        self._cursor = BitCursor(cursor.data, start, cursor.position)

    @property
    def byte(self) -> int:
        """The offset in the stream of the byte where the operands begin."""
        return self._cursor.byte

    def leading(self, count: int) -> list[int]:
        """The first ``count`` operands after the code, fewer if there are fewer.

        What a record is asked for again and again is read so: literals take no bits, so that a record of some bits may
        have a thousand operands.
        """
        return list(islice(self._abbreviation.operands(self._again()), count))

    def operands(self) -> list[int]:
        """The operands after the code, a blob left out; raises FormatError if there are more than is sensible."""
        values: list[int] = []
        for value in self._abbreviation.operands(self._again()):
            if len(values) == BITCODE_OPERANDS:
                raise FormatError(f"record has more than {BITCODE_OPERANDS} operands", offset=self.byte)
            values.append(value)
        return values

    def characters(self) -> tuple[memoryview, int | None]:
        """The operands after the code as bytes, and their offset in the stream if that is where these bytes stand.

        Raises FormatError for an operand above 255.
        """
        cursor = self._again()
        if self._abbreviation.element == _BYTE and not self._abbreviation.scalars:
            return _bytes_at(cursor, cursor.vbr(6))
        values = bytearray()
        for value in self._abbreviation.operands(cursor):
            if value > 0xFF:
                raise FormatError(f"character {value} is not a byte", offset=cursor.byte)
            values.append(value)
        return memoryview(bytes(values)), None

    def scalars_and_blob(self) -> tuple[list[int], memoryview]:
        """The operands after the code, and the bytes of the blob; raises FormatError if it has none."""
        if not self._abbreviation.blob:
            raise FormatError(f"record {self.code} has no blob", offset=self.byte)
        cursor = self._again()
        values = [operand.read(cursor) for operand in self._abbreviation.scalars]
        size = cursor.vbr(6)
        cursor.align_32()
        return values, cursor.data[cursor.byte : cursor.byte + size]

    def _again(self) -> BitCursor:
        return BitCursor(self._cursor.data, self._cursor.position, self._cursor.end)


class Block:
    """A block, ``block_id`` of it; its entries are read by ``entries``, and one that nobody asks for costs nothing.

    The blocks inside one outermost block share what its BLOCKINFO says.
    """

    __slots__ = ("_abbreviations", "_block_info", "_defined", "_inherited", "_width", "_within", "block_id")

    def __init__(self, cursor: BitCursor, block_info: dict[int, list[Abbreviation]]) -> None:
        start = cursor.byte
        self.block_id, self._width = cursor.vbr(8), cursor.vbr(4)
        if not _OUTERMOST_WIDTH <= self._width <= _WIDEST_ID:
            raise FormatError(
                f"block {self.block_id} has abbreviation ids of {self._width} bits; "
                f"expected {_OUTERMOST_WIDTH} to {_WIDEST_ID}", offset=start,
            )  # fmt: skip
        cursor.align_32()
        size = cursor.fixed(32) * 32
        begin = cursor.position
        cursor.skip(size)
        self._within, self._block_info = BitCursor(cursor.data, begin, cursor.position), block_info
        self._inherited = len(block_info.get(self.block_id, ()))  # a later BLOCKINFO counts for later blocks only
        self._abbreviations: list[Abbreviation] = []
        self._defined: list[Abbreviation] | None = None

    @property
    def byte(self) -> int:
        """The offset in the stream of the block's first byte after its length."""
        return self._within.byte

    def entries(self) -> Iterator[tuple[int, Block | Record]]:
        """The records and blocks in it, in order, each with the position that ``record_at`` takes.

        Raises FormatError where the bits are no such entries.  BLOCKINFO is taken in, not given.
        """
        self._abbreviations = self._defined = self._block_info.get(self.block_id, [])[: self._inherited]
        for position, entry in self._walk():
            if isinstance(entry, Block) and entry.block_id == BLOCKINFO:
                entry.take_block_info()
            else:
                yield position, entry

    def record_at(self, position: int) -> Record:
        """The record at a position that ``entries`` gave; abbreviations keep their ids, so it reads as it did then."""
        cursor = BitCursor(self._within.data, position, self._within.end)
        return self._record(cursor, cursor.fixed(self._width))

    def take_block_info(self) -> None:
        """Reads the block as BLOCKINFO: files its abbreviations under the block ids that its records set."""
        self._abbreviations, self._defined = [], None
        for _, entry in self._walk():
            if isinstance(entry, Record) and entry.code == SETBID:
                block_id = entry.leading(1)
                if not block_id:
                    raise FormatError("BLOCKINFO record SETBID has no block id", offset=entry.byte)
                self._defined = self._block_info.setdefault(block_id[0], [])

    def _walk(self) -> Iterator[tuple[int, Block | Record]]:
        cursor = BitCursor(self._within.data, self._within.position, self._within.end)
        for _ in range(BITCODE_RECORDS):
            position = cursor.position
            abbreviation_id = cursor.fixed(self._width)
            if abbreviation_id >= UNABBREV_RECORD:
                yield position, self._record(cursor, abbreviation_id)
            elif abbreviation_id == ENTER_SUBBLOCK:
                yield position, Block(cursor, self._block_info)
            elif abbreviation_id == DEFINE_ABBREV:
                self._define(cursor)
            else:
                self._check_end(cursor)
                return
        raise FormatError(f"block {self.block_id} has more than {BITCODE_RECORDS} entries", offset=self.byte)

    def _record(self, cursor: BitCursor, abbreviation_id: int) -> Record:
        index = abbreviation_id - FIRST_ABBREVIATION
        if index >= len(self._abbreviations):
            what = f"abbreviation id {abbreviation_id} is not defined in block {self.block_id}"
            raise FormatError(what, offset=cursor.byte)
        return Record(cursor, self._abbreviations[index] if index >= 0 else UNABBREVIATED)

    def _define(self, cursor: BitCursor) -> None:
        if self._defined is None:
            raise FormatError("BLOCKINFO defines an abbreviation before it names a block", offset=cursor.byte)
        if len(self._defined) >= BITCODE_ABBREVIATIONS:
            what = f"block {self.block_id} defines more than {BITCODE_ABBREVIATIONS} abbreviations"
            raise FormatError(what, offset=cursor.byte)
        self._defined.append(read_abbreviation(cursor))

    def _check_end(self, cursor: BitCursor) -> None:
        cursor.align_32()
        if cursor.position != cursor.end:
            what = f"block {self.block_id} ends {(cursor.end - cursor.position) // 8} bytes before the end it claims"
            raise FormatError(what, offset=cursor.byte)


def outermost_blocks(data: memoryview, start: int) -> Iterator[Block]:
    """The blocks of the stream ``data`` from byte ``start`` on, each with a BLOCKINFO of its own.

    Up to 8 bytes after the last block are passed over, as LLVM does: some archivers pad members.  Raises FormatError
    where something else than a block stands.
    """
    cursor = BitCursor(data, start * 8, len(data) * 8)
    while cursor.byte + _TAIL < len(data):
        abbreviation_id = cursor.fixed(_OUTERMOST_WIDTH)
        if abbreviation_id != ENTER_SUBBLOCK:
            raise FormatError(f"bitstream has entry {abbreviation_id} where a block must begin", offset=cursor.byte)
        yield Block(cursor, {})


def _bytes_at(cursor: BitCursor, size: int) -> tuple[memoryview, int | None]:
    if cursor.position % 8 == 0:
        return cursor.data[cursor.byte : cursor.byte + size], cursor.byte
    return memoryview(cursor.fixed(size * 8).to_bytes(size, "little")), None
