"""One large file looked at by several processes, each with its part of the payloads."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool
from itertools import zip_longest

from ...frozen import replace
from ..file_state import FileState, OpenFile
from ..mapping import mapped_descriptor, opened
from .payload_rows import PayloadRows, Wanted, payload_rows
from .processes import process_pool, submitted, usable_cpus

__all__ = ["rows_in_parts"]

_MOST = 16
"""Processes: each finds all payloads before it looks at its own, which takes a twentieth of the time."""


def rows_in_parts(data: memoryview, path: str, descriptor: int, wanted: Wanted, jobs: int | None) -> list[PayloadRows]:
    """The rows of all payloads in their order; this process takes a part, too.

    ``data`` are the bytes of the file, which is open as ``descriptor``.  Raises OffloadError if it changed before
    another process had opened it.  Where one of them dies, for want of memory as like as not, this one does it all.
    """
    count = min(usable_cpus() if jobs is None else jobs, _MOST)
    parts = [replace(wanted, part=part, parts=count) for part in range(count)]
    if count < 2:
        return list(payload_rows(data, path, wanted))
    state = OpenFile.of(path, descriptor).state
    pool = process_pool(count - 1)
    try:
        others = [submitted(pool, _rows_of_part, path, state, part) for part in parts[1:]]
        own = list(payload_rows(data, path, parts[0]))
        dealt = [own, *(other.result() for other in others)]
    except BrokenProcessPool:
        return list(payload_rows(data, path, wanted))
    finally:
        pool.shutdown(cancel_futures=True)
    return [rows for turn in zip_longest(*dealt) for rows in turn if rows is not None]


def _rows_of_part(path: str, state: FileState, part: Wanted) -> list[PayloadRows]:
    with opened(path) as descriptor:
        state.check_descriptor(descriptor, path)
        return list(payload_rows(mapped_descriptor(descriptor), path, part))
