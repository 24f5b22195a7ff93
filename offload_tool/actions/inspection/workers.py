"""Who does the work on many files: one interface for processes and clusters, and results in the order of the files."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from typing import Any, Protocol

from .work import FileRows, Job

__all__ = ["Workers", "in_order"]


class Workers(Protocol):
    """Those who inspect files.  ``window`` is how many files are under way or waiting to be printed at most."""

    window: int

    def submit(self, job: Job) -> Any:
        """A future of the job's rows; only its ``done()`` is used here."""

    def result(self, job: Job, future: Any, /) -> FileRows:
        """The rows, once they are there; a worker that is lost is a row of the file, never an error."""

    def close(self) -> None:
        """Ends the workers."""


def in_order(items: Iterable[Job | FileRows], workers: Workers) -> Generator[FileRows, None, None]:
    """The rows of every file in the order of ``items``, each as soon as those before it are there.

    Rows among the items pass through.  What is held does not grow with the number of files.
    """
    waiting: deque[tuple[Job, Any] | FileRows] = deque()
    try:
        for item in items:
            waiting.append(item if isinstance(item, FileRows) else (item, workers.submit(item)))
            while waiting and (len(waiting) >= workers.window or _is_done(waiting[0])):
                yield _settled(waiting.popleft(), workers)
        while waiting:
            yield _settled(waiting.popleft(), workers)
    finally:
        workers.close()


def _is_done(entry: tuple[Job, Any] | FileRows) -> bool:
    return isinstance(entry, FileRows) or bool(entry[1].done())


def _settled(entry: tuple[Job, Any] | FileRows, workers: Workers) -> FileRows:
    return entry if isinstance(entry, FileRows) else workers.result(*entry)
