"""LLVM bitcode, so far by its first bytes: raw ``42 43 C0 DE`` or behind the wrapper ``DE C0 17 0B``."""

from __future__ import annotations

__all__ = ["MAGIC", "WRAPPER_MAGIC", "matches"]

MAGIC = b"BC\xc0\xde"
WRAPPER_MAGIC = b"\xde\xc0\x17\x0b"


def matches(head: bytes) -> bool:
    """Whether the bytes begin as LLVM bitcode does."""
    return head[:4] in (MAGIC, WRAPPER_MAGIC)
