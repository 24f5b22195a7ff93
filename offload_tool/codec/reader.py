"""Offload binaries out of bytes: headers and strings are read, images are only located."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import FormatError
from ..limits import IMAGES, STRING_BYTES, STRING_RECORDS, STRINGS_BYTES
from ..wire.bounded import align_up, c_string, skip_zeros, span, unpack
from .layout import ALIGNMENT, ENTRY, HEADER, MAGIC, STRING_RECORD, VERSION_1, Entry, Header

__all__ = ["StoredImage", "read_images"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredImage:
    """One image of a fat binary.

    ``offset`` is that of the image's first byte in the buffer that was read, ``size`` its length, both in bytes;
    ``image_kind`` and ``offload_kind`` are the numbers on disk; ``strings`` keeps the order on disk.
    """

    version: int
    image_kind: int
    offload_kind: int
    flags: int
    strings: tuple[tuple[str, str], ...]
    offset: int
    size: int


def read_images(data: memoryview) -> Iterator[StoredImage]:
    """The images of the binaries that stand back to back in ``data``, in order.

    Zeros between and after binaries are passed over.  Raises FormatError, with the offset in ``data``, at the first
    byte that is not as docs/formats.md says.
    """
    offset = count = 0
    while offset < len(data):
        size, image = _read_binary(data[offset:], offset)
        count += 1
        if count > IMAGES:
            raise FormatError(f"more than {IMAGES} images", offset=offset)
        yield image
        offset = skip_zeros(data, min(offset + align_up(size, ALIGNMENT), len(data)), ALIGNMENT)


def _read_binary(data: memoryview, base: int) -> tuple[int, StoredImage]:
    try:
        header = _read_header(data)
        return header.size, _read_entry(data[: header.size], header, base)
    except FormatError as error:
        raise error.shifted(base) from None


def _read_header(data: memoryview) -> Header:
    magic, version, size, entry_offset, entry_size = unpack(HEADER, data, 0, "the header of an offload binary")
    if magic != MAGIC:
        raise FormatError(f"magic {magic.hex(' ')!r} is not that of an offload binary, {MAGIC.hex(' ')!r}", offset=0)
    if version != VERSION_1:
        raise FormatError(f"offload binary version {version} is not supported; expected {VERSION_1}", offset=4)
    if size < HEADER.size + ENTRY.size or size > len(data):
        raise FormatError(f"offload binary claims {size} bytes, {len(data)} are there", offset=8)
    if entry_size != ENTRY.size:
        raise FormatError(f"entry size {entry_size} is not {ENTRY.size}", offset=24)
    return Header(version=version, size=size, entry_offset=entry_offset, entry_size=entry_size)


def _read_entry(data: memoryview, header: Header, base: int) -> StoredImage:
    entry = Entry(**dict(zip(Entry.__slots__, unpack(ENTRY, data, header.entry_offset, "the entry"), strict=True)))
    span(data, entry.image_offset, entry.image_size, "the image")
    return StoredImage(
        version=header.version, image_kind=entry.image_kind, offload_kind=entry.offload_kind, flags=entry.flags,
        strings=_read_strings(data, entry), offset=base + entry.image_offset, size=entry.image_size,
    )  # fmt: skip


def _read_strings(data: memoryview, entry: Entry) -> tuple[tuple[str, str], ...]:
    if entry.string_count > STRING_RECORDS:
        raise FormatError(f"entry claims {entry.string_count} strings, at most {STRING_RECORDS} are read", offset=0)
    # A copy: an iterator over a memoryview crashes CPython 3.11 when both are collected with an error's frames.
    records = bytes(span(data, entry.string_offset, entry.string_count * STRING_RECORD.size, "the string records"))
    strings = _Strings(data)
    return tuple(
        (strings.at(key, "a key"), strings.at(value, "a value")) for key, value in STRING_RECORD.iter_unpack(records)
    )


class _Strings:
    """The strings of a binary, each read once; how many bytes in all is limited, since they can overlap."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._left = STRINGS_BYTES
        self._read: dict[int, str] = {}

    def at(self, offset: int, what: str) -> str:
        """The string at ``offset``."""
        if offset not in self._read:
            content = c_string(self._data, offset, STRING_BYTES, what)
            self._left -= len(content)
            if self._left < 0:
                raise FormatError(f"the strings of a binary exceed {STRINGS_BYTES} bytes", offset=offset)
            self._read[offset] = content.decode("utf-8", "surrogateescape")
        return self._read[offset]
