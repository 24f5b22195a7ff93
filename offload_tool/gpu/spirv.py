"""SPIR-V modules: the word 0x07230203 in either byte order."""

from __future__ import annotations

__all__ = ["matches"]

_MAGICS = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")


def matches(head: bytes) -> bool:
    """Whether the bytes begin as SPIR-V does."""
    return head[:4] in _MAGICS
