"""A read-only stream over bytes that are already in reach, for libraries that want a file."""

from __future__ import annotations

import io

__all__ = ["BufferStream"]


class BufferStream(io.RawIOBase):
    """``read``, ``seek`` and ``tell`` over a memoryview; copies only what is read.

    >>> BufferStream(memoryview(b"abc")).read(2)
    b'ab'
    """

    def __init__(self, data: memoryview) -> None:
        super().__init__()
        self._data = data
        self._position = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves to an offset; beyond the end nothing is read."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: len(self._data)}[whence]
        self._position = max(0, base + offset)
        return self._position

    def tell(self) -> int:
        """Where the next read begins, in bytes."""
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Copies what is there into ``buffer``; gives the number of bytes."""
        found = self._data[self._position : self._position + len(buffer)]
        buffer[: len(found)] = found
        self._position += len(found)
        return len(found)
