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
from .temporary import temporary_faults, temporary_file

__all__ = ["Inflater", "forget_pages", "inflate", "mapped", "mapped_descriptor", "opened"]

_HELD = 1 << 20
"""Bodies up to so many bytes are held in memory, larger ones in a file without a name."""
_FORGOTTEN = 8
"""After so many pieces the memory is given back that shows the stream they came from."""


@contextlib.contextmanager
def opened(path: str) -> Iterator[int]:
    """A descriptor of a regular file, never one that waits for a pipe; raises OffloadError for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise OffloadError(f"{path!r}: {error.strerror}") from None
    except ValueError:  # a NUL, or half of a surrogate pair, as paths out of JSON may have
        raise OffloadError(f"{path!r} is no path of any file; it holds what no path can") from None
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


def forget_pages(data: memoryview) -> None:
    """Gives back the memory that shows what was looked at of a mapped file; looked at again, it is there again."""
    held = data.obj
    if isinstance(held, mmap.mmap):
        held.madvise(mmap.MADV_DONTNEED)


class Inflater:
    """``inflate`` for all that one file holds: together no more than one body may have.

    Compressed bodies stand in images of others, and each may be thousands of times as large as what it is in.
    """

    def __init__(self) -> None:
        self._left = INFLATED_BYTES

    def __call__(self, header: bytes, stream: memoryview, size: int) -> memoryview:
        """See ``codec.reader.Inflate``."""
        self._left -= size
        if self._left < 0:
            raise FormatError(f"the file claims more than {INFLATED_BYTES} bytes once inflated", offset=0)
        return inflate(header, stream, size)


def inflate(header: bytes, stream: memoryview, size: int) -> memoryview:
    """``size`` bytes: ``header``, then what a zlib or zstd stream holds; see ``codec.reader.Inflate``."""
    if size > INFLATED_BYTES:
        raise FormatError(f"the body claims {size} bytes once inflated, at most {INFLATED_BYTES} are read", offset=0)
    pieces = inflated(stream, size - len(header))
    if size <= _HELD:
        return memoryview(b"".join((header, *pieces)))
    with temporary_file() as file, temporary_faults():
        write_all(file, header)
        for number, piece in enumerate(pieces):
            write_all(file, piece)
            if number % _FORGOTTEN == 0:
                forget_pages(stream)
        return mapped_descriptor(file)
