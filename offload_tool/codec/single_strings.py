"""Records and strings of binaries of version 1, which hold one image each.

There may be tens of thousands in a file, of which most have the same strings, or others only in their arch.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .layout import HEAD_OF_SINGLE, string_records_of_single
from .string_table import string_table

__all__ = ["SingleStrings"]

_VARIED = b"arch"
_FEW = 16
"""For so many archs all strings are laid out anew before it pays to see how they stand without one."""
_KNOWN = 1024

Strings = tuple[tuple[bytes, bytes], ...]


class SingleStrings:
    """Gives the bytes between head and image, padding not included; nothing in them depends on the image."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Strings], _Varied] = {}

    def of(self, strings: Strings) -> bytes:
        """Those of an image with these keys and values, in the order of the records."""
        for place, (key, value) in enumerate(strings):
            if key == _VARIED:
                return self._varied(place, strings[:place] + strings[place + 1 :]).with_value(value)
        return _laid_out(strings)

    def _varied(self, place: int, others: Strings) -> _Varied:
        found = self._known.get((place, others))
        if found is None:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            found = self._known[place, others] = _Varied(place, others)
        return found


@lru_cache(maxsize=_KNOWN)
def _laid_out(strings: Strings) -> bytes:
    texts = [text for pair in strings for text in pair]
    table, offsets = string_table(texts)
    return _records([offsets[text] for text in texts]) + table


def _records(offsets: Sequence[int]) -> bytes:
    records = string_records_of_single(len(offsets) // 2)
    base = HEAD_OF_SINGLE.size + records.size
    return records.pack(*[base + offset for offset in offsets])


class _Varied:
    """The strings of images that differ in their arch at most, which is the value at ``place``."""

    def __init__(self, place: int, others: Strings) -> None:
        self._place, self._others = place, others
        self._known: dict[bytes, bytes] = {}
        self._without: _Without | None = None

    def with_value(self, value: bytes) -> bytes:
        """Records and table with that arch."""
        found = self._known.get(value)
        if found is None:
            if self._without is None and len(self._known) >= _FEW:
                self._without = _Without(self._place, self._others)
            found = None if self._without is None else self._without.joined(value)
            if found is None:
                found = _laid_out((*self._others[: self._place], (_VARIED, value), *self._others[self._place :]))
            if len(self._known) < _KNOWN:
                self._known[value] = found
        return found


class _Without:
    """All strings but the arch, which is put into their table, where it would stand if made with them."""

    def __init__(self, place: int, others: Strings) -> None:
        from bisect import bisect_left

        self._place_in = bisect_left
        texts = [_VARIED, *(text for pair in others for text in pair)]
        table, offsets = string_table(texts)
        self._key, self._index = offsets[_VARIED], 2 * place
        self._offsets = [offsets[text] for text in texts[1:]]
        self._mirrored = sorted({text[::-1] for text in texts})
        # The table's order is that of mirrored strings, descending: before the value are those that are greater.
        starts = [offsets[text[::-1]] for text in self._mirrored]
        own = [start if start and not table[start - 1] else len(table) for start in starts]  # no tail of another
        cuts = [min(own[:end], default=len(table)) for end in range(len(own) + 1)]
        self._parts = [(table[:cut], table[cut:]) for cut in cuts]
        self._records: dict[tuple[int, int], bytes] = {}

    def joined(self, value: bytes) -> bytes | None:
        """Records and table with that value; None where it shares its tail with another string."""
        text = value[::-1]
        place = self._place_in(self._mirrored, text)
        if place < len(self._mirrored) and self._mirrored[place].startswith(text):
            return None
        if place and text.startswith(self._mirrored[place - 1]):
            return None
        records = self._records.get((place, len(value)))
        if records is None:
            records = self._records[place, len(value)] = self._made_records(place, len(value) + 1)
        before, after = self._parts[place]
        return b"".join((records, before, value, b"\0", after))

    def _made_records(self, place: int, added: int) -> bytes:
        cut = len(self._parts[place][0])
        key, *others = [offset + added if offset >= cut else offset for offset in (self._key, *self._offsets)]
        return _records([*others[: self._index], key, cut, *others[self._index :]])
