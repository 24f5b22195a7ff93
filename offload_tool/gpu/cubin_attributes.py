"""Attributes of a cubin: ``.nv.info``, ``.nv.info.NAME`` and ``.nv.compat`` are lists of them, little-endian.

| offset | type | field |
|---|---|---|
| 0 | u8 | format |
| 1 | u8 | number of the attribute |
| 2 | u16 | format 1: unused; 2: a u8 value and padding; 3: the value; 4: size of the value, which follows |

Source: files of ptxas 11.8, 12.9 and 13.0, and what cuobjdump 13.5 prints of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from re import Match

from ..errors import FormatError
from ..frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Attribute", "attributes", "contents", "first_value"]

_SIZE = 4
_WITH_CONTENT = 4
_USUAL_SIZES = (12, *range(4, 12, 4), *range(16, 52, 4))
"""Bytes of most contents, parameters first."""


@frozen
class Attribute:
    """One attribute: its number, and a ``value`` (formats 2 and 3) or ``content`` (format 4)."""

    number: int
    value: int | None = None
    content: bytes = b""


def attributes(section: memoryview) -> Iterator[Attribute]:
    r"""The attributes in a section's bytes, in their order.

    Raises FormatError, its offset counted from the section, at a format that is not known or where the bytes end early.

    >>> list(attributes(memoryview(b"\x03\x19\x14\x00")))
    [Attribute(number=25, value=20, content=b'')]
    """
    held = bytes(section)
    for offset, end in _extents(held):
        if held[offset] == _WITH_CONTENT:
            yield Attribute(number=held[offset + 1], content=held[offset + _SIZE : end])
        else:
            yield Attribute(number=held[offset + 1], value=_value(held, offset))


def contents(section: memoryview, number: int) -> Iterator[bytes]:
    """The contents of a section's attributes of one number; empty of one with a value.  Raises as ``attributes``."""
    held = bytes(section)
    for offset, end in _extents(held, number):
        yield held[offset + _SIZE : end]


def first_value(section: memoryview, number: int, default: int) -> int | None:
    r"""The value of a section's first attribute of one number; None if it has none, ``default`` without an attribute.

    What follows that attribute is not looked at.  Raises as ``attributes``.

    >>> first_value(memoryview(b"\x03\x1b\xff\x00\x03\x19\x14\x00"), 0x19, 0)
    20
    """
    held = bytes(section)
    found = _first(number)(held)
    if found.end() == len(held) or found[1]:
        return _value(held, found.start(1)) if found[1] else default
    extent = next(_extents(held, number), None)
    return default if extent is None else _value(held, extent[0])


def _extents(held: bytes, only: int | None = None) -> Iterator[tuple[int, int]]:
    """Where the attributes, or those of number ``only``, begin and end."""
    skip = None if only is None else _others(only)
    offset, size = 0, len(held)
    while offset < size:
        if skip is not None:
            offset = skip(held, offset).end()
        begin, offset = offset, _end(held, offset)
        if begin < size and (only is None or held[begin + 1] == only):
            yield begin, offset


def _end(held: bytes, begin: int) -> int:
    """Where the attribute ends that begins there, if one does."""
    size = len(held)
    if begin == size:
        return size
    if begin + _SIZE > size:
        raise FormatError(f"an attribute of the cubin is cut, {size - begin} bytes are left", offset=begin)
    shape, number, value = held[begin], held[begin + 1], held[begin + 2] | held[begin + 3] << 8
    end = begin + _SIZE + (value if shape == _WITH_CONTENT else 0)
    if not 1 <= shape <= _WITH_CONTENT or end > size:
        text = f"attribute {number:#x} of the cubin is damaged: format {shape}, {value}"
        raise FormatError(text, offset=begin + _SIZE)
    return end


@cache
def _others(number: int) -> Callable[[bytes, int], Match[bytes]]:
    """What goes on over attributes of other numbers, and may stop at any: four times as fast as one by one.

    Millions of them stand in one library.  The count is limited since the memory of a match grows with it.
    """
    match: Callable[[bytes, int], Any] = re.compile(_pattern_of_others(number), re.DOTALL).match
    return match


def _pattern_of_others(number: int) -> bytes:
    other = b"[^" + re.escape(bytes([number])) + b"]"
    contents_of = b"|".join(re.escape(bytes([size, 0])) + b".{%d}" % size for size in _USUAL_SIZES)
    return rb"(?:[\x01-\x03]" + other + rb"..|\x04" + other + b"(?:" + contents_of + b")){0,1000}"


@cache
def _first(number: int) -> Callable[[bytes], Match[bytes]]:
    """The same up to the first attribute of that number, which is group 1 if it has a value and follows at once."""
    pattern = _pattern_of_others(number) + rb"([\x01-\x03]" + re.escape(bytes([number])) + b"..)?"
    match: Callable[[bytes], Any] = re.compile(pattern, re.DOTALL).match
    return match


def _value(held: bytes, offset: int) -> int | None:
    shape, value = held[offset], held[offset + 2] | held[offset + 3] << 8
    return (None, value & 0xFF, value, None)[shape - 1]
