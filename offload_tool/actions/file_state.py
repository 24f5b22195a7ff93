"""Whether a file is still the one that was looked at."""

from __future__ import annotations

import os

from ..errors import OffloadError
from ..frozen import frozen

__all__ = ["FileState", "OpenFile"]


@frozen
class FileState:
    """What tells that a file changed: its size in bytes and the time of its content."""

    size: int
    mtime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        """That of a file's status."""
        return cls(size=status.st_size, mtime_ns=status.st_mtime_ns)

    def check_descriptor(self, descriptor: int, path: str) -> None:
        """Raises OffloadError if the file that is open changed since; ``path`` is its name in the message."""
        self._check(os.fstat(descriptor), path)

    def check_path(self, path: str) -> None:
        """Raises OffloadError if the file of that name is another one, changed or is gone."""
        try:
            status = os.stat(path)
        except OSError as error:
            raise OffloadError(f"{path!r}: {error.strerror}") from error
        self._check(status, path)

    def _check(self, status: os.stat_result, path: str) -> None:
        if FileState.of(status) != self:
            raise OffloadError(f"{path!r} changed while it was read; run again")


@frozen
class OpenFile:
    """A file that is open, and what it was when that began."""

    path: str
    descriptor: int
    state: FileState

    @classmethod
    def of(cls, path: str, descriptor: int) -> OpenFile:
        """One that has just been opened."""
        return cls(path=path, descriptor=descriptor, state=FileState.of(os.fstat(descriptor)))

    def check_unchanged(self) -> None:
        """Raises OffloadError if the file changed since, whatever stands under its name now."""
        self.state.check_descriptor(self.descriptor, self.path)
