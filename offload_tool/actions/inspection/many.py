"""Many files inspected: trees and lists of files, in parts and by any workers."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence

from ...frozen import replace
from .query import Query
from .request import InspectionRequest
from .tree import Shard, candidates
from .work import FileRows, Job, unread
from .workers import Workers, in_order

__all__ = ["inspect_many"]


def inspect_many(
    paths: Sequence[str],
    query: Query,
    *,
    kernels: bool = False,
    digest: bool = False,
    shard: Shard | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> Generator[FileRows, None, None]:
    """The rows of every file with device code, in the order of the files, as they come.

    Folders are walked, see ``tree.candidates``; files without rows are left out.  ``shard`` takes a part of the files.
    The work is done by ``jobs`` processes of this machine, or by the Dask cluster whose ``scheduler`` is named; closing
    the generator ends them.  A file that is broken, cannot be read or kills its worker is a row.  Raises UsageError
    for a query that cannot be meant, OffloadError where the cluster does not answer.

    >>> for found in inspect_many(["/opt/rocm/lib"], Query()):  # doctest: +SKIP
    ...     print(found.file, [row["target"] for row in found.rows])
    /opt/rocm/lib/librccl.so.1.0 ['gfx908:xnack-', 'gfx90a:xnack-', 'gfx942']
    """
    query.check()
    wanted = InspectionRequest(path="", query=query, kernels=kernels, digest=digest)
    workers = _workers(jobs, scheduler)
    return _with_rows(in_order(_items(paths, shard or Shard(), wanted), workers))


def _with_rows(found: Generator[FileRows, None, None]) -> Generator[FileRows, None, None]:
    with contextlib.closing(found):
        yield from (rows for rows in found if rows.rows or rows.is_broken)


def _workers(jobs: int | None, scheduler: str | None) -> Workers:
    if scheduler is not None:
        from .cluster import Cluster

        return Cluster(scheduler)
    from .processes import Processes

    return Processes(jobs)


def _items(paths: Sequence[str], shard: Shard, wanted: InspectionRequest) -> Iterator[Job | FileRows]:
    for found in candidates(paths, shard):
        job = Job(name=found.path, request=replace(wanted, path=found.path))
        yield job if found.fault is None else unread(job, "unreadable", found.fault)
