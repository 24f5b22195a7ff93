"""Bytes from one file to another, in the kernel where it can."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from ..errors import OffloadError

__all__ = ["copy_range", "write_all", "write_pieces"]

_BUFFER = 1 << 20
_NOT_HERE = {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EBADF, errno.EOPNOTSUPP, errno.EPERM, errno.EIO}
"""What is tried again in another way: there is none here, or (EIO) the file at fault is to be told."""


def copy_range(source: int, offset: int, size: int, target: int) -> None:
    """``size`` bytes of descriptor ``source`` from ``offset`` to the end of ``target``.

    Raises OffloadError if the source ends early or cannot be read; its text goes on after the source's name.
    """
    way = _copy_file_range if hasattr(os, "copy_file_range") else _by_buffer
    while size:
        try:
            moved = way(source, offset, size, target)
        except OSError as error:
            if error.errno not in _NOT_HERE or way is _by_buffer:
                raise
            way = _sendfile if way is _copy_file_range else _by_buffer
            continue
        if moved == 0 and way is not _by_buffer:
            way = _by_buffer  # some file systems answer 0 where a plain read finds bytes
            continue
        if moved == 0:
            raise OffloadError(f"ended {size} bytes early while it was copied; run again")
        offset += moved
        size -= moved


def write_all(target: int, content: bytes | memoryview) -> None:
    """All of ``content`` to ``target``."""
    view = memoryview(content)
    while view:
        view = view[os.write(target, view) :]


def write_pieces(target: int, pieces: Sequence[bytes]) -> None:
    """All of ``pieces``, a few dozen, one after the other, to ``target``; they are not joined in memory."""
    if pieces:
        done = os.writev(target, pieces)
        if done < sum(map(len, pieces)):
            write_all(target, memoryview(b"".join(pieces))[done:])


def _copy_file_range(source: int, offset: int, size: int, target: int) -> int:
    return os.copy_file_range(source, target, min(size, 1 << 30), offset)


def _sendfile(source: int, offset: int, size: int, target: int) -> int:
    return os.sendfile(target, source, offset, min(size, 1 << 30))


def _by_buffer(source: int, offset: int, size: int, target: int) -> int:
    try:
        content = os.pread(source, min(size, _BUFFER), offset)
    except OSError as error:
        raise OffloadError(f"cannot be read: {error.strerror}") from error
    write_all(target, content)
    return len(content)
