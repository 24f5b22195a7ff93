"""The records of an offload binary, in file order, little-endian, for format versions 1 to 3.

Header (offsets from the first byte of *this* binary): 32 bytes, in version 3 40.

| offset | type | version 1 | versions 2 and 3 |
|---|---|---|---|
| 0 | 4 bytes | magic ``10 FF 10 AD`` | the same |
| 4 | u32 | version | the same |
| 8 | u64 | size of this binary, padding included | the same; of a compressed one header and stream, not rounded |
| 16 | u64 | offset of the entry | offset of the entries |
| 24 | u64 | size of the entry | number of entries |
| 32 | u64 | - | version 3: 0, or the size of the whole binary once inflated, header included |

Entry, 40 bytes:

| offset | type | field |
|---|---|---|
| 0 | u16 | image kind |
| 2 | u16 | offload kind |
| 4 | u32 | flags; from version 2 on bit 0 means metadata only, no image |
| 8 | u64 | offset of the string records |
| 16 | u64 | number of string records |
| 24 | u64 | offset of the image |
| 32 | u64 | size of the image |

String record: u64 offset of the key, u64 offset of the value, NUL-terminated both; from version 2 on a u64 size of the
value, which may then hold NUL.

Source: ``llvm/Object/OffloadBinary.h`` of LLVM 15 to 24, measured on their packagers up to 22.  A file is any number of
binaries back to back, of any versions; each begins at the end of the one before it, rounded up to 8.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct

from ..frozen import frozen
from ..wire.magic import OFFLOAD_BINARY as MAGIC

__all__ = [
    "ALIGNMENT", "ENTRY", "FLAG_METADATA_ONLY", "HEAD_OF_SINGLE", "MAGIC", "PREFIX", "VERSIONS", "Entry", "Header",
    "Version", "matches", "string_records_of_single",
]  # fmt: skip

ALIGNMENT = 8
FLAG_METADATA_ONLY = 1

PREFIX = Struct("<4sI")
ENTRY = Struct("<HHIQQQQ")


@frozen
class Version:
    """What differs between format versions: the header's numbers after the version, and the string record."""

    number: int
    header: Struct
    string_record: Struct

    @property
    def header_size(self) -> int:
        """Bytes of the whole header."""
        return PREFIX.size + self.header.size

    @property
    def is_single(self) -> bool:
        """Whether a binary holds exactly one entry."""
        return self.number == 1

    @property
    def is_compressible(self) -> bool:
        """Whether what follows the header may be one compressed stream."""
        return self.number >= 3


VERSIONS = {
    1: Version(number=1, header=Struct("<QQQ"), string_record=Struct("<QQ")),
    2: Version(number=2, header=Struct("<QQQ"), string_record=Struct("<QQQ")),
    3: Version(number=3, header=Struct("<QQQQ"), string_record=Struct("<QQQ")),
}
assert [version.header_size for version in VERSIONS.values()] == [32, 32, 40]
assert ENTRY.size == 40

HEAD_OF_SINGLE = Struct("<" + "".join(part.format[1:] for part in (PREFIX, VERSIONS[1].header, ENTRY)))
"""Prefix, header and entry of version 1, as they stand in a row where a packager wrote them."""
assert HEAD_OF_SINGLE.size == 72


@lru_cache(maxsize=64)
def string_records_of_single(count: int) -> Struct:
    """So many string records of version 1 in a row."""
    return Struct("<" + count * VERSIONS[1].string_record.format[1:])


@frozen(kw_only=False)
class Header:
    """The header's fields after magic and version, in file order.

    ``entries`` is the size of the one entry in version 1, the number of entries from version 2 on; ``inflated_size``
    is None before version 3.
    """

    size: int
    entries_offset: int
    entries: int
    inflated_size: int | None = None

    def pack(self, version: Version) -> bytes:
        """The bytes of the header."""
        inflated = () if self.inflated_size is None else (self.inflated_size,)
        numbers = version.header.pack(self.size, self.entries_offset, self.entries, *inflated)
        return PREFIX.pack(MAGIC, version.number) + numbers


@frozen(kw_only=False)
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
