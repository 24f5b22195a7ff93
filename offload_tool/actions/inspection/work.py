"""The unit of work on many files: one file and what is wanted of it in, its rows out; both travel between processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ...errors import FormatError, OffloadError
from ...frozen import frozen, replace
from ...gpu.payload import PayloadFault
from .query import FIXED_OBJECT_FIELDS, Query, field_names, page, passes
from .report import Inspection
from .request import InspectionRequest, inspected

__all__ = ["FILE_CODES", "FileRows", "Job", "rows_of", "unread"]

FILE_CODES = {
    "unreadable": "the file or folder cannot be opened or read where the work is done",
    "worker-died": "the process that inspected the file ended before it was done",
    "failed": "the file was given up because of a fault of this program or for want of memory",
}
"""The codes of faults that files have as a whole, besides those of payloads."""


@frozen
class Job:
    """One file: ``name`` is what its rows call it, ``request.path`` what is opened."""

    name: str
    request: InspectionRequest


@frozen
class FileRows:
    """What one file came to: its rows as they are printed, and how far it could be read."""

    file: str
    coverage: str
    rows: tuple[dict[str, Any], ...]

    @property
    def is_broken(self) -> bool:
        """Whether nothing of the file could be read."""
        return self.coverage in ("malformed", "unexamined")


def rows_of(job: Job, at: str = "") -> FileRows:
    """The rows of one file; whatever is wrong with it is a row, too.  ``at`` says where, if not on this machine.

    A row has ``file``, ``sha256``, the fields of the collection, ``coverage`` and ``fault``, these two whatever fields
    are wanted.  A target has the first fault of its payloads.  A payload that has a fault and no kernels has one row
    without a name among the kernels.
    """
    try:
        inspection = inspected(job.request)
        return FileRows(file=job.name, coverage=inspection.coverage, rows=tuple(_printed(job, inspection)))
    except FormatError as error:
        fault = PayloadFault(code="bad-header", offset=error.offset, text=error.what)
        return _faulty(job, "malformed", fault)
    except OffloadError as error:
        return unread(job, "unreadable", f"{error}{at}")
    except Exception as error:  # noqa: BLE001 - one file must not end the inspection of all others
        return unread(job, "failed", f"{type(error).__name__}: {error}{at}")


def unread(job: Job, code: str, text: str) -> FileRows:
    """What stands for a file of which nothing was read: one row, whatever the filters; ``code`` is of FILE_CODES."""
    return _faulty(job, "unexamined", PayloadFault(code=code, offset=None, text=text))


def _faulty(job: Job, coverage: str, fault: PayloadFault) -> FileRows:
    query = job.request.query
    nothing: dict[str, Any] = dict.fromkeys(field_names(query.collection))
    row = _row(job.name, None, {**nothing, "coverage": coverage, "fault": asdict(fault)}, query)
    return FileRows(file=job.name, coverage=coverage, rows=(row,))


def _printed(job: Job, inspection: Inspection) -> Iterator[dict[str, Any]]:
    query = job.request.query
    found = page(inspection, replace(query, fields=None)).rows
    for row in _WITH_FAULTS[query.collection](inspection, found, query):
        yield _row(job.name, inspection.sha256, row, query)


def _row(file: str, sha256: str | None, row: dict[str, Any], query: Query) -> dict[str, Any]:
    names = tuple(row)
    if query.fields is not None:
        fixed = FIXED_OBJECT_FIELDS if query.collection == "objects" else ()
        names = (*fixed, *query.fields, "coverage", "fault")
    return {"file": file, "sha256": sha256, **{name: row[name] for name in names}}


_Rows = tuple[dict[str, Any], ...]


def _targets(inspection: Inspection, rows: _Rows, _query: Query) -> Iterator[dict[str, Any]]:
    faults: dict[str | None, PayloadFault] = {}
    for found in inspection.objects:
        if found.fault is not None:
            faults.setdefault(found.target or found.payload_target, found.fault)
    for row in rows:
        fault = faults.get(row["target"])
        yield {**row, "fault": None if fault is None else asdict(fault)}


def _objects(_inspection: Inspection, rows: _Rows, _query: Query) -> Iterator[dict[str, Any]]:
    yield from rows


def _kernels(inspection: Inspection, rows: _Rows, query: Query) -> Iterator[dict[str, Any]]:
    own: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        own.setdefault(row["object_id"], []).append(row)
    named = {kernel.object_id for kernel in inspection.kernels or ()}
    for found in inspection.objects:
        fault = None if found.fault is None else asdict(found.fault)
        kernels = own.get(found.id, [])
        if fault is not None and found.id not in named:
            told = {name: getattr(found, name, None) for name in field_names("kernels")}
            kernels = [row for row in [{**told, "object_id": found.id}] if passes(row, query.filters)]
        for row in kernels:
            yield {**row, "coverage": found.coverage, "fault": fault}


_WITH_FAULTS = {"targets": _targets, "objects": _objects, "kernels": _kernels}
