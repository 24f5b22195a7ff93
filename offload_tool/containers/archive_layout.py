r"""The header of an archive's member, shared by writer and reader.

File: a magic of 8 bytes, then members, each a 60-byte header, its bytes and ``\n`` where they are odd in number.  All
fields are text, filled with spaces at the end.

| offset | size | field | content |
|---|---|---|---|
| 0 | 16 | ar_name | GNU: ``NAME/``; ``/OFFSET`` into the name table.  BSD: ``NAME``; ``#1/LENGTH``, the name stands before the bytes |
| 16 | 12 | ar_date | seconds since 1970, decimal |
| 28 | 6 | ar_uid | decimal |
| 34 | 6 | ar_gid | decimal |
| 40 | 8 | ar_mode | octal |
| 48 | 10 | ar_size | decimal; with ``#1/LENGTH`` the name is counted |
| 58 | 2 | ar_fmag | backquote and newline |

Source: ``ar.h`` of the GNU and BSD systems; "Archive (Library) File Format" of the PE and COFF specification.
"""  # noqa: E501 - a row of a table is one line

from __future__ import annotations

from struct import Struct

from ..wire.magic import ARCHIVE as MAGIC
from ..wire.magic import THIN_ARCHIVE as THIN_MAGIC

__all__ = ["FMAG", "HEADER", "HEADER_SIZE", "MAGIC", "THIN_MAGIC", "pack_header"]

FMAG = b"`\n"

HEADER = Struct("16s12s6s6s8s10s2s")
HEADER_SIZE = 60
assert HEADER.size == HEADER_SIZE


def pack_header(*, name: bytes, date: bytes, uid: bytes, gid: bytes, mode: bytes, size: int) -> bytes:
    r"""The 60 bytes of a header; nothing is checked here, and what is longer than its field is cut.

    >>> pack_header(name=b"k.o/", date=b"0", uid=b"0", gid=b"0", mode=b"644", size=3)[48:]
    b'3         `\n'
    """
    # 16 is the widest field; the structure cuts each to its own width.
    return HEADER.pack(*(field.ljust(16) for field in (name, date, uid, gid, mode, b"%d" % size)), FMAG)
