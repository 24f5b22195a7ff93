"""What every reader promises, whatever it is given: an answer or an OffloadError, soon, and in little memory."""

from __future__ import annotations

import contextlib
import os
import resource
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from offload_tool.errors import OffloadError

__all__ = ["CPU_SECONDS", "MEMORY_BYTES", "Breach", "breach_of", "memory_limit"]

CPU_SECONDS = 2.0
"""Most seconds of processor time for one input."""

MEMORY_BYTES = 200 << 20
"""Most bytes of address space that one input may add."""

_PACKAGE = f"{os.sep}offload_tool{os.sep}"
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A promise that was not kept: ``kind`` is the same for all inputs that break it in the same place."""

    kind: str
    text: str


def breach_of(check: Callable[[bytes], object], data: bytes, *, cpu_seconds: float = CPU_SECONDS) -> Breach | None:
    """What ``check(data)`` did against the promise, None where it kept it.

    >>> breach_of(lambda data: data[5], b"").kind
    'IndexError'
    """
    start = time.process_time()
    try:
        with memory_limit(MEMORY_BYTES):
            check(data)
    except OffloadError as error:
        if not str(error):
            return Breach(kind="no-words", text=repr(error))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever else comes is the breach that is looked for
        return Breach(kind=_kind(error), text="".join(traceback.format_exception(error)))
    spent = time.process_time() - start
    if spent > cpu_seconds:
        return Breach(kind="slow", text=f"{spent:.1f} s of processor time for {len(data)} bytes")
    return None


@contextlib.contextmanager
def memory_limit(size: int) -> Iterator[None]:
    """Lets the process take at most ``size`` bytes of address space more than it has; more is a MemoryError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", "rb") as file:
        held = int(file.read().split()[0]) * _PAGE
    resource.setrlimit(resource.RLIMIT_AS, (held + size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _kind(error: BaseException) -> str:
    """The exception and the innermost place of the package that it went through."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _PACKAGE in frame.filename]
    if not own:
        return type(error).__name__
    module = own[-1].filename.rpartition(_PACKAGE)[2].removesuffix(".py").replace(os.sep, "-")
    return f"{type(error).__name__}-{module}-{own[-1].name}"
