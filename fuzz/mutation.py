"""Changes to a sound file, each told by a few numbers, so that whoever draws the numbers can repeat a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType

__all__ = ["CHANGES", "EXTREMES", "Change", "changed", "random_mutant"]

EXTREMES = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 32) - 8,
            1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 8, (1 << 64) - 1)  # fmt: skip
"""Numbers that headers claim when they lie."""

_WIDTHS = (1, 2, 4, 8)

Change = tuple[str, int, int, int]
"""The name of a change and three numbers of any size: places are taken modulo the length of the data."""


def _flip(data: bytes, where: int, bits: int, _: int) -> bytes:
    """Some bits of one byte."""
    place = where % len(data)
    return data[:place] + bytes([data[place] ^ (bits % 255 + 1)]) + data[place + 1 :]


def _cut(data: bytes, where: int, size: int, _: int) -> bytes:
    """Everything from a place on, or some bytes there."""
    place = where % len(data)
    return data[:place] + (data[place + size % (len(data) - place) + 1 :] if size % 2 else b"")


def _insert(data: bytes, where: int, size: int, value: int) -> bytes:
    """Bytes of one value."""
    place = where % (len(data) + 1)
    return data[:place] + bytes([value % 256]) * (size % 64 + 1) + data[place:]


def _repeat(data: bytes, where: int, size: int, to: int) -> bytes:
    """Some of the file's own bytes, at another place."""
    start, place = where % len(data), to % (len(data) + 1)
    return data[:place] + data[start : start + size % 256 + 1] + data[place:]


def _number(data: bytes, where: int, shape: int, value: int) -> bytes:
    """A number of one width and byte order is an extreme one; its place is a multiple of its width or is not."""
    width = _WIDTHS[shape % 4]
    place = where % len(data)
    place -= place % width if shape & 8 else 0
    number = EXTREMES[value % len(EXTREMES)] % (1 << 8 * width)
    return data[:place] + number.to_bytes(width, "big" if shape & 4 else "little") + data[place + width :]


def _move(data: bytes, where: int, shape: int, value: int) -> bytes:
    """A number is a little more or a little less than it was."""
    width = _WIDTHS[shape % 4]
    place = where % len(data)
    place -= place % width
    number = int.from_bytes(data[place : place + width], "little") + value % 17 - 8
    return data[:place] + (number % (1 << 8 * width)).to_bytes(width, "little") + data[place + width :]


CHANGES: Mapping[str, Callable[[bytes, int, int, int], bytes]] = MappingProxyType(
    {"flip": _flip, "cut": _cut, "insert": _insert, "repeat": _repeat, "number": _number, "move": _move}
)
"""Every change by name."""


def changed(data: bytes, changes: Sequence[Change], other: bytes = b"") -> bytes:
    r"""The data after all changes, in order; ``("splice", ...)`` goes on with the rest of ``other`` from a place on.

    >>> changed(b"abcd", [("cut", 2, 0, 0), ("insert", 2, 0, 33)])
    b'ab!'
    """
    for name, first, second, third in changes:
        if name == "splice":
            data = data[: first % (len(data) + 1)] + other[second % (len(other) + 1) :]
        elif data:
            data = CHANGES[name](data, first, second, third)
    return data


def random_mutant(random: Random, seeds: Sequence[bytes]) -> bytes:
    """One of ``seeds`` with one to four changes, most of them near its beginning, where headers are."""
    data = random.choice(seeds)
    changes: list[Change] = []
    for _ in range(random.randint(1, 4)):
        name = random.choice([*CHANGES, "number", "move", "splice"])
        where = random.randrange(max(len(data), 1)) >> random.choice((0, 0, 2, 4, 6))
        changes.append((name, where, random.getrandbits(16), random.getrandbits(16)))
    return changed(data, changes, random.choice(seeds))
