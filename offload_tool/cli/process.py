"""A console script as a process: for small work its start and its end are what it costs."""

from __future__ import annotations

import gc
import os
import sys

from ..errors import OffloadError
from .printing import flush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

__all__ = ["run_as_process"]

_WAITED_FOR = {"multiprocessing", "threading"}
_RARER = 1000


def run_as_process(main: Callable[[], int]) -> NoReturn:
    """Runs ``main`` and ends the process with its status.

    Garbage that only the collector finds is rare here, so it looks less often.  At the end the system tidies up, faster
    than the interpreter does, but where other threads or processes of ours may be.
    """
    gc.set_threshold(_RARER * gc.get_threshold()[0])
    status = main()
    if not _WAITED_FOR.isdisjoint(sys.modules):
        sys.exit(status)
    try:
        flush()
    except (OSError, ValueError, OffloadError):
        status = status or 1
    os._exit(status)
