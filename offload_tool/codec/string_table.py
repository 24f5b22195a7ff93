"""The string table as LLVM's StringTableBuilder lays it out: each string once, tails shared."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

__all__ = ["string_table"]

_reversed = itemgetter(slice(None, None, -1))


def string_table(strings: Iterable[bytes]) -> tuple[bytes, dict[bytes, int]]:
    r"""The table's bytes and the offset of each string in it.

    The table begins with one NUL, where the empty string lies.  The distinct strings follow, sorted by their reversed
    text, descending; one that is the tail of the string before it points into that one.

    >>> string_table([b"cuda", b"nvidia-cuda"])
    (b'\x00nvidia-cuda\x00', {b'nvidia-cuda': 1, b'cuda': 8, b'': 0})
    """
    offsets: dict[bytes, int] = {}
    kept = [b""]
    end, previous = 1, b""
    for string in sorted(set(strings), key=_reversed, reverse=True):
        if previous.endswith(string):
            offsets[string] = end - len(string) - 1
        else:
            offsets[string] = end
            end += len(string) + 1
            kept.append(string)
            previous = string
    offsets[b""] = 0
    return b"\0".join((*kept, b"")), offsets
