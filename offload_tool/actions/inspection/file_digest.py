"""The SHA-256 of a file that is open, by plain reads; that of a large one beside other work."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

__all__ = ["file_digest", "file_digest_beside"]

_PIECE = 8 << 20
_SMALL = 4 << 20
"""Bytes that are read sooner than a thread begins."""


def file_digest(descriptor: int) -> str:
    """The digest as hexadecimal digits."""
    import hashlib

    digest = hashlib.sha256()
    for piece in _pieces(descriptor):
        digest.update(piece)
    return digest.hexdigest()


@contextlib.contextmanager
def file_digest_beside(descriptor: int) -> Iterator[Callable[[], str]]:
    """A function that gives the digest, which a thread reckons in the meantime; it raises what reading the file did.

    On the way out the thread is ended, since whoever opened the file may close it then.
    """
    if os.fstat(descriptor).st_size <= _SMALL:
        yield lambda: file_digest(descriptor)
        return
    reckoning = _Reckoning(descriptor)
    try:
        yield reckoning.result
    finally:
        reckoning.end()


def _pieces(descriptor: int) -> Iterator[memoryview]:
    """The file's bytes, each piece in the same memory: fresh one would cost a third of what the digest does."""
    piece = memoryview(bytearray(min(_PIECE, os.fstat(descriptor).st_size + 1)))
    offset = 0
    while size := os.preadv(descriptor, [piece], offset):
        yield piece[:size]
        offset += size


class _Reckoning:
    def __init__(self, descriptor: int) -> None:
        import hashlib
        from threading import Thread

        self._descriptor = descriptor
        self._is_over = False
        self._digest = hashlib.sha256()
        self._error: Exception | None = None
        self._thread: Thread | None = Thread(target=self._reckon, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # the system has no thread left
            self._thread = None

    def result(self) -> str:
        if self._thread is None:
            return file_digest(self._descriptor)
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._digest.hexdigest()

    def end(self) -> None:
        self._is_over = True
        if self._thread is not None:
            self._thread.join()

    def _reckon(self) -> None:
        try:
            for piece in _pieces(self._descriptor):
                if self._is_over:
                    return
                self._digest.update(piece)
        except Exception as error:  # noqa: BLE001 - raised where the digest is asked for
            self._error = error
