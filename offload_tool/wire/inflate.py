"""Compressed streams, inflated piece by piece: never more than was declared, and memory does not grow with it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from ..errors import FormatError
from .zstd_blocks import BLOCK_BYTES, CHECKSUM_BYTES, LONGEST_FRAME_HEADER, is_last_block, zstd_block_end

__all__ = ["PIECE", "ZSTD_MAGIC", "ZSTD_WINDOW", "exactly", "inflated", "zlib_pieces", "zstd_pieces"]

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_WINDOW = 1 << 27
"""The largest window of a zstd stream that is taken whatever the size that is declared: zstd's own default."""
PIECE = 1 << 20
"""Bytes of a piece where the codec leaves that free."""

_ZLIB_INPUT = 1 << 18
_REFUSED = 1 << 10
"""Bytes that a zstd decoder is given of what is no frame or no block, so that it says what is wrong."""


def inflated(stream: memoryview, size: int) -> Iterator[bytes]:
    """The ``size`` bytes that a zlib or zstd stream holds, in pieces.

    Raises FormatError, with an offset in the stream, where it is damaged, ends early, or holds more or fewer bytes.
    """
    return exactly(zstd_pieces(stream) if stream[:4] == ZSTD_MAGIC else zlib_pieces(stream), size)


def exactly(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The pieces; raises FormatError as soon as they are more than ``size`` bytes, or at their end if fewer."""
    left = size
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise FormatError(f"the compressed stream holds more than the declared {size} bytes", offset=0)
        yield piece
    if left:
        raise FormatError(f"the compressed stream holds {size - left} bytes, {size} are declared", offset=0)


def zlib_pieces(stream: memoryview, largest: int = PIECE) -> Iterator[bytes]:
    """What a zlib stream holds, at most ``largest`` bytes a piece; raises FormatError as ``inflated``."""
    inflater = zlib.decompressobj()
    position = 0
    waiting: bytes | memoryview = b""
    try:
        while not inflater.eof:
            if not waiting:
                waiting = stream[position : position + _ZLIB_INPUT]
                position += len(waiting)
            if not waiting:
                yield inflater.flush()
                break
            yield inflater.decompress(waiting, largest)
            waiting = inflater.unconsumed_tail
    except zlib.error as error:
        raise FormatError(f"no sound zlib stream: {error}", offset=0) from None
    _check_end(stream, position, eof=inflater.eof, unused=len(inflater.unused_data))


def zstd_pieces(stream: memoryview, window: int = ZSTD_WINDOW) -> Iterator[bytes]:
    """What one zstd frame holds, whose window is at most ``window`` bytes; raises FormatError as ``inflated``."""
    try:
        import zstandard
    except ImportError:
        raise FormatError("a zstd stream needs the package zstandard; pip install zstandard", offset=0) from None
    # A decompression object, not a one-shot call: that one trusts the size in the frame over any limit.
    inflater = zstandard.ZstdDecompressor(max_window_size=window).decompressobj()
    position = 0
    try:
        while not inflater.eof and position < len(stream):
            end = _blocks_end(stream, position) if position else _zstd_header_end(stream)
            piece, position = stream[position:end], end
            yield inflater.decompress(piece)
    except zstandard.ZstdError as error:
        raise FormatError(f"no sound zstd stream: {error}", offset=0) from None
    _check_end(stream, position, eof=inflater.eof, unused=len(inflater.unused_data))


def _zstd_header_end(stream: memoryview) -> int:
    import zstandard

    try:
        return zstandard.frame_header_size(bytes(stream[:LONGEST_FRAME_HEADER]))
    except zstandard.ZstdError:
        return min(_REFUSED, len(stream))


def _blocks_end(stream: memoryview, position: int) -> int:
    """Where the blocks from ``position`` on end that stand for a piece; behind the last one is room for a checksum."""
    end = position
    for _ in range(PIECE // BLOCK_BYTES):
        try:
            begin, end = end, zstd_block_end(stream, end)
        except FormatError:
            return end if end > position else min(position + _REFUSED, len(stream))
        if is_last_block(stream, begin):
            return min(end + CHECKSUM_BYTES, len(stream))
    return end


def _check_end(stream: memoryview, position: int, *, eof: bool, unused: int) -> None:
    if not eof:
        raise FormatError("the compressed stream ends early", offset=len(stream))
    if unused or position < len(stream):
        raise FormatError("bytes follow the compressed stream", offset=position - unused)
