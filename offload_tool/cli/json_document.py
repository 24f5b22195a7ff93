"""JSON documents with many rows: a row a line, so that the fast encoder writes them and people can read them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["json_blocks"]

_BLOCK = 1000
"""Rows."""


def json_blocks(document: Mapping[str, Any], rows_key: str) -> Iterator[str]:
    r"""The text of an object, a key a line; the list under ``rows_key`` has an element a line.

    It comes in blocks of whole lines, the last end of line left out of each, so that no more than a block is held.

    >>> print(*json_blocks({"file": "a.so", "rows": [{"id": "0"}, {"id": "1"}]}, "rows"), sep="\n")
    {
      "file": "a.so",
      "rows": [
        {"id": "0"},
        {"id": "1"}
      ]
    }
    """
    begin = "{\n"
    for key, value in document.items():
        begin += f"  {json.dumps(key)}: "
        if key == rows_key and value:
            yield f"{begin}["
            yield from _lines(value)
            begin = "  ],\n"
        else:
            begin += f"{json.dumps(value)},\n"
    yield begin.removesuffix(",\n").removesuffix("\n") + "\n}"


def _lines(rows: Sequence[Any]) -> Iterator[str]:
    for start in range(0, len(rows), _BLOCK):
        lines = ",\n".join(f"    {json.dumps(row)}" for row in rows[start : start + _BLOCK])
        yield lines if start + _BLOCK >= len(rows) else f"{lines},"
