"""Inspections as JSON: a request in, an answer out.

| key | value |
|---|---|
| ``path`` | the file |
| ``view`` | an object; its keys may as well stand beside it |
| ``collection`` | ``targets`` (the default), ``objects``, ``kernels`` |
| ``fields`` | list of field names |
| ``filters`` | object: field to value or to list of values |
| ``object_ids`` | list of ids out of the inventory of ``objects``; needs ``expected_sha256`` |
| ``expected_sha256`` | SHA-256 of the file, in hexadecimal |
| ``kernels`` | true to read the kernels |
| ``digest`` | true for the file's SHA-256 in any view, and for those of the payloads |
| ``limit``, ``cursor`` | number of rows a page, and where the page begins |
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from ...errors import OffloadError, UsageError
from ...frozen import frozen
from ...limits import REQUEST_BYTES
from ...model import closest
from ..mapping import mapped
from .query import Query, page
from .report import Inspection, inspect_file
from .request_schema import KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["InspectionRequest", "answer", "inspect_gpu_code_objects", "inspected", "request_text"]


@frozen
class InspectionRequest:
    """One file and what is wanted of it."""

    path: str
    query: Query
    kernels: bool = False
    digest: bool = False
    expected_sha256: str | None = None
    object_ids: tuple[str, ...] | None = None

    @classmethod
    def parse(cls, request: Mapping[str, Any]) -> InspectionRequest:
        """Out of decoded JSON; raises UsageError that names the key at fault.

        >>> InspectionRequest.parse({"path": "a.so", "view": {"collection": "objects"}}).query.collection
        'objects'
        """
        values = _flattened(request)
        path = _text(values, "path")
        if not path:
            raise UsageError("the request names no file; expected a text under 'path'")
        collection = _text(values, "collection")
        query = Query(
            collection="targets" if collection is None else collection, fields=_texts(values, "fields"),
            filters=_filters(values.get("filters")), limit=_number(values, "limit"), cursor=_text(values, "cursor"),
        )  # fmt: skip
        query.check()
        return cls(
            path=path, query=query, kernels=_flag(values, "kernels"), digest=_flag(values, "digest"),
            expected_sha256=_text(values, "expected_sha256"), object_ids=_texts(values, "object_ids"),
        )  # fmt: skip


def inspect_gpu_code_objects(request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a request, both as JSON has them: keys file, sha256, collection, coverage, rows, next_cursor.

    Raises UsageError for a request that cannot be meant, OffloadError for a file that cannot be read.

    >>> inspect_gpu_code_objects({"path": "a.so", "view": {"collection": "targets"}})["rows"]  # doctest: +SKIP
    [{'vendor': 'nvidia', 'target': 'sm_90', ...}]
    """
    return answer(InspectionRequest.parse(request))


def answer(request: InspectionRequest, *, jobs: int | None = 1) -> dict[str, Any]:
    """The answer to a request that is already checked; ``jobs`` are those of ``inspect_file``."""
    inspection = inspected(request, jobs=jobs)
    found = page(inspection, request.query)
    return {
        "file": inspection.file, "sha256": inspection.sha256, "collection": request.query.collection,
        "coverage": inspection.coverage, "rows": list(found.rows), "next_cursor": found.next_cursor,
    }  # fmt: skip


def inspected(request: InspectionRequest, *, jobs: int | None = 1) -> Inspection:
    """The inspection that a request asks for; where ids are delivered, the file's SHA-256 is, too."""
    has_ids = request.query.collection != "targets"
    return inspect_file(
        request.path, kernels=request.kernels or request.query.collection == "kernels",
        digest=request.digest or has_ids, payload_digests=request.digest and has_ids,
        expected_sha256=request.expected_sha256, object_ids=request.object_ids, jobs=jobs,
    )  # fmt: skip


def _flattened(request: Mapping[str, Any]) -> dict[str, Any]:
    view = request.get("view", {})
    if not isinstance(view, Mapping):
        raise UsageError(f"'view' is {view!r}; expected an object")
    beside = {key: value for key, value in request.items() if key != "view"}
    for key in (*beside, *view):
        if key not in KEYS:
            raise UsageError(f"unknown key {key!r} in the request{closest(str(key), KEYS)}")
        if key in beside and key in view:
            raise UsageError(f"{key!r} stands in the view and beside it")
    return {**beside, **view}


def _text(values: Mapping[str, Any], key: str) -> str | None:
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{key!r} is {value!r}; expected a text")
    return value


def _texts(values: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    value = values.get(key)
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise UsageError(f"{key!r} is {value!r}; expected a list of texts")
    return tuple(value)


def _flag(values: Mapping[str, Any], key: str) -> bool:
    value = values.get(key, False)
    if not isinstance(value, bool):
        raise UsageError(f"{key!r} is {value!r}; expected true or false")
    return value


def _number(values: Mapping[str, Any], key: str) -> int | None:
    value = values.get(key)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise UsageError(f"{key!r} is {value!r}; expected a number")
    return value


def _filters(value: object) -> dict[str, tuple[str, ...]]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"'filters' is {value!r}; expected an object of fields and values")
    return {str(name): _wanted(name, wanted) for name, wanted in value.items()}


def _wanted(name: object, wanted: object) -> tuple[str, ...]:
    values = wanted if isinstance(wanted, list | tuple) else [wanted]
    for value in values:
        if not isinstance(value, str | int | None):
            raise UsageError(f"filter {name!r} is {value!r}; expected a text, a number, true, false, null, or a list")
    return tuple(_as_text(value) for value in values)


def _as_text(value: object) -> str:
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def request_text(path: str) -> str:
    """The text of a request out of a file; raises OffloadError where it cannot be read."""
    with mapped(path) as data:
        if len(data) > REQUEST_BYTES:
            raise OffloadError(f"{path!r} has {len(data)} bytes; a request has at most {REQUEST_BYTES}")
        return bytes(data).decode("utf-8", "replace")
