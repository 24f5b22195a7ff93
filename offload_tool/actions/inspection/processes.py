"""Workers that are processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from ...errors import UsageError
from ...limits import JOBS
from .work import FileRows, Job, rows_of, unread

__all__ = ["Processes", "checked_jobs", "process_pool", "submitted"]

_FILES_AHEAD = 16
"""Files under way for each process: enough that one large file does not leave the others idle."""
_Result = TypeVar("_Result")
_ENDING = (signal.SIGINT, signal.SIGTERM)


class Processes:
    """``count`` processes, started as files come; None: as many as this process has CPUs.

    They are new interpreters, not copies of this one, which may have threads.  The pool cannot say which file killed
    a process, and gives up all files under way: those are done once more, one at a time.
    """

    def __init__(self, count: int | None) -> None:
        self._count = count = checked_jobs(count)
        self.window = count * _FILES_AHEAD
        self._pool = process_pool(count)
        self._single: ProcessPoolExecutor | None = None

    def submit(self, job: Job) -> Future[FileRows]:
        """A future of the job's rows."""
        try:
            return submitted(self._pool, rows_of, job)
        except BrokenProcessPool:
            self._pool.shutdown()
            self._pool = process_pool(self._count)
            return submitted(self._pool, rows_of, job)

    def result(self, job: Job, future: Future[FileRows]) -> FileRows:
        """The rows, once they are there."""
        try:
            return future.result()
        except BrokenProcessPool:
            return self._alone(job)

    def close(self) -> None:
        """Ends the processes, which finish what they are at."""
        self._pool.shutdown(cancel_futures=True)
        if self._single is not None:
            self._single.shutdown(cancel_futures=True)

    def _alone(self, job: Job) -> FileRows:
        if self._single is None:
            self._single = process_pool(1)
        try:
            return submitted(self._single, rows_of, job).result()
        except BrokenProcessPool:
            self._single.shutdown()
            self._single = None
            return unread(job, "worker-died", f"{job.name!r}: the process that inspected it ended before it was done")


def checked_jobs(count: int | None) -> int:
    """A number of processes; None: as many as this process has CPUs.  Raises UsageError outside of the limit."""
    if count is None:
        return len(os.sched_getaffinity(0))
    if not 1 <= count <= JOBS:
        raise UsageError(f"{count} jobs; expected 1 to {JOBS}")
    return count


def process_pool(count: int) -> ProcessPoolExecutor:
    """``count`` new interpreters that are to be given work by ``submitted``."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=_begin)


def submitted(pool: ProcessPoolExecutor, work: Callable[..., _Result], *arguments: object) -> Future[_Result]:
    """A future of what ``work`` gives in one of the processes.

    A pool starts its processes when it gets a job.  They begin with the signals held back that are held back here, so
    that one which comes while they load their modules waits for ``_begin``.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        return pool.submit(work, *arguments)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """A process that is told to end does so without a word, and it does not outlive the one that started it."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
