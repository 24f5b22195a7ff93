"""Items on their way, counted for the person who waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

__all__ = ["Counted"]

_Item = TypeVar("_Item")


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
