"""What the person's terminal can show; where there is none, output is the same for every program that reads it."""

from __future__ import annotations

import contextlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["has_colour", "is_terminal", "width"]


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at the stream."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def has_colour(stream: TextIO | None) -> bool:
    """Whether colours may be used: on a terminal that has some, unless NO_COLOR (no-color.org) is set."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Columns of the terminal that stdout is, by COLUMNS if that says; None where it is none."""
    if not is_terminal(sys.stdout):
        return None
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said):
        return int(said)
    with contextlib.suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    return None
