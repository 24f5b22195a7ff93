"""A line on the terminal for work that takes a while; it is gone when the work is done."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from ..actions.bytes_written import bytes_written
from .printing import printable_line
from .terminal import is_terminal, width

if TYPE_CHECKING:
    import threading

__all__ = ["Counted", "progress", "written_text"]

_PATIENCE = 1.0
"""Seconds that pass before anything is shown."""
_INTERVAL = 0.2
_WIDTH = 79
_CLEAR = "\r\x1b[K"
_Item = TypeVar("_Item")


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


class Counted(Generic[_Item]):
    """Passes items on and counts them; ``text`` tells how many there were."""

    def __init__(self, items: Iterable[_Item], one: str, several: str) -> None:
        self._items = items
        self._nouns = {True: one, False: several}
        self._count = 0

    def __iter__(self) -> Iterator[_Item]:
        for item in self._items:
            self._count += 1
            yield item

    def text(self) -> str:
        """The number of items so far, with their noun."""
        return f"{self._count:,} {self._nouns[self._count == 1]}"


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
