"""Fat binaries into files: frames and images in turn, or all of it through a compressor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ..codec.writer import Frame, NewImage, compressed_header, frames
from ..wire.bounded import align_up
from ..wire.deflate import Compression
from .copying import copy_range, write_all
from .form import Form
from .mapping import mapped_descriptor
from .output import written

__all__ = ["Copy", "write_binaries", "write_framed"]

Copy = Callable[[int], None]
"""Writes an image's bytes to the descriptor that it is given."""

_PIECE = 1 << 20


def write_binaries(
    output: str,
    images: Sequence[tuple[NewImage, Copy]],
    form: Form,
    *,
    keep_if_equal: bool = False,
    keep_mode: bool = True,
) -> None:
    """The fat binary of ``images`` into ``output``; see ``written`` for the two options."""
    framed = frames([image for image, _ in images], form.version, form.align)
    write_framed(output, framed, [copy for _, copy in images], form, keep_if_equal=keep_if_equal, keep_mode=keep_mode)


def write_framed(
    output: str,
    framed: Sequence[Frame],
    copies: Sequence[Copy],
    form: Form,
    *,
    keep_if_equal: bool = False,
    keep_mode: bool = True,
) -> int:
    """The same of frames that are made already; gives the inode of the file that was written."""
    with written(output, keep_if_equal=keep_if_equal, keep_mode=keep_mode) as target:
        if form.compression is None or not framed:
            _write_plain(target, framed, copies)
        else:
            _write_compressed(target, framed, copies, form, form.compression)
        return os.fstat(target).st_ino


def _write_plain(target: int, framed: Sequence[Frame], copies: Sequence[Copy]) -> None:
    for around, copy in zip(framed, copies, strict=True):
        write_all(target, around.before)
        copy(target)
        write_all(target, bytes(around.after))


def _write_compressed(
    target: int, framed: Sequence[Frame], copies: Sequence[Copy], form: Form, compression: Compression
) -> None:
    """Through files without names: the header holds the size of the stream, and the images are never in memory."""
    import tempfile

    with tempfile.TemporaryFile() as plain, tempfile.TemporaryFile() as stream:
        _write_plain(plain.fileno(), framed, copies)
        size = _compress(plain.fileno(), form.version.header_size, stream.fileno(), compression)
        header = compressed_header(framed, form.version, size)
        write_all(target, header)
        copy_range(stream.fileno(), 0, size, target)
        end = len(header) + size
        write_all(target, bytes(align_up(end, form.align) - end))


def _compress(source: int, offset: int, target: int, compression: Compression) -> int:
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
