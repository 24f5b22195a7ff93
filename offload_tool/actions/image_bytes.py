"""The bytes of planned images: copied, or compared, while the file is still the one that the plan was made from."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ..errors import OffloadError
from .copying import copy_range
from .file_state import FileState
from .planning import ImageFile, at_fault, open_image
from .writing import Copy

__all__ = ["check_image", "copier", "copy_image", "opened_image", "same_image"]

_PIECE = 1 << 20


def copy_image(looked: ImageFile, target: int) -> None:
    """The image's bytes to where descriptor ``target`` stands; raises OffloadError if its file became another."""
    with opened_image(looked) as source:
        try:
            copy_range(source, 0, looked.size, target)
        except OffloadError as error:
            raise _at_fault(looked, f" {error}") from None


def copier(looked: ImageFile) -> Copy:
    """The function that copies one image."""
    return lambda target: copy_image(looked, target)


def same_image(looked: ImageFile, other: int, offset: int) -> bool:
    """Whether descriptor ``other`` holds the image's bytes at ``offset``; raises OffloadError as ``copy_image``."""
    with opened_image(looked) as source:
        for start in range(0, looked.size, _PIECE):
            length = min(_PIECE, looked.size - start)
            if _read(looked, source, length, start) != os.pread(other, length, offset + start):
                return False
        return True


def check_image(looked: ImageFile) -> None:
    """Raises OffloadError if the image cannot be opened any more, or became another."""
    with opened_image(looked):
        pass


@contextlib.contextmanager
def opened_image(looked: ImageFile) -> Iterator[int]:
    """A descriptor of the image's file; raises OffloadError, at the end too, if that became another."""
    try:
        descriptor = open_image(looked.image)
    except OSError as error:
        raise _at_fault(looked, f": {error.strerror}") from None
    try:
        _check_unchanged(looked, descriptor)
        yield descriptor
        _check_unchanged(looked, descriptor)
    finally:
        os.close(descriptor)


def _read(looked: ImageFile, source: int, length: int, offset: int) -> bytes:
    try:
        return os.pread(source, length, offset)
    except OSError as error:
        raise _at_fault(looked, f" cannot be read: {error.strerror}") from None


def _check_unchanged(looked: ImageFile, descriptor: int) -> None:
    if FileState.of(os.fstat(descriptor)) != FileState(size=looked.size, mtime_ns=looked.mtime_ns):
        raise _at_fault(looked, " changed while it was packed; run again")


def _at_fault(looked: ImageFile, what: str) -> OffloadError:
    return at_fault([(looked.image, f"image {looked.image.file!r}{what}")])
