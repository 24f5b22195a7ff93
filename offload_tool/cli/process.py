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

_RARER = 1000


def run_as_process(main: Callable[[], int]) -> NoReturn:
    """Runs ``main`` and ends the process with its status.

    Garbage that only the collector finds is rare here, so it looks less often.  At the end the system tidies up, faster
    than the interpreter does, unless other threads or processes of ours are there.
    """
    gc.set_threshold(_RARER * gc.get_threshold()[0])
    status = main()
    if not _is_alone():
        sys.exit(status)
    try:
        flush()
    except (OSError, ValueError, OffloadError):
        status = status or 1
    os._exit(status)


def _is_alone() -> bool:
    threading, multiprocessing = sys.modules.get("threading"), sys.modules.get("multiprocessing")
    if threading is not None and threading.active_count() > 1:
        return False
    return multiprocessing is None or not multiprocessing.active_children()
