"""Fat binaries into files: frames and images in turn, or all of it through a compressor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ..codec.writer import Frame, NewImage, compressed_header, frames
from ..wire.bounded import align_up
from .copying import copy_range, write_all, write_pieces
from .form import Form
from .output import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..wire.deflate import Compression

__all__ = ["Content", "Copy", "write_binaries", "write_framed"]

Copy = Callable[[int], None]
"""Writes an image's bytes to the descriptor that it is given."""

Content = Copy | bytes
"""An image's bytes, or what writes them."""

_PIECE = 1 << 20
_TOGETHER = 64


def write_binaries(
    output: str,
    images: Sequence[tuple[NewImage, Content]],
    form: Form,
    *,
    keep_if_equal: bool = False,
    keep_mode: bool = True,
) -> None:
    """The fat binary of ``images`` into ``output``; see ``written`` for the two options."""
    framed = frames([image for image, _ in images], form.version, form.align)
    write_framed(
        output, framed, [content for _, content in images], form, keep_if_equal=keep_if_equal, keep_mode=keep_mode
    )


def write_framed(
    output: str,
    framed: Sequence[Frame],
    contents: Sequence[Content],
    form: Form,
    *,
    keep_if_equal: bool = False,
    keep_mode: bool = True,
) -> int:
    """The same of frames that are made already; gives the inode of the file that was written."""
    with written(output, keep_if_equal=keep_if_equal, keep_mode=keep_mode) as target:
        if form.compression is None or not framed:
            _write_plain(target, framed, contents)
        else:
            _write_compressed(target, framed, contents, form, form.compression)
        return os.fstat(target).st_ino


def _write_plain(target: int, framed: Sequence[Frame], contents: Sequence[Content]) -> None:
    """What is in memory is written together, as one call an image would cost more than the bytes."""
    waiting: list[bytes] = []
    for around, content in zip(framed, contents, strict=True):
        waiting.append(around.before)
        if isinstance(content, bytes):
            waiting.append(content)
        else:
            write_pieces(target, waiting)
            waiting.clear()
            content(target)
        if around.after:
            waiting.append(bytes(around.after))
        if len(waiting) >= _TOGETHER:
            write_pieces(target, waiting)
            waiting.clear()
    write_pieces(target, waiting)


def _write_compressed(
    target: int, framed: Sequence[Frame], contents: Sequence[Content], form: Form, compression: Compression
) -> None:
    """Through files without names: the header holds the size of the stream, and the images are never in memory."""
    from .temporary import temporary_faults, temporary_file

    with temporary_file() as plain, temporary_file() as stream:
        with temporary_faults():
            _write_plain(plain, framed, contents)
            size = _compress(plain, form.version.header_size, stream, compression)
        header = compressed_header(framed, form.version, size)
        write_all(target, header)
        copy_range(stream, 0, size, target)
        end = len(header) + size
        write_all(target, bytes(align_up(end, form.align) - end))


def _compress(source: int, offset: int, target: int, compression: Compression) -> int:
    from .mapping import mapped_descriptor

    body = mapped_descriptor(source)[offset:]
    compressor = compression.compressor(len(body))
    size = 0
    for start in range(0, len(body), _PIECE):
        piece = compressor.compress(body[start : start + _PIECE])
        write_all(target, piece)
        size += len(piece)
    rest = compressor.flush()
    write_all(target, rest)
    return size + len(rest)
