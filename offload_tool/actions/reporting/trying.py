"""What compression would make of payloads, measured by doing it to some of them.

Up to ``REPORT_TRIED_BYTES`` all of them are tried.  Of more, each target's are taken at even distances, whole ones
where they are not large, so that the result does not depend on chance; the first of a target is tried in part at least.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...limits import REPORT_TRIED_BYTES

__all__ = ["Trial", "Trials", "methods"]

_PIECE = 8 << 20
"""Most bytes of one payload that are tried: larger windows than a codec's find little more."""
_FIRST_PIECE = 256 << 10
"""Bytes of a target's first payload that are tried in any case."""


@dataclass(slots=True, kw_only=True)
class Trial:
    """What was tried of one target's payloads: their bytes decoded and as stored, and what each method makes of them.

    ``credit`` is how many bytes may be tried before the next payload is due.
    """

    credit: float = 0.0
    decoded: int = 0
    stored: int = 0
    sizes: dict[str, int] = field(default_factory=dict)


def methods() -> Mapping[str, Callable[[memoryview], int]]:
    """The methods that can be tried here, by their names, and what gives the size that they make of bytes.

    >>> methods()["zlib 6"](memoryview(bytes(1000))) < 100
    True
    """
    found: dict[str, Callable[[memoryview], int]] = {"zlib 6": lambda data: len(zlib.compress(data, 6))}
    try:
        import zstandard
    except ImportError:
        return found
    for level in (3, 12):
        found[f"zstd {level}"] = _sized(zstandard.ZstdCompressor(level=level).compress)
    return found


def _sized(compress: Callable[[memoryview], bytes]) -> Callable[[memoryview], int]:
    return lambda data: len(compress(data))


class Trials:
    """Tries payloads as they come by; ``total`` is how many bytes all of them will be."""

    def __init__(self, total: int) -> None:
        self._rate = min(1.0, REPORT_TRIED_BYTES / total) if total else 1.0
        self._left = REPORT_TRIED_BYTES
        self._methods = methods()
        self.by_target: dict[str | None, Trial] = {}

    @property
    def methods(self) -> Sequence[str]:
        """The names of what is tried."""
        return tuple(self._methods)

    def see(self, target: str | None, content: memoryview, stored: int) -> None:
        """One payload, decoded, and the bytes that it takes in the file."""
        trial = self.by_target.setdefault(target, Trial())
        trial.credit += len(content) * self._rate
        size = min(len(content), _PIECE, self._left)
        if not trial.decoded:
            size = min(size, max(int(trial.credit), _FIRST_PIECE))
        elif trial.credit < size:
            return
        if not size:
            return
        trial.credit -= size
        self._left -= size
        trial.decoded += size
        trial.stored += stored * size // len(content)
        for name, sized in self._methods.items():
            trial.sizes[name] = trial.sizes.get(name, 0) + sized(content[:size])
