"""The record of the last pack, beside its output: what each image's file was, and where its bytes stand.

It says nothing of what the bytes are.  Whoever reads it compares bytes with those of the output itself, so that it
cannot be wrong about them; it only spares the reading of images that nobody touched.  In file order, little-endian:

======  ======  ===================================================================================
offset  length  header
======  ======  ===================================================================================
0       8       magic, ``OFFLOREC``
8       4       version, 1
12      4       number of entries
16      32      SHA-256 of everything behind it
48      32      SHA-256 of the state of the packager's own modules
80      8       when the pack began, nanoseconds since 1970
88      32      the output: size, time of content, time of status, inode (8 bytes each)
120     4       length of the form's text, which follows the entries
======  ======  ===================================================================================

======  ======  ===================================================================================
offset  length  entry
======  ======  ===================================================================================
0       8       offset of the image's bytes in the output
8       32      the image's file: size, time of content, time of status, inode (8 bytes each)
40      4       length of the file's path; the paths follow the form's text
======  ======  ===================================================================================

Sizes and offsets count bytes.  Times and inodes are kept modulo 2^64.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

from ..errors import FormatError
from ..frozen import frozen
from ..limits import IMAGES, RECORD_BYTES
from .checksum import sha256

__all__ = ["NOBODY", "FileIdentity", "Place", "Record", "read_record"]

_MAGIC = b"OFFLOREC"
_VERSION = 1
_HEAD = struct.Struct("<8sII32s")
_REST = struct.Struct("<32sQQQQQI")
_ENTRY = struct.Struct("<QQQQQI")
_WORD = 1 << 64
_TEXT = ("utf-8", "surrogateescape")

assert _HEAD.size == 48
assert _HEAD.size + _REST.size == 124
assert _ENTRY.size == 44


@frozen
class FileIdentity:
    """What tells whether a file is still the one it was: its size in bytes, its two times and its inode."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileIdentity:
        """That of a file's status."""
        return cls.of_numbers(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

    @classmethod
    def of_numbers(cls, size: int, mtime_ns: int, ctime_ns: int, inode: int) -> FileIdentity:
        """The same from its four numbers."""
        return cls(size=size, mtime_ns=mtime_ns % _WORD, ctime_ns=ctime_ns % _WORD, inode=inode % _WORD)

    def words(self) -> tuple[int, int, int, int]:
        """The four numbers in their order on disk."""
        return self.size, self.mtime_ns, self.ctime_ns, self.inode


NOBODY = FileIdentity(size=0, mtime_ns=0, ctime_ns=0, inode=0)
"""The identity of no file: a record that holds it fits no output."""


@frozen
class Place:
    """Where an image's bytes stand in the output, and the file that they were copied from."""

    path: str
    offset: int
    file: FileIdentity


@frozen
class Record:
    """One pack: by which packager (a digest in hexadecimal), when it began, in which form, into what, from what."""

    packager: str
    began_ns: int
    form: str
    output: FileIdentity
    places: tuple[Place, ...]

    def encoded(self) -> bytes:
        """The bytes of the file."""
        paths = [place.path.encode(*_TEXT) for place in self.places]
        form = self.form.encode()
        rest = _REST.pack(bytes.fromhex(self.packager), self.began_ns % _WORD, *self.output.words(), len(form))
        entries = [
            _ENTRY.pack(place.offset, *place.file.words(), len(path))
            for place, path in zip(self.places, paths, strict=True)
        ]
        body = b"".join((rest, *entries, form, *paths))
        return _HEAD.pack(_MAGIC, _VERSION, len(self.places), sha256(body).digest()) + body

    @classmethod
    def decoded(cls, content: bytes) -> Record:
        """The record in a file's bytes; raises FormatError for any that ``encoded`` did not write."""
        if len(content) < _HEAD.size + _REST.size:
            raise FormatError(
                f"the record has {len(content)} bytes, expected {_HEAD.size + _REST.size} or more", offset=0
            )
        magic, version, count, checksum = _HEAD.unpack_from(content)
        if (magic, version) != (_MAGIC, _VERSION):
            raise FormatError(f"the record begins with {magic!r}, version {version}", offset=0)
        if sha256(memoryview(content)[_HEAD.size :]).digest() != checksum:
            raise FormatError("the record's checksum does not fit its bytes", offset=16)
        packager, began_ns, *output, form_size = _REST.unpack_from(content, _HEAD.size)
        entries, form_offset = _entries(content, count)
        paths_offset = form_offset + form_size
        size = paths_offset + sum(entry[-1] for entry in entries)
        if size != len(content):
            raise FormatError(f"the record has {len(content)} bytes, its texts end at {size}", offset=form_offset)
        return cls(
            packager=packager.hex(),
            began_ns=began_ns,
            form=content[form_offset:paths_offset].decode("utf-8", "replace"),
            output=FileIdentity.of_numbers(*output),
            places=tuple(_places(content, entries, paths_offset)),
        )


def _entries(content: bytes, count: int) -> tuple[list[tuple[int, ...]], int]:
    first = _HEAD.size + _REST.size
    end = first + count * _ENTRY.size
    if count > IMAGES or end > len(content):
        raise FormatError(f"the record claims {count} entries in {len(content)} bytes", offset=12)
    return list(_ENTRY.iter_unpack(content[first:end])), end


def _places(content: bytes, entries: list[tuple[int, ...]], offset: int) -> Iterator[Place]:
    for entry in entries:
        end = offset + entry[-1]
        yield Place(path=content[offset:end].decode(*_TEXT), offset=entry[0], file=FileIdentity.of_numbers(*entry[1:5]))
        offset = end


def read_record(path: str) -> Record | None:
    """The record in a file, None where there is none; raises FormatError for a damaged one, OSError for no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        size = os.fstat(descriptor).st_size
        if size > RECORD_BYTES:
            raise FormatError(f"the record has {size} bytes, at most {RECORD_BYTES} are read", offset=0)
        return Record.decoded(file.read(size))
