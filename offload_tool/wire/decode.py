"""One door to every codec that a container may declare: none, zlib, zstd, lz4 (a raw block) and lz4-frame.

Nothing is guessed from the bytes, and the declared size is checked against what the stream can hold at most.
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Iterator
from functools import lru_cache

from ..errors import FormatError
from ..limits import INFLATED_BYTES, ZSTD_WINDOW_BYTES
from . import lz4
from .inflate import PIECE, ZSTD_MAGIC, ZSTD_WINDOW, exactly, zlib_pieces, zstd_pieces
from .zstd_blocks import LONGEST_FRAME_HEADER, zstd_block_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zstandard import ZstdDecompressor

__all__ = ["CODECS", "decoded", "decoded_head", "zstd_content_size"]

CODECS = ("none", "zlib", "zstd", "lz4", "lz4-frame")

_RATIOS = {"none": 1, "zlib": 1032, "lz4": lz4.LZ4_RATIO, "lz4-frame": lz4.LZ4_RATIO}
"""Bytes that one byte of the stream can stand for at most; zstd has no bound worth the name."""
_HELD = 32 << 20
"""A zstd frame that tells its size is decoded at once up to this many bytes, which is several times faster."""


def decoded(codec: str, stream: memoryview, size: int) -> Iterator[bytes]:
    """The ``size`` bytes that ``stream`` holds, in pieces; LZ4 blocks and small zstd frames come as one.

    Raises FormatError, with an offset in the stream, where the codec is not known, the stream is damaged, ends early
    or goes on, or the size is not the declared one.  Memory stays below 128 MiB but for LZ4 blocks, which are held, and
    zstd frames with larger windows: those of HIP are as large as what they hold.

    >>> b"".join(decoded("none", memoryview(b"abc"), 3))
    b'abc'
    """
    _check_size(codec, stream, size)
    if codec == "lz4":
        return iter([lz4.block(stream, size)])
    if codec == "zstd" and 0 < size <= _HELD and zstd_content_size(stream) == size:
        return iter([_zstd_at_once(stream, size)])
    return exactly(_pieces(codec, stream, size, PIECE), size)


def decoded_head(codec: str, stream: memoryview, size: int, wanted: int) -> bytes:
    """The first ``wanted`` of the ``size`` bytes that ``stream`` holds, or all if there are fewer.

    Little more than that is decoded, so damage further on is not seen.  Raises FormatError as ``decoded``.
    """
    _check_size(codec, stream, size)
    wanted = min(wanted, size)
    if codec == "lz4":
        return lz4.block_head(stream, size, wanted)
    if not wanted:
        return b""
    if codec == "zstd":
        first = _zstd_first_block(stream, _window(size), wanted)
        if len(first) == wanted:
            return first
    head = bytearray()
    for piece in _pieces(codec, stream, size, wanted):
        head += piece
        if len(head) >= wanted:
            break
    if len(head) < wanted:
        raise FormatError(f"the compressed stream holds {len(head)} bytes, {size} are declared", offset=0)
    return bytes(head[:wanted])


def _check_size(codec: str, stream: memoryview, size: int) -> None:
    if codec not in CODECS:
        raise FormatError(f"codec {codec!r} is not known; expected one of {', '.join(CODECS)}", offset=0)
    if size > INFLATED_BYTES:
        raise FormatError(f"{size} bytes are declared, at most {INFLATED_BYTES} are decoded", offset=0)
    if codec in _RATIOS and size > _RATIOS[codec] * len(stream):
        raise FormatError(f"{len(stream)} bytes of {codec} cannot hold the declared {size} bytes", offset=0)
    if codec == "zstd" and zstd_content_size(stream) not in (None, size):
        raise FormatError(f"the zstd frame tells {zstd_content_size(stream)} bytes, {size} are declared", offset=0)


def _pieces(codec: str, stream: memoryview, size: int, largest: int) -> Iterator[bytes]:
    if codec == "none":
        return (bytes(stream[start : start + largest]) for start in range(0, len(stream), largest))
    if codec == "zlib":
        return zlib_pieces(stream, largest)
    if codec == "lz4-frame":
        return lz4.frame_pieces(stream, largest)
    return zstd_pieces(stream, _window(size))


def _window(size: int) -> int:
    """The largest window that a zstd frame of ``size`` bytes may ask for: the power of two that holds them all."""
    return min(max(ZSTD_WINDOW, 1 << size.bit_length()), ZSTD_WINDOW_BYTES)


def zstd_content_size(stream: memoryview) -> int | None:
    """The size that a zstd frame tells, None where it tells none or is no sound frame."""
    if stream[:4] != ZSTD_MAGIC:
        return None
    try:
        import zstandard
    except ImportError:
        return None
    try:
        size = zstandard.get_frame_parameters(bytes(stream[:LONGEST_FRAME_HEADER])).content_size
    except zstandard.ZstdError:
        return None
    return None if size == zstandard.CONTENTSIZE_UNKNOWN else size


def _zstd_first_block(stream: memoryview, window: int, wanted: int) -> bytes:
    """The first bytes of what the first block of a zstd frame holds; nothing where it is damaged or not there.

    Given block by block, the decoder has no more work than one block, and it is called once.
    """
    try:
        import zstandard
    except ImportError:
        return b""
    try:
        end = zstd_block_end(stream, zstandard.frame_header_size(bytes(stream[:LONGEST_FRAME_HEADER])))
        return bytes(_decompressor(window, get_ident()).stream_reader(stream[:end]).read(wanted))
    except (FormatError, ValueError, zstandard.ZstdError):
        return b""


@lru_cache(maxsize=16)
def _decompressor(window: int, _thread: int) -> ZstdDecompressor:
    """A thread's own decompressor for frames of such windows: making one takes as long as decoding a short block."""
    import zstandard

    return zstandard.ZstdDecompressor(max_window_size=window)


def _zstd_at_once(stream: memoryview, size: int) -> bytes:
    import zstandard

    try:
        # The frame's own size is trusted here; it was found equal to the declared one.
        return zstandard.ZstdDecompressor().decompress(stream, max_output_size=size, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise FormatError(f"no sound zstd stream: {error}", offset=0) from None
