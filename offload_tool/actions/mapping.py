"""Files as bytes, without reading them; and compressed bodies as bytes, without holding them."""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
from collections.abc import Iterator

from ..errors import FormatError, OffloadError
from ..limits import INFLATED_BYTES
from ..wire.inflate import inflated
from .copying import write_all

__all__ = ["inflate", "mapped", "mapped_descriptor", "opened"]

_HELD = 1 << 20
"""Bodies up to so many bytes are held in memory, larger ones in a file without a name."""


@contextlib.contextmanager
def opened(path: str) -> Iterator[int]:
    """A descriptor of a regular file, never one that waits for a pipe; raises OffloadError for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise OffloadError(f"{path!r}: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OffloadError(f"{path!r} is no regular file")
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def mapped(path: str) -> Iterator[memoryview]:
    """The bytes of a file; raises OffloadError if it is no file that can be read."""
    with opened(path) as descriptor:
        yield mapped_descriptor(descriptor)


def mapped_descriptor(descriptor: int) -> memoryview:
    """The bytes of a regular file that is open.

    The mapping is not closed by hand: views of it may live on in an error's frames, and the last of them unmaps it.
    """
    size = os.fstat(descriptor).st_size
    return memoryview(mmap.mmap(descriptor, size, prot=mmap.PROT_READ)) if size else memoryview(b"")


def inflate(header: bytes, stream: memoryview, size: int) -> memoryview:
    """``size`` bytes: ``header``, then what a zlib or zstd stream holds; see ``codec.reader.Inflate``."""
    if size > INFLATED_BYTES:
        raise FormatError(f"the body claims {size} bytes once inflated, at most {INFLATED_BYTES} are read", offset=0)
    pieces = inflated(stream, size - len(header))
    if size <= _HELD:
        return memoryview(b"".join((header, *pieces)))
    import tempfile

    with tempfile.TemporaryFile() as file:
        write_all(file.fileno(), header)
        for piece in pieces:
            write_all(file.fileno(), piece)
        return mapped_descriptor(file.fileno())
