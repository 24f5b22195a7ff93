"""Plain tables: columns as wide as their widest cell."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .printing import printable

__all__ = ["table"]


def table(rows: Sequence[Sequence[str]], *, right: Collection[str] = ()) -> str:
    """The rows, the first of which names the columns, as lines; columns named in ``right`` are flush right.

    >>> print(table([("a", "size"), ("x", "10")], right=("size",)))
      a  size
      x    10
    """
    cells = [[printable(cell).replace("\n", "\\n") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    ways = [str.rjust if name in right else str.ljust for name in cells[0]]
    lines = [
        "  ".join(way(cell, width) for way, cell, width in zip(ways, row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join(f"  {line}" for line in lines)
