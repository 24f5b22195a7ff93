"""The rows of inspections as tables."""

from __future__ import annotations

from collections.abc import Sequence

from .table import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["columns_of", "row_table"]

_COLUMNS = {
    "targets": ("vendor", "target", "kinds", "objects", "encoded_bytes", "decoded_bytes", "kernels", "coverage"),
    "objects": (
        "id", "kind", "target", "payload_target", "target_consistency", "coverage", "compression", "encoded_offset",
        "encoded_size", "decoded_size",
    ),
    "kernels": ("object_id", "target", "registers", "shared_bytes", "arguments_bytes", "name"),
}  # fmt: skip
_WHERE_TOLD = {"targets": ("conflicts",), "objects": ("container", "member", "section", "fault"), "kernels": ()}
"""Columns that are shown only where a row has something in them."""
_RIGHT = (
    "objects", "encoded_bytes", "decoded_bytes", "kernels", "encoded_offset", "encoded_size", "decoded_size",
    "registers", "shared_bytes", "arguments_bytes",
)  # fmt: skip


def columns_of(collection: str, rows: Sequence[dict[str, Any]]) -> list[str]:
    """The fields that are shown of rows with all of them."""
    told = [name for name in _WHERE_TOLD[collection] if any(row[name] for row in rows)]
    counted = [name for name in _COLUMNS[collection] if name != "kernels" or any(row[name] is not None for row in rows)]
    return counted + told


def row_table(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """These fields of the rows, below their names."""
    cells = zip(*(_cells([row[column] for row in rows]) for column in columns), strict=True)
    return table([[column.replace("_", " ") for column in columns], *cells], right=_right(columns))


def _cells(values: list[Any]) -> list[str]:
    """Those of a column, which mostly has whole numbers or texts alone."""
    kinds = set(map(type, values))
    if kinds == {int}:
        return list(map(str, values))
    return values if kinds == {str} and "" not in values else list(map(_cell, values))


def _right(columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.replace("_", " ") for name in columns if name in _RIGHT)


def _cell(value: object) -> str:
    if value.__class__ is str or value.__class__ is int:  # as nearly all of them are
        return str(value) or "-"
    if value is None or value == []:
        return "-"
    if isinstance(value, dict):
        place = "" if value["offset"] is None else f" (at byte {value['offset']})"
        return f"{value['code']}: {value['text']}{place}"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
