"""Plain tables: columns as wide as their widest cell, on a terminal no wider than that."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .printing import printable_line
from .terminal import width

__all__ = ["table"]

_NARROWEST = 12
_CUT = "..."


def table(rows: Sequence[Sequence[str]], *, right: Collection[str] = ()) -> str:
    """The rows, the first of which names the columns, as lines; columns named in ``right`` are flush right.

    On a terminal long texts are cut in the middle until the lines fit; numbers, which are flush right, never are.

    >>> print(table([("a", "size"), ("x", "10")], right=("size",)))
      a  size
      x    10
    """
    cells = [row if _is_plain("".join(row)) else [printable_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = width()
    if room is not None:
        least = [
            wide if name in right else min(wide, max(len(name), _NARROWEST))
            for name, wide in zip(cells[0], widths, strict=True)
        ]
        widths = _fitted(widths, least, room - 2 * len(widths))
        cells = [[_cut(cell, wide) for cell, wide in zip(row, widths, strict=True)] for row in cells]
    ways = ("" if name in right else "-" for name in cells[0])
    line = "".join(f"  %{way}{wide}s" for way, wide in zip(ways, widths, strict=True))
    return "\n".join([(line % tuple(row)).rstrip() for row in cells])


def _is_plain(text: str) -> bool:
    """Whether nothing in it needs an escape: told of a whole row, since there may be hundreds of thousands of cells."""
    return text.isascii() and text.isprintable()


def _fitted(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The widths, the widest of them made narrower until their sum is ``room``, but none below its ``least``.

    >>> _fitted([40, 10, 30], [12, 10, 12], 50)
    [20, 10, 20]
    """
    low, high = 0, max(widths)
    while low < high:
        middle = (low + high + 1) // 2
        fits = sum(map(_held, widths, least, [middle] * len(widths))) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return list(map(_held, widths, least, [low] * len(widths)))


def _held(wide: int, least: int, cap: int) -> int:
    return min(wide, max(least, cap))


def _cut(text: str, wide: int) -> str:
    """The text, its middle left out where it is too long: both ends of paths and names tell more.

    >>> _cut("/a/long/path/libsaxpy.so", 15)
    '/a/lon...xpy.so'
    """
    if len(text) <= wide:
        return text
    kept = wide - len(_CUT)
    return text[: kept // 2] + _CUT + text[len(text) - (kept - kept // 2) :]
