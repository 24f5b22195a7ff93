r"""Static archives taken apart: GNU, BSD, COFF and thin ones, in one pass and without a copy of the members.

| ar_name | what it is |
|---|---|
| ``/``, ``/SYM64/``, ``/<ECSYMBOLS>/`` and the like | symbol index, passed over; COFF archives have several |
| ``__.SYMDEF``, ``__.SYMDEF_64``, either with `` SORTED`` | BSD symbol index, passed over |
| ``//`` | name table: names that end in ``/\n``, in COFF archives in NUL |
| ``/OFFSET`` | the name stands at that byte of the name table |
| ``/OFFSET:ORIGIN`` | the same, in GNU's thin archives: a member of the archive of that name, its header at ORIGIN |
| ``#1/LENGTH`` | BSD: that many of the member's first bytes are its name, filled with NUL |
| ``NAME/`` (GNU, COFF), ``NAME`` (BSD) | a short name |

In a thin archive only indexes and name tables have bytes; the other members are files, named relative to the archive.
Layout of the header: ``archive_layout``.  Source: ``ar.h``, the PE and COFF specification, and what binutils 2.40 and
LLVM 22 write.  Not read: the big archives of AIX, which share nothing but the idea.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import FormatError
from ..frozen import frozen
from ..limits import ARCHIVE_MEMBERS, ARCHIVE_NAME_BYTES
from ..wire.bounded import unpack
from ..wire.magic import AIX_ARCHIVES as _AIX_MAGICS
from .archive_layout import FMAG, HEADER, HEADER_SIZE, MAGIC, THIN_MAGIC

__all__ = ["ArchiveMember", "matches", "members"]

_BSD_INDEXES = ("__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64", "__.SYMDEF_64 SORTED")
_NAME_TABLE = b"//"
_INDEX = re.compile(rb"/|/SYM64/|/<.*>/?", re.DOTALL)
# The "/" at the end: in thin archives binutils 2.40 leaves it in the field of a file whose base name has 15 bytes.
_TABLE_NAME = re.compile(rb"/(\d+)(?::(\d+))?(?: */)?")
_BSD_NAME = re.compile(rb"#1/(\d+)")
_NAME_END = re.compile(rb"/\n|\0")


@frozen
class ArchiveMember:
    """One member, in the archive's order.

    ``name`` is as written, bytes that are no UTF-8 as surrogates; ``occurrence`` counts the members of the same name
    that come before it.  ``header_offset`` and ``offset`` are those of the member's header and of its first byte from
    the start of the archive, ``size`` is the number of its bytes.

    With ``is_thin`` the archive holds none of its bytes: ``size`` is 0 and ``name`` is the path of a file, relative to
    the archive's folder unless absolute.  Where ``origin`` is not None that file is itself an archive, and the member
    is the one whose ``header_offset`` there equals ``origin``.
    """

    name: str
    occurrence: int
    header_offset: int
    offset: int
    size: int
    is_thin: bool
    origin: int | None = None


@frozen
class _Header:
    """The fields of a header that count; ``size`` is that of the bytes in the archive, a BSD name among them."""

    name_field: bytes
    header_offset: int
    offset: int
    size: int


@frozen
class _Name:
    """A member's name, how many of the member's bytes it takes, and the number behind ``:`` of a thin archive."""

    text: str
    size: int = 0
    origin: int | None = None


class _NameTable:
    """The member ``//``.  A name is read once, however many members point to it."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._names: dict[int, str] = {}

    def name(self, place: int, header_offset: int) -> str:
        if place not in self._names:
            self._names[place] = self._read(place, header_offset)
        return self._names[place]

    def _read(self, place: int, header_offset: int) -> str:
        if place >= len(self._data):
            what = f"archive member's name stands at byte {place} of the name table, which has {len(self._data)}"
            raise FormatError(what, offset=header_offset)
        # Names that may begin anywhere could overlap, and their sum be quadratic in the size of the table.
        before = bytes(self._data[max(place - 2, 0) : place])
        if place and before[-1:] != b"\0" and before != b"/\n":
            raise FormatError(
                f"archive member's name stands at byte {place}, inside another name", offset=header_offset
            )
        end = _NAME_END.search(self._data, place, place + ARCHIVE_NAME_BYTES)
        if end is None:
            what = f"name at byte {place} of the name table does not end within {ARCHIVE_NAME_BYTES} bytes"
            raise FormatError(what, offset=header_offset)
        return _text(bytes(self._data[place : end.start()]), header_offset)


def matches(head: bytes) -> bool:
    """Whether the bytes begin as an archive does; AIX ones among them, so that ``members`` can refuse them by name."""
    return head[:8] in (MAGIC, THIN_MAGIC, *_AIX_MAGICS)


