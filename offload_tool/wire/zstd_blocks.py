"""The blocks of a zstd frame.

A frame is its header, then blocks, each with three bytes before it, then a checksum if the header says so:

| bits | field of a block's header, little-endian |
|---|---|
| 0 | 1 on the last block |
| 1, 2 | 0: raw; 1: one byte that is repeated; 2: compressed; 3: reserved |
| 3 to 23 | bytes of the block as stored; of repeated ones, as decoded |

Source: RFC 8878, section 3.1.1.
"""

from __future__ import annotations

from ..errors import FormatError
from .bounded import span

__all__ = ["BLOCK_BYTES", "CHECKSUM_BYTES", "LONGEST_FRAME_HEADER", "is_last_block", "zstd_block_end"]

BLOCK_BYTES = 128 << 10
"""Bytes that a block stands for at most."""
CHECKSUM_BYTES = 4
LONGEST_FRAME_HEADER = 18

_BLOCK_HEADER = 3
_LAST = 1
_REPEATED, _RESERVED = 1, 3


def zstd_block_end(stream: memoryview, offset: int) -> int:
    """Where the block of a zstd frame ends that begins at ``offset``; raises FormatError where it is none, or cut."""
    block = int.from_bytes(span(stream, offset, _BLOCK_HEADER, "a block of the zstd stream"), "little")
    kind, size = block >> 1 & 3, block >> 3
    if kind == _RESERVED:
        raise FormatError("no sound zstd stream: a block of the reserved kind 3", offset=offset)
    stored = 1 if kind == _REPEATED else size
    span(stream, offset + _BLOCK_HEADER, stored, "a block of the zstd stream")
    return offset + _BLOCK_HEADER + stored


def is_last_block(stream: memoryview, offset: int) -> bool:
    """Whether the block that begins at ``offset``, found to be one, is the last of its frame."""
    return bool(stream[offset] & _LAST)
