"""One large file looked at by several processes, each with its part of the payloads."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import zip_longest

from ...frozen import replace
from ..file_state import FileState, OpenFile
from ..mapping import mapped_descriptor, opened
from .payload_rows import PayloadRows, Wanted, payload_rows
from .processes import checked_jobs, process_pool, submitted

__all__ = ["rows_in_parts"]

_MOST = 16
"""Processes: each finds all payloads before it looks at its own, which takes a twentieth of the time."""


def rows_in_parts(data: memoryview, path: str, descriptor: int, wanted: Wanted, jobs: int | None) -> list[PayloadRows]:
    """The rows of all payloads in their order; this process takes a part, too.

    ``data`` are the bytes of the file, which is open as ``descriptor``.  Raises OffloadError if it changed before
    another process had opened it, UsageError for too many jobs.  Where another cannot be started or dies, for want of
    memory as like as not, this one does it all.
    """
    count = min(checked_jobs(jobs), _MOST)
    if count > 1:
        parts = [replace(wanted, part=part, parts=count) for part in range(count)]
        state = OpenFile.of(path, descriptor).state
        with contextlib.suppress(BrokenProcessPool, _NoProcess):
            return _dealt(data, path, state, parts)
    return list(payload_rows(data, path, wanted))


class _NoProcess(Exception):  # noqa: N818 - it never leaves this file
    """The system has no processes for this one, or no semaphores for them."""


def _dealt(data: memoryview, path: str, state: FileState, parts: Sequence[Wanted]) -> list[PayloadRows]:
    try:
        pool = process_pool(len(parts) - 1)
    except (OSError, ImportError, NotImplementedError) as error:
        raise _NoProcess from error
    try:
        others = _submitted(pool, path, state, parts[1:])
        own = list(payload_rows(data, path, parts[0]))
        dealt = [own, *(other.result() for other in others)]
    finally:
        pool.shutdown(cancel_futures=True)
    return [rows for turn in zip_longest(*dealt) for rows in turn if rows is not None]


def _submitted(
    pool: ProcessPoolExecutor, path: str, state: FileState, parts: Sequence[Wanted]
) -> list[Future[list[PayloadRows]]]:
    try:
        return [submitted(pool, _rows_of_part, path, state, part) for part in parts]
    except OSError as error:
        raise _NoProcess from error


def _rows_of_part(path: str, state: FileState, part: Wanted) -> list[PayloadRows]:
    with opened(path) as descriptor:
        state.check_descriptor(descriptor, path)
        return list(payload_rows(mapped_descriptor(descriptor), path, part))