def members(data: memoryview) -> Iterator[ArchiveMember]:
    r"""The members of an archive, in order, without symbol indexes and name tables.

    Raises FormatError, with the offset in ``data``, at the first header or name that is not as described above, or
    that claims more bytes than are there.  Members that were given before it are sound.

    >>> archive = b"!<arch>\nk.o/            0           0     0     644     3         `\nabc\n"
    >>> [(member.name, member.offset, member.size) for member in members(memoryview(archive))]
    [('k.o', 68, 3)]
    """
    thin = _is_thin(data)
    table = _NameTable(data[:0])
    occurrences: dict[str, int] = {}
    for header in _headers(data, thin=thin):
        if header.name_field == _NAME_TABLE:
            table = _NameTable(data[header.offset : header.offset + header.size])
        elif not _INDEX.fullmatch(header.name_field):
            found = _name(header, data, table, thin=thin)
            if found.text in _BSD_INDEXES:
                continue
            occurrences[found.text] = occurrences.get(found.text, -1) + 1
            yield ArchiveMember(
                name=found.text, occurrence=occurrences[found.text], header_offset=header.header_offset,
                offset=header.offset + found.size, size=header.size - found.size, is_thin=thin, origin=found.origin,
            )  # fmt: skip


def _is_thin(data: memoryview) -> bool:
    magic = bytes(data[:8])
    if magic in _AIX_MAGICS:
        raise FormatError(f"archive of AIX, {magic[:7].decode()!r}, is not supported; expected '!<arch>'", offset=0)
    if magic not in (MAGIC, THIN_MAGIC):
        raise FormatError(f"magic {magic!r} is not that of an archive, {MAGIC!r} or {THIN_MAGIC!r}", offset=0)
    return magic == THIN_MAGIC


def _headers(data: memoryview, *, thin: bool) -> Iterator[_Header]:
    offset, count = len(MAGIC), 0
    while offset < len(data):
        count += 1
        if count > ARCHIVE_MEMBERS:
            raise FormatError(f"more than {ARCHIVE_MEMBERS} archive members", offset=offset)
        header = _header(data, offset, thin=thin)
        yield header
        # The byte that makes the number even may be missing after the last member.
        offset = header.offset + header.size + header.size % 2


def _header(data: memoryview, offset: int, *, thin: bool) -> _Header:
    ar_name, _, _, _, _, ar_size, ar_fmag = unpack(HEADER, data, offset, "the header of an archive member")
    if ar_fmag != FMAG:
        raise FormatError(f"header of an archive member ends in {ar_fmag!r}, expected {FMAG!r}", offset=offset + 58)
    digits = ar_size.rstrip(b" ")
    if not digits.isdigit():
        raise FormatError(f"size {ar_size!r} of an archive member is not decimal", offset=offset + 48)
    start, size = offset + HEADER_SIZE, int(digits)
    name_field = ar_name.rstrip(b" ")
    if thin and name_field != _NAME_TABLE and not _INDEX.fullmatch(name_field):
        size = 0
    if size > len(data) - start:
        raise FormatError(f"archive member claims {size} bytes, {len(data) - start} are there", offset=offset + 48)
    return _Header(name_field=name_field, header_offset=offset, offset=start, size=size)


def _name(header: _Header, data: memoryview, table: _NameTable, *, thin: bool) -> _Name:
    field = header.name_field
    if found := _TABLE_NAME.fullmatch(field):
        origin = int(found[2]) if found[2] is not None else None
        if origin is not None and not thin:
            raise FormatError(f"member name {field!r} is of a form for thin archives only", offset=header.header_offset)
        return _Name(text=table.name(int(found[1]), header.header_offset), origin=origin)
    if found := _BSD_NAME.fullmatch(field):
        return _bsd_name(header, data, int(found[1]))
    if field.startswith(b"/"):
        raise FormatError(f"member name {field!r} is of no known form", offset=header.header_offset)
    return _Name(text=_text(field.removesuffix(b"/"), header.header_offset))


def _bsd_name(header: _Header, data: memoryview, size: int) -> _Name:
    if size > min(header.size, ARCHIVE_NAME_BYTES):
        what = f"member's name claims {size} bytes, the member has {header.size}, names at most {ARCHIVE_NAME_BYTES}"
        raise FormatError(what, offset=header.header_offset)
    name = bytes(data[header.offset : header.offset + size]).rstrip(b"\0")
    return _Name(text=_text(name, header.header_offset), size=size)


def _text(name: bytes, header_offset: int) -> str:
    # No file has such a name, and functions that open files raise other errors on a NUL.
    if not name or b"\0" in name:
        raise FormatError(f"member name {name!r} is empty or holds a NUL", offset=header_offset)
    return name.decode("utf-8", "surrogateescape")
