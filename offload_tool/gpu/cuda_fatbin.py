"""NVIDIA's fatbin, so far by its first bytes: u32 0xBA55ED50, little-endian."""

from __future__ import annotations

__all__ = ["MAGIC", "matches"]

MAGIC = b"\x50\xed\x55\xba"


def matches(head: bytes) -> bool:
    """Whether the bytes begin as a CUDA fatbin does."""
    return head[:4] == MAGIC
