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

    With ``are_held`` unset there is room for any number, since whoever reads them lets them go, and what one call to
    the system reads is good; else it has to be what was there when ``status`` was asked for, which is kept with it.

    >>> WholeFiles(3).read(0, os.stat(".")) is None
    True
    """

    def __init__(self, count: int, *, are_held: bool = True) -> None:
        self._are_held = are_held
        self._left = 0 if are_held and count < _MANY else _HELD

    def read(self, descriptor: int, status: os.stat_result) -> bytes | None:
        """The bytes of a file that is open, None for one too large; ``status`` was asked for after it was opened.

        Raises OffloadError, whose text goes on after the file's name, if it is changed meanwhile.
        """
        size = status.st_size
        if size > _SMALL or size > self._left or not stat.S_ISREG(status.st_mode):
            return None
        content = os.pread(descriptor, size + 1, 0)
        if len(content) < size:
            raise OffloadError(f"ended {size - len(content)} bytes early while it was copied; run again")
        if len(content) > size or (self._are_held and os.fstat(descriptor).st_mtime_ns != status.st_mtime_ns):
            raise OffloadError("changed while it was read; run again")
        if self._are_held:
            self._left -= size
        return content
