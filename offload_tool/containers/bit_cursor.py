"""A place among the bits of an LLVM bitstream; bits count from 0, from the low end of each byte.

A VBR of width *n* is a row of *n*-bit chunks, low bits first; the top bit of a chunk says that another follows.
"""

from __future__ import annotations

from functools import lru_cache

from ..errors import FormatError

__all__ = ["BitCursor"]

_WIDEST_NUMBER = 64
_WINDOW = 512


class BitCursor:
    """``position`` among the bits of ``data``; it never passes ``end``, FormatError is raised instead.

    >>> cursor = BitCursor(memoryview(b"BC"), 0, 16)
    >>> cursor.fixed(8), cursor.vbr(4)
    (66, 3)
    """

    __slots__ = ("data", "end", "position")

    def __init__(self, data: memoryview, position: int, end: int) -> None:
        self.data, self.position, self.end = data, position, end

    @property
    def byte(self) -> int:
        """The offset of the byte that the next bit is in: what a FormatError tells."""
        return self.position >> 3

    def fixed(self, width: int) -> int:
        """The number in the next ``width`` bits."""
        start = self.position
        self.skip(width)
        word = int.from_bytes(self.data[start >> 3 : (self.position + 7) >> 3], "little")
        return word >> (start & 7) & ((1 << width) - 1)

    def vbr(self, width: int) -> int:
        """The number in the next VBR of chunks of ``width`` bits; it has 64 bits at most."""
        start, more = self.byte, 1 << (width - 1)
        value = shift = 0
        while (chunk := self.fixed(width)) >= more and shift < _WIDEST_NUMBER:
            value |= (chunk - more) << shift
            shift += width - 1
        value |= chunk << shift
        if value >> _WIDEST_NUMBER:
            raise FormatError(f"VBR{width} number has more than {_WIDEST_NUMBER} bits", offset=start)
        return value

    def skip(self, bits: int) -> None:
        """Moves on by ``bits``."""
        if bits > self.end - self.position:
            raise FormatError(
                f"bitstream needs {bits} bits where its block has {self.end - self.position} left", offset=self.byte
            )
        self.position += bits

    def skip_vbrs(self, width: int, count: int) -> None:
        """Moves on over ``count`` numbers, all of the same width."""
        if count * width > self.end - self.position:
            self.skip(count * width)
        # A row of as many chunks as numbers are left holds no more numbers than that: it never reaches too far.
        while count:
            chunks = min(count, _WINDOW)
            count -= chunks - (self.fixed(chunks * width) & _top_bits(width, chunks)).bit_count()

    def align_32(self) -> None:
        """Moves on to a multiple of 32 bits."""
        self.skip(-self.position % 32)


@lru_cache(maxsize=1024)
def _top_bits(width: int, chunks: int) -> int:
    """The top bit of each of ``chunks`` chunks of ``width`` bits."""
    return ((1 << width * chunks) - 1) // ((1 << width) - 1) << (width - 1)
