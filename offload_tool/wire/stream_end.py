"""Where a compressed stream ends, for containers that do not tell its size.

A zstd frame is its header, then blocks, each with three bytes before it, then a checksum if the header says so:

| bits | field of a block's header, little-endian |
|---|---|
| 0 | 1 on the last block |
| 1, 2 | 0: raw; 1: one byte that is repeated; 2: compressed; 3: reserved |
| 3 to 23 | bytes of the block as stored; of repeated ones, as decoded |

Source: RFC 8878, section 3.1.1.
"""

from __future__ import annotations

import zlib

from ..errors import FormatError
from .bounded import span
from .inflate import PIECE

__all__ = ["zlib_end", "zstd_block_end", "zstd_end"]

_ZLIB_INPUT = 1 << 18
_LONGEST_FRAME_HEADER = 18
_BLOCK_HEADER = 3
_CHECKSUM = 4
_LAST = 1
_REPEATED, _RESERVED = 1, 3


def zlib_end(stream: memoryview, size: int) -> int:
    """The length of the zlib stream that ``stream`` begins with, found by decoding at most ``size`` bytes.

    Raises FormatError where it is damaged, ends early or holds more.
    """
    inflater = zlib.decompressobj()
    taken, left, decoded = 0, size, 1
    try:
        while not inflater.eof and (taken < len(stream) or decoded):
            given = stream[taken : taken + _ZLIB_INPUT]
            decoded = len(inflater.decompress(given, PIECE))
            left -= decoded
            if left < 0:
                raise FormatError(f"the compressed stream holds more than the declared {size} bytes", offset=taken)
            # At the end both hold the bytes that follow.
            left_over = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            taken += len(given) - len(left_over)
    except zlib.error as error:
        raise FormatError(f"no sound zlib stream: {error}", offset=taken) from None
    if not inflater.eof:
        raise FormatError("the compressed stream ends early", offset=len(stream))
    return taken


def zstd_end(stream: memoryview) -> int:
    """The length of the zstd frame that ``stream`` begins with, found by the sizes of its blocks.

    Raises FormatError where it is no frame, or ends early.  Nothing is decoded.
    """
    try:
        import zstandard
    except ImportError:
        raise FormatError("a zstd stream needs the package zstandard; pip install zstandard", offset=0) from None
    try:
        head = bytes(stream[:_LONGEST_FRAME_HEADER])
        offset, has_checksum = zstandard.frame_header_size(head), zstandard.get_frame_parameters(head).has_checksum
    except (ValueError, zstandard.ZstdError) as error:
        raise FormatError(f"no sound zstd stream: {error}", offset=0) from None
    is_last = False
    while not is_last:
        begin, offset = offset, zstd_block_end(stream, offset)
        is_last = bool(stream[begin] & _LAST)
    span(stream, offset, _CHECKSUM * has_checksum, "the checksum of the zstd stream")
    return offset + _CHECKSUM * has_checksum


def zstd_block_end(stream: memoryview, offset: int) -> int:
    """Where the block of a zstd frame ends that begins at ``offset``; raises FormatError where it is none, or cut."""
    block = int.from_bytes(span(stream, offset, _BLOCK_HEADER, "a block of the zstd stream"), "little")
    kind, size = block >> 1 & 3, block >> 3
    if kind == _RESERVED:
        raise FormatError("no sound zstd stream: a block of the reserved kind 3", offset=offset)
    stored = 1 if kind == _REPEATED else size
    span(stream, offset + _BLOCK_HEADER, stored, "a block of the zstd stream")
    return offset + _BLOCK_HEADER + stored
