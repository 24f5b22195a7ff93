"""The one place that takes numbers and strings out of bytes that nobody vouches for."""

from __future__ import annotations

from struct import Struct

from ..errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["align_up", "c_string", "skip_zeros", "span", "unpack"]

_ZERO_BLOCK = bytes(1 << 16)
_SHORT_STRING = 256
"""Bytes that are looked at first: nearly every string ends within them."""


def align_up(value: int, alignment: int) -> int:
    """The smallest multiple of ``alignment`` (a power of two) that is not below ``value``.

    >>> align_up(41, 8)
    48
    """
    return (value + alignment - 1) & -alignment


def span(data: memoryview, offset: int, size: int, what: str) -> memoryview:
    """``size`` bytes of ``data`` from ``offset``; raises FormatError, naming ``what``, if they are not all there."""
    if offset > len(data) or size > len(data) - offset:
        raise FormatError(
            f"{what} needs bytes {offset} to {offset + size} of {len(data)}", offset=min(offset, len(data))
        )
    return data[offset : offset + size]


def unpack(layout: Struct, data: memoryview, offset: int, what: str) -> tuple[Any, ...]:
    """The fields of ``layout`` at ``offset``; raises FormatError, naming ``what``, if the bytes are not there."""
    return layout.unpack(span(data, offset, layout.size, what))


def c_string(data: memoryview, offset: int, limit: int, what: str) -> bytes:
    """The bytes from ``offset`` up to the next NUL, which must come within ``limit`` bytes."""
    if offset >= len(data):
        raise FormatError(f"{what} begins at byte {offset} of {len(data)}", offset=min(offset, len(data)))
    for size in (_SHORT_STRING, limit + 1):
        text, nul, _ = bytes(data[offset : offset + size]).partition(b"\0")
        if nul:
            return text
    raise FormatError(f"{what} has no NUL within {limit} bytes", offset=offset)


def skip_zeros(data: memoryview, offset: int, step: int) -> int:
    """The first multiple of ``step`` bytes on from ``offset`` where something else than zero stands, or the end."""
    while offset < len(data) and data[offset : offset + len(_ZERO_BLOCK)] == _ZERO_BLOCK[: len(data) - offset]:
        offset = min(offset + len(_ZERO_BLOCK), len(data))
    while offset < len(data) and data[offset : offset + step] == _ZERO_BLOCK[: min(step, len(data) - offset)]:
        offset = min(offset + step, len(data))
    return offset
