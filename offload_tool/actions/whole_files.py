"""Small files read whole, once, where there are many: what a copy in the kernel costs each is more than its bytes."""

from __future__ import annotations

import os
import stat

from ..errors import OffloadError

__all__ = ["WholeFiles"]

_MANY = 100
_SMALL = 64 << 10
_HELD = 64 << 20


class WholeFiles:
    """Reads files of up to 64 KiB as long as there is room for them: 64 MiB where ``count`` files are many, else none.

    >>> WholeFiles(3).takes(os.stat("."))
    False
    """

    def __init__(self, count: int) -> None:
        self._left = _HELD if count >= _MANY else 0

    def takes(self, status: os.stat_result) -> bool:
        """Whether a file of that status is to be read whole."""
        return status.st_size <= _SMALL and status.st_size <= self._left and stat.S_ISREG(status.st_mode)

    def read(self, descriptor: int, status: os.stat_result) -> bytes:
        """The bytes of a file that is open; ``status`` was asked for after that.

        Raises OffloadError, whose text goes on after the file's name, if it is changed meanwhile.
        """
        size = status.st_size
        content = os.pread(descriptor, size, 0)
        if len(content) < size:
            raise OffloadError(f"ended {size - len(content)} bytes early while it was copied; run again")
        after = os.fstat(descriptor)
        if after.st_mtime_ns != status.st_mtime_ns or after.st_size != size:
            raise OffloadError("changed while it was read; run again")
        self._left -= size
        return content
