"""LZ4: raw blocks, as a whole or only their first bytes, and frames.

A block is a row of sequences:

| part | field |
|---|---|
| token, u8 | high half: length of the literals; low half: length of the match, less 4 |
| u8, repeated | where a half is 15: bytes to add to it, the last one is less than 255 |
| bytes | the literals |
| u16, little-endian | how far back the match begins, from 1 |

The lengths of the match follow its distance.  The last sequence ends after its literals.

Source: "LZ4 Block Format Description" and "LZ4 Frame Format Description" of the LZ4 project.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import FormatError
from ..limits import LZ4_BLOCK_BYTES
from .inflate import PIECE

__all__ = ["LZ4_RATIO", "block", "block_head", "frame_pieces"]

LZ4_RATIO = 255
"""Bytes that one byte of LZ4 can stand for at most."""

_LEAST_MATCH = 4
_LARGE_HEAD = 1 << 16
"""A head up to this is decoded by hand; it is also how far back a match can begin."""
_INPUT = 1 << 16
_MISSING = "LZ4 needs the package lz4; pip install lz4"


def block(stream: memoryview, size: int) -> bytes:
    """The ``size`` bytes of a raw block, which is all of ``stream``; raises FormatError if they are not what it holds.

    A block knows no pieces: the memory is taken at once, so the size is checked against the stream before.
    """
    if size > min(LZ4_RATIO * len(stream), LZ4_BLOCK_BYTES):
        raise FormatError(f"{len(stream)} bytes of LZ4 cannot hold the declared {size} bytes", offset=0)
    try:
        import lz4.block
    except ImportError:
        raise FormatError(_MISSING, offset=0) from None
    try:
        found: bytes = lz4.block.decompress(stream, uncompressed_size=size)
    except lz4.block.LZ4BlockError:
        raise FormatError(f"no sound LZ4 block of {size} bytes", offset=0) from None
    if len(found) != size:
        raise FormatError(f"the LZ4 block holds {len(found)} bytes, {size} are declared", offset=0)
    return found


def block_head(stream: memoryview, size: int, wanted: int) -> bytes:
    r"""The first ``wanted`` of the ``size`` bytes of a raw block; FormatError if it has fewer or is damaged so far.

    The rest is not decoded, nor is memory taken for it.

    >>> block_head(memoryview(b"\x1fa\x01\x00\x05..."), 100, 9)
    b'aaaaaaaaa'
    """
    if size > LZ4_RATIO * len(stream):
        raise FormatError(f"{len(stream)} bytes of LZ4 cannot hold the declared {size} bytes", offset=0)
    if wanted > _LARGE_HEAD:
        return block(stream, size)[:wanted]
    found = bytearray()
    position = 0
    try:
        while len(found) < wanted:
            position = _sequence(stream, position, found, size)
    except IndexError:
        raise FormatError(f"the LZ4 block ends after {len(found)} bytes, {size} are declared", offset=0) from None
    return bytes(found[:wanted])


def frame_pieces(stream: memoryview, largest: int = PIECE) -> Iterator[bytes]:
    """What one LZ4 frame holds, at most ``largest`` bytes a piece.

    Raises FormatError, with an offset in the stream, where it is damaged, ends early or is followed by more bytes.
    """
    try:
        import lz4.frame
    except ImportError:
        raise FormatError(_MISSING, offset=0) from None
    inflater = lz4.frame.LZ4FrameDecompressor()
    position = 0
    try:
        while not inflater.eof:
            given = stream[position : position + _INPUT] if inflater.needs_input else b""
            if inflater.needs_input and not given:
                raise FormatError("the compressed stream ends early", offset=len(stream))
            position += len(given)
            yield inflater.decompress(given, largest)
    except RuntimeError as error:
        raise FormatError(f"no sound LZ4 frame: {error}", offset=0) from None
    unused = len(inflater.unused_data or b"")
    if unused or position < len(stream):
        raise FormatError("bytes follow the compressed stream", offset=position - unused)


def _sequence(stream: memoryview, position: int, found: bytearray, size: int) -> int:
    """Adds what one sequence stands for, at most ``_LARGE_HEAD`` bytes a part; gives where the next one begins."""
    token = stream[position]
    literals, position = _length(stream, position + 1, token >> 4, size)
    found += stream[position : position + min(literals, _LARGE_HEAD)]
    position += literals
    if position >= len(stream):
        return position
    distance = stream[position] | stream[position + 1] << 8
    if not 0 < distance <= len(found):
        raise FormatError(f"an LZ4 match begins {distance} bytes back, {len(found)} are there", offset=position)
    match, position = _length(stream, position + 2, token & 15, size)
    match = min(match + _LEAST_MATCH, _LARGE_HEAD)
    repeated = found[len(found) - distance : len(found) - distance + match]
    found += (repeated * (match // distance + 1))[:match]
    return position


def _length(stream: memoryview, position: int, length: int, size: int) -> tuple[int, int]:
    if length == 15:
        more = 255
        while more == 255 and length <= size:
            more = stream[position]
            length += more
            position += 1
    if length > size:
        raise FormatError(f"a part of the LZ4 block is larger than the declared {size} bytes", offset=position)
    return length, position
