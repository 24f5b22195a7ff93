"""Fat binaries into files: frames and images in turn, or all of it through a compressor."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack

from ..codec.writer import Frame, NewImage, compressed_header, frame_of_single, frames
from ..errors import OffloadError
from ..wire.bounded import align_up
from .copying import copy_range, write_all, write_pieces
from .form import Form
from .output import is_replaced, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..wire.deflate import Compression

__all__ = ["Content", "Copy", "Framed", "is_streamed", "write_binaries", "write_framed"]

Copy = Callable[[int], None]
"""Writes an image's bytes to the descriptor that it is given."""

Content = Copy | bytes
"""An image's bytes, or what writes them."""

Framed = tuple[Frame, Content]
"""An image's bytes, or what writes them, and what goes around."""

_PIECE = 1 << 20
_TOGETHER = 64


def is_streamed(output: str, form: Form) -> bool:
    """Whether ``write_binaries`` asks for images one by one while it writes them.

    So it does where each is a binary by itself, and nobody sees the output before all are written.
    """
    return form.compression is None and form.version.is_single and is_replaced(output)


def write_binaries(
    output: str,
    images: Iterable[tuple[NewImage, Content]],
    form: Form,
    *,
    keep_if_equal: bool = False,
    keep_mode: bool = True,
) -> None:
    """The fat binary of ``images`` into ``output``; see ``written`` for the two options.

    See ``is_streamed`` for when ``images`` are asked for.  A fault of theirs is raised before one of the output's.
    """
    framed = _framed_singly(images, form) if is_streamed(output, form) else _framed_together([*images], form)
    write_framed(output, framed, form, keep_if_equal=keep_if_equal, keep_mode=keep_mode)


def _framed_singly(images: Iterable[tuple[NewImage, Content]], form: Form) -> Iterator[Framed]:
    around = frame_of_single(form.version, form.align)
    return ((around(image), content) for image, content in images)


def _framed_together(images: Sequence[tuple[NewImage, Content]], form: Form) -> Iterator[Framed]:
    around = frames([image for image, _ in images], form.version, form.align)
    return zip(around, [content for _, content in images], strict=True)


def write_framed(
    output: str, framed: Iterable[Framed], form: Form, *, keep_if_equal: bool = False, keep_mode: bool = True
) -> int:
    """The same of frames that are made already; gives the inode of the file that was written."""
    with ExitStack() as opened:
        try:
            target = opened.enter_context(written(output, keep_if_equal=keep_if_equal, keep_mode=keep_mode))
        except OffloadError:
            deque(framed, maxlen=0)  # what is wrong with an image is told instead
            raise
        if form.compression is None:
            _write_plain(target, framed)
        else:
            _write_compressed(target, [*framed], form, form.compression)
        return os.fstat(target).st_ino


def _write_plain(target: int, framed: Iterable[Framed]) -> None:
    """What is in memory is written together, as one call an image would cost more than the bytes."""
    waiting: list[bytes] = []
    for around, content in framed:
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


def _write_compressed(target: int, framed: Sequence[Framed], form: Form, compression: Compression) -> None:
    """Through files without names: the header holds the size of the stream, and the images are never in memory."""
    if not framed:
        return
    from .temporary import temporary_faults, temporary_file

    with temporary_file() as plain, temporary_file() as stream:
        with temporary_faults():
            _write_plain(plain, framed)
            size = _compress(plain, form.version.header_size, stream, compression)
        header = compressed_header([frame for frame, _ in framed], form.version, size)
        write_all(target, header)
        copy_range(stream, 0, size, target)
        end = len(header) + size
        write_all(target, bytes(align_up(end, form.align) - end))


def _compress(source: int, offset: int, target: int, compression: Compression) -> int:
    end = os.fstat(source).st_size
    compressor = compression.compressor(end - offset)
    size = 0
    for start in range(offset, end, _PIECE):
        piece = compressor.compress(os.pread(source, _PIECE, start))
        write_all(target, piece)
        size += len(piece)
    rest = compressor.flush()
    write_all(target, rest)
    return size + len(rest)
