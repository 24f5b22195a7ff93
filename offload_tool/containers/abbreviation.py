"""Abbreviations of an LLVM bitstream: what a record's operands look like in bits.

A definition is the number of operands (VBR5), then for each operand:

| bits | field |
|---|---|
| 1 | 1: a literal, whose value (VBR8) is all that follows; the operand then takes no bits in a record |
| 3 | encoding |
| VBR5 | width, for Fixed and VBR only |

| encoding | number | in a record |
|---|---|---|
| Fixed | 1 | that many bits |
| VBR | 2 | chunks of that many bits |
| Array | 3 | count VBR6, then elements as the definition's last operand says; stands last but one |
| Char6 | 4 | 6 bits: one of ``a-z A-Z 0-9 . _`` |
| Blob | 5 | count VBR6, zeros up to 32 bits, bytes, zeros up to 32 bits; stands last |

The first operand is the record's code.  Source: "LLVM Bitcode File Format" in the LLVM manual.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

from ..errors import FormatError
from ..frozen import frozen
from ..limits import BITCODE_ABBREVIATION_OPERANDS
from .bit_cursor import BitCursor

__all__ = ["UNABBREVIATED", "Abbreviation", "Encoding", "Operand", "read_abbreviation"]

CHAR6 = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"
_WIDEST = 64


class Encoding(IntEnum):
    """How an operand is written; LITERAL has no number of its own, its mark is a bit."""

    LITERAL = 0
    FIXED = 1
    VBR = 2
    ARRAY = 3
    CHAR6 = 4
    BLOB = 5


@frozen
class Operand:
    """One operand: ``value`` is a literal's value, else the width in bits."""

    encoding: Encoding
    value: int = 0

    @property
    def fixed_bits(self) -> int:
        """How many bits it takes in every record; 0 for those whose length varies."""
        return self.value if self.encoding in (Encoding.FIXED, Encoding.CHAR6) else 0

    def read(self, cursor: BitCursor) -> int:
        """The next operand of this form."""
        if self.encoding is Encoding.LITERAL:
            return self.value
        if self.encoding is Encoding.VBR:
            return cursor.vbr(self.value)
        value = cursor.fixed(self.value)
        return CHAR6[value] if self.encoding is Encoding.CHAR6 else value


@frozen
class Abbreviation:
    """``code``, then ``scalars``, then an array of ``element`` or a blob where it has one.

    ``steps`` is how to pass over the scalars: pairs of a number of bits and the width of a VBR after them, or 0.  It
    keeps the work in proportion to a record's bits where literals take none.
    """

    code: Operand
    scalars: tuple[Operand, ...]
    element: Operand | None
    blob: bool
    steps: tuple[tuple[int, int], ...]

    def skip(self, cursor: BitCursor) -> None:
        """Moves over a record from the end of its code to its own end."""
        for fixed_bits, vbr_width in self.steps:
            cursor.skip(fixed_bits)
            if vbr_width:
                cursor.skip_vbrs(vbr_width, 1)
        if self.element is not None and self.element.encoding is Encoding.VBR:
            cursor.skip_vbrs(self.element.value, cursor.vbr(6))
        elif self.element is not None:
            cursor.skip(cursor.vbr(6) * self.element.fixed_bits)
        elif self.blob:
            size = cursor.vbr(6)
            cursor.align_32()
            cursor.skip(size * 8)
            cursor.align_32()

    def operands(self, cursor: BitCursor) -> Iterator[int]:
        """The operands after the code, a blob left out."""
        for operand in self.scalars:
            yield operand.read(cursor)
        if self.element is not None:
            for _ in range(cursor.vbr(6)):
                yield self.element.read(cursor)


_VBR6 = Operand(encoding=Encoding.VBR, value=6)

UNABBREVIATED = Abbreviation(code=_VBR6, scalars=(), element=_VBR6, blob=False, steps=())
"""The form of a record without an abbreviation: code, number of operands and each operand are VBR6."""


def read_abbreviation(cursor: BitCursor) -> Abbreviation:
    """The definition that begins at ``cursor``; raises FormatError where it is none that a record could follow."""
    start, count = cursor.byte, cursor.vbr(5)
    if not 0 < count <= BITCODE_ABBREVIATION_OPERANDS:
        raise FormatError(
            f"abbreviation has {count} operands; expected 1 to {BITCODE_ABBREVIATION_OPERANDS}", offset=start
        )
    operands = [_read_operand(cursor) for _ in range(count)]
    element, blob = None, operands[-1].encoding is Encoding.BLOB
    if blob:
        operands.pop()
    elif len(operands) > 1 and operands[-2].encoding is Encoding.ARRAY:
        element = operands.pop()
        operands.pop()
    if not operands or any(operand.encoding in (Encoding.ARRAY, Encoding.BLOB) for operand in operands):
        raise FormatError("abbreviation has an array or a blob where none can stand", offset=start)
    if element is not None and (element.encoding in (Encoding.LITERAL, Encoding.ARRAY, Encoding.BLOB)):
        raise FormatError(f"abbreviation has an array whose elements are {element.encoding.name!r}", offset=start)
    code, *scalars = operands
    return Abbreviation(code=code, scalars=tuple(scalars), element=element, blob=blob, steps=_steps(scalars))


def _read_operand(cursor: BitCursor) -> Operand:
    if cursor.fixed(1):
        return Operand(encoding=Encoding.LITERAL, value=cursor.vbr(8))
    start, number = cursor.byte, cursor.fixed(3)
    if not Encoding.FIXED <= number <= Encoding.BLOB:
        raise FormatError(f"abbreviation operand has encoding {number}; expected 1 to 5", offset=start)
    encoding = Encoding(number)
    if encoding is Encoding.CHAR6:
        return Operand(encoding=encoding, value=6)
    if encoding not in (Encoding.FIXED, Encoding.VBR):
        return Operand(encoding=encoding)
    width = cursor.vbr(5)
    if width == 0:  # LLVM reads both as a literal 0, and writes a Fixed of no bits for one
        return Operand(encoding=Encoding.LITERAL)
    if width > _WIDEST or (encoding, width) == (Encoding.VBR, 1):
        raise FormatError(f"abbreviation operand is {encoding.name} of {width} bits", offset=start)
    return Operand(encoding=encoding, value=width)


def _steps(scalars: Sequence[Operand]) -> tuple[tuple[int, int], ...]:
    steps, fixed_bits = [], 0
    for operand in scalars:
        fixed_bits += operand.fixed_bits
        if operand.encoding is Encoding.VBR:
            steps.append((fixed_bits, operand.value))
            fixed_bits = 0
    return (*steps, (fixed_bits, 0)) if fixed_bits else tuple(steps)
