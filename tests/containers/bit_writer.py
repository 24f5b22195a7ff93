"""Writes LLVM bitstreams bit by bit, for modules that LLVM reads but its own writer never makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

LITERAL, FIXED, VBR, ARRAY, CHAR6, BLOB = range(6)
MAGIC = b"BC\xc0\xde"


class BitWriter:
    """Bits from the low end of each byte; abbreviation ids are as wide as the block that is open."""

    def __init__(self, start: bytes = MAGIC) -> None:
        self.done = bytearray(start)
        self.pending = self.pending_bits = 0
        self.width = 2

    def fixed(self, value: int, width: int) -> None:
        self.pending |= value << self.pending_bits
        self.pending_bits += width
        whole = self.pending_bits // 8
        self.done += (self.pending & ((1 << whole * 8) - 1)).to_bytes(whole, "little")
        self.pending >>= whole * 8
        self.pending_bits -= whole * 8

    def vbr(self, value: int, width: int) -> None:
        more = 1 << (width - 1)
        while value >= more:
            self.fixed(value & (more - 1) | more, width)
            value >>= width - 1
        self.fixed(value, width)

    def align(self) -> None:
        self.fixed(0, -(len(self.done) * 8 + self.pending_bits) % 32)

    @contextmanager
    def block(self, block_id: int, width: int = 3) -> Iterator[None]:
        self.fixed(1, self.width)
        self.vbr(block_id, 8)
        self.vbr(width, 4)
        self.align()
        start = len(self.done)
        self.fixed(0, 32)
        outer, self.width = self.width, width
        yield
        self.fixed(0, width)
        self.align()
        self.width = outer
        self.done[start : start + 4] = ((len(self.done) - start) // 4 - 1).to_bytes(4, "little")

    def record(self, code: int, operands: Sequence[int] = ()) -> None:
        self.fixed(3, self.width)
        for number in (code, len(operands), *operands):
            self.vbr(number, 6)

    def define(self, *operands: tuple[int, int]) -> None:
        self.fixed(2, self.width)
        self.vbr(len(operands), 5)
        for encoding, value in operands:
            self.fixed(encoding == LITERAL, 1)
            if encoding == LITERAL:
                self.vbr(value, 8)
                continue
            self.fixed(encoding, 3)
            if encoding in (FIXED, VBR):
                self.vbr(value, 5)

    def blob(self, content: bytes) -> None:
        self.vbr(len(content), 6)
        self.align()
        self.done += content
        self.align()
