"""The string table as LLVM's StringTableBuilder lays it out: each string once, tails shared."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["string_table"]


def string_table(strings: Iterable[bytes]) -> tuple[bytes, dict[bytes, int]]:
    r"""The table's bytes and the offset of each string in it.

    The table begins with one NUL, where the empty string lies.  The distinct strings follow, sorted by their reversed
    text, descending; one that is the tail of the string before it points into that one.

    >>> string_table([b"cuda", b"nvidia-cuda"])
    (b'\x00nvidia-cuda\x00', {b'nvidia-cuda': 1, b'cuda': 8, b'': 0})
    """
    table = bytearray(b"\0")
    offsets: dict[bytes, int] = {}
    previous = b""
    for mirrored in sorted({string[::-1] for string in strings}, reverse=True):
        string = mirrored[::-1]
        if previous.endswith(string):
            offsets[string] = len(table) - len(string) - 1
            continue
        offsets[string] = len(table)
        table += string + b"\0"
        previous = string
    offsets[b""] = 0
    return bytes(table), offsets
