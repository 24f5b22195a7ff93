"""Which entry of one list is which of another, where entries may be equal in what they are for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TypeAlias

__all__ = ["Entry", "paired"]

Entry: TypeAlias = tuple[Hashable, Hashable]
"""What an image is for, and what it holds."""


def paired(first: Mapping[int, Entry], second: Mapping[int, Entry]) -> dict[int, int]:
    """For entries of ``first`` their partners in ``second``, by number; what has no partner is left out.

    Partners are for the same.  Of several that are, those that hold the same are paired before, then by their order.

    >>> paired({0: ("sm_80", "a"), 1: ("sm_80", "b")}, {0: ("sm_80", "b")})
    {1: 0}
    """
    found: dict[int, int] = {}
    for key in (_whole, _purpose):
        taken = set(found.values())
        rest = {number: entry for number, entry in first.items() if number not in found}
        other = {number: entry for number, entry in second.items() if number not in taken}
        found.update(_in_order(rest, other, key))
    return found


def _in_order(
    first: Mapping[int, Entry], second: Mapping[int, Entry], key: Callable[[Entry], Hashable]
) -> Iterator[tuple[int, int]]:
    waiting: dict[Hashable, deque[int]] = {}
    for number, entry in second.items():
        waiting.setdefault(key(entry), deque()).append(number)
    for number, entry in first.items():
        partners = waiting.get(key(entry))
        if partners:
            yield number, partners.popleft()


def _whole(entry: Entry) -> Hashable:
    return entry


def _purpose(entry: Entry) -> Hashable:
    return entry[0]
