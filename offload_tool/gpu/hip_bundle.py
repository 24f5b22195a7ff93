"""Clang's offload bundles, plain (``__CLANG_OFFLOAD_BUNDLE__``) or compressed (``CCOB``), so far by their magic."""

from __future__ import annotations

__all__ = ["COMPRESSED_MAGIC", "MAGIC", "matches"]

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED_MAGIC = b"CCOB"


def matches(head: bytes) -> bool:
    """Whether the bytes begin as a bundle does."""
    return head.startswith((MAGIC, COMPRESSED_MAGIC))
