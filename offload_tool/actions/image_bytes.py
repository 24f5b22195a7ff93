"""The bytes of planned images: copied, or compared, while the file is still the one that the plan was made from."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from .copying import copy_range
from .planning import ImageFile, at_fault, open_image

__all__ = ["check_image", "copy_image", "same_image"]

_PIECE = 1 << 20


def copy_image(looked: ImageFile, target: int) -> None:
    """The image's bytes to where descriptor ``target`` stands; raises OffloadError if its file became another."""
    with _opened(looked) as source:
        copy_range(source, 0, looked.size, target)


def same_image(looked: ImageFile, other: int, offset: int) -> bool:
    """Whether descriptor ``other`` holds the image's bytes at ``offset``; raises OffloadError as ``copy_image``."""
    with _opened(looked) as source:
        for start in range(0, looked.size, _PIECE):
            length = min(_PIECE, looked.size - start)
            if os.pread(source, length, start) != os.pread(other, length, offset + start):
                return False
        return True


def check_image(looked: ImageFile) -> None:
    """Raises OffloadError if the image cannot be opened any more, or became another."""
    with _opened(looked):
        pass


@contextlib.contextmanager
def _opened(looked: ImageFile) -> Iterator[int]:
    try:
        descriptor = open_image(looked.image)
    except OSError as error:
        raise at_fault([(looked.image, f"image {looked.image.file!r}: {error.strerror}")]) from None
    try:
        _check_unchanged(looked, descriptor)
        yield descriptor
        _check_unchanged(looked, descriptor)
    finally:
        os.close(descriptor)


def _check_unchanged(looked: ImageFile, descriptor: int) -> None:
    status = os.fstat(descriptor)
    if (status.st_size, status.st_mtime_ns) != (looked.size, looked.mtime_ns):
        raise at_fault([(looked.image, f"image {looked.image.file!r} changed while it was packed; run again")])
