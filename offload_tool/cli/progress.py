"""A line on the terminal for work that takes a while; it is gone when the work is done."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from ..actions.bytes_written import bytes_written
from .printing import printable_line
from .terminal import is_terminal, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading

__all__ = ["progress", "written_text"]

_PATIENCE = 1.0
"""Seconds that pass before anything is shown."""
_INTERVAL = 0.2
_WIDTH = 79
_CLEAR = "\r\x1b[K"


@contextlib.contextmanager
def progress(what: str, text: Callable[[], str], *, quiet: bool) -> Iterator[None]:
    """Shows ``what`` and ``text()`` on stderr while the block runs, if that is a terminal and it takes a while."""
    if quiet or not is_terminal(sys.stderr):
        yield
        return
    import threading

    done = threading.Event()
    thread = threading.Thread(target=_show, args=(what, text, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def written_text() -> str:
    """What a pack has written so far."""
    written = bytes_written()
    return "" if written is None else f"{written / 1e6:,.0f} MB written"


def _show(what: str, text: Callable[[], str], done: threading.Event) -> None:
    shown = False
    waited = done.wait(_PATIENCE)
    while not waited:
        line = printable_line(f"{what}: {text()}")[: (width() or _WIDTH + 1) - 1]
        _write(_CLEAR + line)
        shown = True
        waited = done.wait(_INTERVAL)
    if shown:
        _write(_CLEAR)


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
