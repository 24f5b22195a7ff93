"""The line of a manifest that a fault points at, and a caret below it, as compilers show them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from ..errors import Fault, OffloadError
from .source import text_of
from .tree import TextFault

__all__ = ["excerpts"]

_WIDTH = 100
_BEFORE = 60


def excerpts(faults: Iterable[Fault], printable: Callable[[str], str]) -> list[str]:
    """Two lines for each fault: the text and the caret; empty where the file cannot be read any more.

    ``printable`` makes a part of a line fit to be shown; the caret stands below what that gives.  Of a long line, as in
    generated JSON, only what stands around the fault is shown.
    """
    lines: dict[str, list[str]] = {}
    found = []
    for fault in faults:
        if fault.file not in lines:
            lines[fault.file] = _lines_of(fault.file)
        of_file = lines[fault.file]
        found.append(_excerpt(of_file[fault.line - 1], fault.column, printable) if fault.line <= len(of_file) else "")
    return found


def _lines_of(path: str) -> list[str]:
    if not os.path.isfile(path):
        return []  # a pipe has been read, and would be waited for
    try:
        text = text_of(path)
    except (OffloadError, TextFault):
        return []
    # YAML counts more ends of lines than JSON: where a text has those, no line is better than a wrong one.
    others = ("\r", "\x85", "\u2028", "\u2029")
    return [] if any(end in text.replace("\r\n", "\n") for end in others) else text.replace("\r\n", "\n").split("\n")


def _excerpt(line: str, column: int, printable: Callable[[str], str]) -> str:
    """The line and the caret.

    >>> print(_excerpt("kind: hpi", 7, str))
      kind: hpi
            ^
    """
    line = line.replace("\t", " ")
    start = max(0, column - 1 - _BEFORE) if len(line) > _WIDTH else 0
    end = start + _WIDTH
    lead, tail = "..." if start else "", "..." if end < len(line) else ""
    before = lead + printable(line[start : column - 1])
    return f"  {before}{printable(line[column - 1 : end])}{tail}\n  {' ' * len(before)}^"
