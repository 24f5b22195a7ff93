"""An old output changed in place, so that a kill or a full disk leaves none rather than a torn one.

While it is patched the output has another, hidden name; it is renamed back once its bytes are on the disk.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator

from ..deps.beside import beside
from ..deps.record import FileIdentity

__all__ = ["CannotPatch", "old_output", "patched", "write_at"]


class CannotPatch(Exception):  # noqa: N818  # no error: the output is packed in full, and this says why
    """Why an old output cannot be patched, in words."""


@contextlib.contextmanager
def old_output(output: str, expected: FileIdentity) -> Iterator[int]:
    """A descriptor of the old output, to read and write, if it still is what the record of the last pack says.

    Raises CannotPatch if it is not, if it has further names, and while somebody else patches it.
    """
    descriptor = _opened(output)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CannotPatch(f"the old output cannot be locked: {error.strerror}") from None
        status = os.fstat(descriptor)
        if FileIdentity.of(status) != expected:
            raise CannotPatch("the old output is not that of the last pack")
        if status.st_nlink != 1:
            raise CannotPatch(f"the old output is one file with {status.st_nlink} names")
        yield descriptor
    finally:
        os.close(descriptor)


def _opened(output: str) -> int:
    try:
        descriptor = os.open(output, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise CannotPatch("there is no old output") from None
    except OSError as error:
        raise CannotPatch(f"the old output cannot be patched: {error.strerror}") from None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise CannotPatch("the old output is no regular file")


@contextlib.contextmanager
def patched(output: str, descriptor: int, size: int) -> Iterator[None]:
    """Hides the output, open as ``descriptor``, while it is changed; then it has ``size`` bytes and its name again.

    After an error it is gone.
    """
    part = beside(output, "part")
    try:
        os.rename(output, part)
        _sync_folder(output)
        yield
        if os.fstat(descriptor).st_size != size:
            os.ftruncate(descriptor, size)
        os.fsync(descriptor)
        os.rename(part, output)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise


def write_at(descriptor: int, content: bytes, offset: int) -> None:
    """All of ``content`` at ``offset``."""
    view = memoryview(content)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def _sync_folder(path: str) -> None:
    """Makes the rename lasting before bytes change; file systems that cannot are left to themselves."""
    with contextlib.suppress(OSError):
        descriptor = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
