"""Which rows of an inspection are wanted, and which of their fields; and pages of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import attrgetter

from ...errors import UsageError
from ...frozen import field, frozen, names_of_fields
from ...gpu.payload import PayloadFault
from .report import Inspection
from .rows import KernelRow, ObjectRow
from .targets import TargetRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["COLLECTIONS", "FIXED_OBJECT_FIELDS", "Page", "Query", "field_names", "page", "passes"]

_ROW_TYPES: dict[str, type[TargetRow | ObjectRow | KernelRow]] = {
    "targets": TargetRow,
    "objects": ObjectRow,
    "kernels": KernelRow,
}
COLLECTIONS = tuple(_ROW_TYPES)
"""What can be asked for."""

FIXED_OBJECT_FIELDS = ("id", "kind", "target", "payload_target", "target_consistency", "coverage")
"""Fields that each row of the objects has, whatever fields are asked for."""


@frozen
class Query:
    """What is wanted of one file: ``filters`` must all hold, and of the values of one any may.

    ``fields`` None gives all of them, ``limit`` None all rows; ``cursor`` is the ``next_cursor`` of the page before.
    """

    collection: str = "targets"
    fields: tuple[str, ...] | None = None
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    limit: int | None = None
    cursor: str | None = None

    def check(self) -> None:
        """Raises UsageError for a collection, a field or a limit that there is none of."""
        if self.collection not in _ROW_TYPES:
            raise UsageError(f"unknown collection {self.collection!r}; expected one of {', '.join(COLLECTIONS)}")
        names = field_names(self.collection)
        for name in (*(self.fields or ()), *self.filters):
            if name not in names:
                raise UsageError(f"{self.collection} have no field {name!r}; expected one of {', '.join(names)}")
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"limit {self.limit} is less than 1")


@frozen
class Page:
    """Rows as they are printed, and the cursor of the next page; None after the last one."""

    rows: tuple[dict[str, Any], ...]
    next_cursor: str | None


def field_names(collection: str) -> tuple[str, ...]:
    """The fields of a collection's rows, in order.

    >>> field_names("targets")[:2]
    ('vendor', 'target')
    """
    return names_of_fields(_ROW_TYPES[collection])


def page(inspection: Inspection, query: Query) -> Page:
    """The rows that are wanted, from the cursor on; raises UsageError where the cursor belongs to other rows.

    A cursor names a place in exactly these rows, so a page is the same however often it is asked for.
    """
    query.check()
    rows = _rows(inspection, query.collection)
    if query.filters:
        rows = [row for row in rows if passes(row, query.filters)]
    start, fingerprint = 0, ""
    if query.cursor is not None or (query.limit is not None and query.limit < len(rows)):
        fingerprint = _fingerprint(rows)
    if query.cursor is not None:
        start = _start(query.cursor, fingerprint, len(rows))
    end = len(rows) if query.limit is None else min(start + query.limit, len(rows))
    kept = tuple(_narrowed(row, query) for row in rows[start:end])
    return Page(rows=kept, next_cursor=_cursor(end, fingerprint) if end < len(rows) else None)


def _rows(inspection: Inspection, collection: str) -> list[dict[str, Any]]:
    found: Sequence[TargetRow] | Sequence[ObjectRow] | Sequence[KernelRow] | None = getattr(inspection, collection)
    names = field_names(collection)
    values_of = attrgetter(*names)
    return [
        {
            name: value if type(value) in _PLAIN else _as_json(value)
            for name, value in zip(names, values_of(row), strict=True)
        }
        for row in found or ()
    ]


_PLAIN = (str, int, type(None), bool)


def _as_json(value: Any) -> Any:
    """As JSON gives it back: there are no tuples, and a fault is an object."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, PayloadFault):
        return {"code": value.code, "offset": value.offset, "text": value.text}
    return value


def passes(row: Mapping[str, Any], filters: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a row has one of the wanted values in each field that ``filters`` name."""
    return all(any(_equals(row[name], value) for value in values) for name, values in filters.items())


def _equals(value: object, wanted: str) -> bool:
    """Exactly the value as JSON writes it; one of a list; ``null`` for none."""
    if isinstance(value, list):
        return wanted in value
    if value is None or isinstance(value, bool):
        return wanted == json.dumps(value)
    return str(value) == wanted


def _narrowed(row: dict[str, Any], query: Query) -> dict[str, Any]:
    if query.fields is None:
        return row
    fixed = FIXED_OBJECT_FIELDS if query.collection == "objects" else ()
    return {name: row[name] for name in dict.fromkeys((*fixed, *query.fields))}


def _fingerprint(rows: Sequence[Mapping[str, Any]]) -> str:
    import hashlib

    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]


def _cursor(start: int, fingerprint: str) -> str:
    import base64

    return base64.urlsafe_b64encode(f"{start}.{fingerprint}".encode()).decode().rstrip("=")


def _start(cursor: str, fingerprint: str, count: int) -> int:
    import base64

    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
    except ValueError:
        text = ""
    start, _, belongs_to = text.partition(".")
    if not start.isdigit() or len(start) > 9 or belongs_to != fingerprint or int(start) > count:
        raise UsageError(f"cursor {cursor!r} does not belong to these rows; begin without a cursor")
    return int(start)
