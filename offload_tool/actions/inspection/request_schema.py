"""The JSON schema of a request: what ``request.InspectionRequest.parse`` takes, in one table.

The keys stand here and nowhere else; the parser refuses every other one.
"""

from __future__ import annotations

from .query import COLLECTIONS, field_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["KEYS", "request_schema"]

_TEXTS = {"type": "array", "items": {"type": "string"}}
_VALUE = {"type": ["string", "integer", "boolean", "null"]}
_FIELDS = "; ".join(f"{collection}: {', '.join(field_names(collection))}" for collection in COLLECTIONS)

_PROPERTIES: dict[str, dict[str, Any]] = {
    "path": {"type": "string", "minLength": 1, "description": "The file to inspect."},
    "collection": {
        "enum": list(COLLECTIONS),
        "description": "What a row is: a GPU target (the default), a payload, or a kernel.",
    },
    "fields": {**_TEXTS, "description": f"Only these fields of the rows. {_FIELDS}."},
    "filters": {
        "type": "object",
        "additionalProperties": {"anyOf": [_VALUE, {"type": "array", "items": _VALUE}]},
        "description": "Only rows whose fields have exactly these values; of several values of a field any may be.",
    },
    "object_ids": {
        **_TEXTS,
        "description": "Only these objects, by the ids of a view of objects; needs expected_sha256.",
    },
    "expected_sha256": {
        "type": "string",
        "description": "The file's SHA-256 out of an earlier answer; a file that has changed is refused.",
    },
    "kernels": {"type": "boolean", "description": "Read the payloads whole and tell their kernels."},
    "digest": {
        "type": "boolean",
        "description": "Tell the SHA-256 of the file, and in the view of objects of each payload.",
    },
    "limit": {"type": "integer", "minimum": 1, "description": "The number of rows of an answer at most."},
    "cursor": {"type": "string", "description": "The next_cursor of the answer before, for the rows after it."},
}

KEYS = tuple(_PROPERTIES)
"""Every key of a request but ``view``, which holds any of the others."""


def request_schema() -> dict[str, Any]:
    """The schema of a request, JSON Schema 2020-12.

    A key may stand in ``view`` or beside it; that it must not stand in both is for the parser to tell.

    >>> request_schema()["required"]
    ['path']
    """
    in_view = {key: value for key, value in _PROPERTIES.items() if key != "path"}
    view = {
        "type": "object",
        "properties": in_view,
        "additionalProperties": False,
        "description": "Any of the other keys but path, put together.",
    }
    return {
        "type": "object",
        "properties": {**_PROPERTIES, "view": view},
        "required": ["path"],
        "additionalProperties": False,
    }
