"""The records of an offload binary, in file order, little-endian.

Header, 32 bytes (offsets from the first byte of *this* binary):

| offset | type | field |
|---|---|---|
| 0 | 4 bytes | magic ``10 FF 10 AD`` |
| 4 | u32 | version |
| 8 | u64 | size of this binary, padding included |
| 16 | u64 | offset of the entry |
| 24 | u64 | size of the entry |

Entry, 40 bytes:

| offset | type | field |
|---|---|---|
| 0 | u16 | image kind |
| 2 | u16 | offload kind |
| 4 | u32 | flags |
| 8 | u64 | offset of the string records |
| 16 | u64 | number of string records |
| 24 | u64 | offset of the image |
| 32 | u64 | size of the image |

String record, 16 bytes: u64 offset of the key, u64 offset of the value, both of NUL-terminated text.

Source: ``llvm/Object/OffloadBinary.h`` of LLVM 15 to 22, measured on their packagers.  A file is any number of
binaries back to back; each begins at the end of the one before it, rounded up to 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

__all__ = ["ALIGNMENT", "ENTRY", "HEADER", "MAGIC", "STRING_RECORD", "VERSION_1", "Entry", "Header", "matches"]

MAGIC = b"\x10\xff\x10\xad"
VERSION_1 = 1
ALIGNMENT = 8

HEADER = Struct("<4sIQQQ")
ENTRY = Struct("<HHIQQQQ")
STRING_RECORD = Struct("<QQ")
assert (HEADER.size, ENTRY.size, STRING_RECORD.size) == (32, 40, 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The header's fields after the magic, in file order."""

    version: int
    size: int
    entry_offset: int
    entry_size: int

    def pack(self) -> bytes:
        """The 32 bytes of the header."""
        return HEADER.pack(MAGIC, self.version, self.size, self.entry_offset, self.entry_size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The entry's fields, in file order; kinds are the numbers on disk."""

    image_kind: int
    offload_kind: int
    flags: int
    string_offset: int
    string_count: int
    image_offset: int
    image_size: int

    def pack(self) -> bytes:
        """The 40 bytes of the entry."""
        return ENTRY.pack(
            self.image_kind, self.offload_kind, self.flags,
            self.string_offset, self.string_count, self.image_offset, self.image_size,
        )  # fmt: skip


def matches(head: bytes) -> bool:
    """Whether the bytes begin as an offload binary does."""
    return head[:4] == MAGIC
