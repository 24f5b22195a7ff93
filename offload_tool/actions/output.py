"""Outputs that appear whole or not at all: written beside their place, then renamed into it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

from ..errors import OffloadError
from .claiming import claimed

__all__ = ["STDOUT", "check_output", "forget_stdout", "is_replaced", "same_bytes", "written"]

STDOUT = "-"
"""The output that is standard output."""


def check_output(path: str) -> None:
    """Raises OffloadError if ``path`` can be no output: its folder is missing, or it is a folder itself."""
    if path == STDOUT:
        return
    if os.path.isdir(path):
        raise OffloadError(f"output {path!r} is a directory; name a file") from _system_error(errno.EISDIR)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        what = f"output {path!r}: folder {folder!r} does not exist; create it first"
        raise OffloadError(what) from _system_error(errno.ENOENT)


def _system_error(number: int) -> OSError:
    """What the system would have said, kept as the cause: the drop-in says nothing else."""
    return OSError(number, os.strerror(number))


@contextlib.contextmanager
def written(
    path: str, *, keep_if_equal: bool = False, keep_mode: bool = True, is_derived: bool = False
) -> Iterator[int]:
    """A descriptor to write an output to; on leaving, the output stands in its place.

    Modes are 0666 less umask, or with ``keep_mode`` those of the file that was there; a symbolic link is replaced.
    An output that exists and is no regular file, or is ``-``, is written into directly; but one whose name nobody gave
    (``is_derived``) takes the place of whatever stands there.  With ``keep_if_equal`` an old output of the same bytes
    stays untouched.  After an error nothing is left and the old output stays.
    """
    check_output(path)
    try:
        if not is_derived and not is_replaced(path):
            with _direct(path) as descriptor:
                yield descriptor
            return
        with _replacing(path, _lstat(path), keep_if_equal=keep_if_equal, keep_mode=keep_mode) as descriptor:
            yield descriptor
    except OSError as error:
        raise OffloadError(f"output {path!r}: {error.strerror or error}") from error


def is_replaced(path: str) -> bool:
    """Whether a rename may put an output there: over nothing, a file, or a link to either."""
    if path == STDOUT:
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def same_bytes(one: str, other: str) -> bool:
    """Whether two files hold the same bytes; False where one cannot be read."""
    import filecmp

    try:
        return filecmp.cmp(one, other, shallow=False)
    except OSError:
        return False
    finally:
        filecmp.clear_cache()


def forget_stdout() -> None:
    """For when the reader of a pipe is gone: nothing more can be said, not even by the interpreter as it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _direct(path: str) -> Iterator[int]:
    descriptor = os.dup(1) if path == STDOUT else os.open(path, os.O_WRONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _replacing(path: str, old: os.stat_result | None, *, keep_if_equal: bool, keep_mode: bool) -> Iterator[int]:
    temporary, descriptor = claimed(path)
    is_file = old is not None and stat.S_ISREG(old.st_mode)
    try:
        yield descriptor
        if old is not None and is_file and keep_mode:
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        # What closing has to say, as over NFS, is heard while the old output is there.  The lock lasts longer.
        os.close(os.dup(descriptor))
        if keep_if_equal and is_file and same_bytes(temporary, path):
            os.unlink(temporary)
        else:
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    finally:
        os.close(descriptor)
