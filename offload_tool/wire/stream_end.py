"""Where a compressed stream ends, for containers that do not tell its size."""

from __future__ import annotations

import zlib

from ..errors import FormatError
from .bounded import span
from .inflate import PIECE
from .zstd_blocks import CHECKSUM_BYTES, LONGEST_FRAME_HEADER, is_last_block, zstd_block_end

__all__ = ["zlib_end", "zstd_end"]

_ZLIB_INPUT = 1 << 18


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
        head = bytes(stream[:LONGEST_FRAME_HEADER])
        offset, has_checksum = zstandard.frame_header_size(head), zstandard.get_frame_parameters(head).has_checksum
    except (ValueError, zstandard.ZstdError) as error:
        raise FormatError(f"no sound zstd stream: {error}", offset=0) from None
    is_last = False
    while not is_last:
        begin, offset = offset, zstd_block_end(stream, offset)
        is_last = is_last_block(stream, begin)
    span(stream, offset, CHECKSUM_BYTES * has_checksum, "the checksum of the zstd stream")
    return offset + CHECKSUM_BYTES * has_checksum
