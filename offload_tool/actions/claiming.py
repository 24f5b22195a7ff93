"""Hidden names beside an output for what is not whole yet: each is one process's at a time.

A process holds a lock on the file that it writes under such a name.  Whoever writes the same output next can tell by it
what a killed process left, and removes that.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator

from ..deps.beside import beside
from ..errors import OffloadError
from .temporary import remove_folder

__all__ = ["claimed", "claimed_folder", "forget_left", "forget_parts", "part_paths"]

_NAMES = 64
"""So many processes can write one output at once."""
_NO_OTHER = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
_SWEPT = 4
"""So many names behind the claimed one are looked at: to leave more behind, as many have to be killed at once."""


def claimed(output: str) -> tuple[str, int]:
    """The path of a new file beside ``output``, and a descriptor to read and write it; it is locked while that is open.

    The lock is to be kept until the file has got its final name.  Raises OSError, or OffloadError where every such name
    is taken.
    """
    for number in range(_NAMES):
        path = _path(output, number)
        descriptor = _claim(path)
        if descriptor is not None:
            for later in range(number + 1, number + 1 + _SWEPT):
                forget_left(_path(output, later))
            return path, descriptor
    what = f"output {output!r}: {_NAMES} files such as {path!r} stand beside it and cannot be taken; remove them"
    raise OffloadError(what) from OSError(errno.EEXIST, os.strerror(errno.EEXIST))


@contextlib.contextmanager
def claimed_folder(folder: str, name: str) -> Iterator[str]:
    """A new hidden folder in ``folder``, for several outputs; it is gone on leaving, and so is what killed ones left.

    Raises OSError, or OffloadError where every such name is taken.
    """
    for number in range(_NAMES):
        path = os.path.join(folder, f".{name}.{number}.part")
        descriptor = _claim_folder(path)
        if descriptor is not None:
            break
    else:
        raise OffloadError(f"{_NAMES} folders such as {path!r} cannot be taken; remove them")
    try:
        for later in range(number + 1, number + 1 + _SWEPT):
            forget_left(os.path.join(folder, f".{name}.{later}.part"))
        yield path
    finally:
        remove_folder(path)
        os.close(descriptor)


def part_paths(output: str) -> list[str]:
    """The hidden paths that a killed process may have left beside ``output``."""
    return [beside(output, "part"), *(_path(output, number) for number in range(_SWEPT))]


def forget_parts(output: str) -> None:
    """Removes what killed processes left beside ``output``."""
    for path in part_paths(output):
        forget_left(path)


def forget_left(path: str) -> None:
    """Removes a file or folder that a killed process left, unless somebody holds it or that cannot be told."""
    with contextlib.suppress(OSError):
        try:
            descriptor, remove = os.open(path, os.O_RDWR | _NO_OTHER), _remove_file
        except IsADirectoryError:
            descriptor, remove = os.open(path, os.O_RDONLY | _NO_OTHER), remove_folder
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _stands_at(path, descriptor):
                remove(path)
        finally:
            os.close(descriptor)


def _remove_file(path: str) -> None:
    os.unlink(path)


def _path(output: str, number: int) -> str:
    return beside(output, f"{number}.part")


def _claim(path: str) -> int | None:
    """A new, locked file at ``path``; None where somebody else's stands there, or took it for one left behind."""
    forget_left(path)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        return None
    return _kept(path, descriptor)


def _claim_folder(path: str) -> int | None:
    forget_left(path)
    try:
        os.mkdir(path)
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _NO_OTHER)
    except (FileExistsError, FileNotFoundError):
        return None
    return _kept(path, descriptor)


def _kept(path: str, descriptor: int) -> int | None:
    if _locked(descriptor) and _stands_at(path, descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks: nobody can remove the file there either
    return True


def _stands_at(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
