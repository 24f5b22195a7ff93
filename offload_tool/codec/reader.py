"""Offload binaries out of bytes: headers and strings are read, images are only located."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..errors import FormatError
from ..frozen import constructor, frozen
from ..limits import IMAGES, STRING_BYTES, STRING_RECORDS, STRINGS_BYTES
from ..wire.bounded import align_up, c_string, skip_zeros, span, unpack
from .layout import ALIGNMENT, ENTRY, FLAG_METADATA_ONLY, MAGIC, PREFIX, VERSIONS, Entry, Header, Version
from .plain import PlainReader

__all__ = ["Inflate", "StoredImage", "read_images"]

Inflate = Callable[[bytes, memoryview, int], memoryview]
"""``inflate(header, stream, size)`` gives ``size`` bytes: ``header`` and then what the zlib or zstd stream holds.

It raises FormatError, with an offset in the stream, where the stream is damaged or holds another number of bytes.
"""


@frozen
class StoredImage:
    """One image of a fat binary.

    ``offset`` is that of the image's first byte in the buffer that was read, or None if the binary is compressed; then
    ``content`` holds the image.  ``size`` is its length in bytes, ``binary_offset`` where the binary begins that it
    came from; a compressed one has its stream in ``body_size`` bytes from ``body_offset`` on.  ``image_kind`` and
    ``offload_kind`` are the numbers on disk; ``strings`` keeps the order on disk.  ``is_shared`` tells that the images
    of the binary up to this one have more bytes than the binary, so that some stand in others: whoever opens such
    images may read the same bytes over and over.
    """

    version: int
    binary_offset: int
    image_kind: int
    offload_kind: int
    flags: int
    strings: tuple[tuple[str, str], ...]
    offset: int | None
    size: int
    content: memoryview | None = None
    body_offset: int | None = None
    body_size: int = 0
    is_shared: bool = False


def read_images(data: memoryview, inflate: Inflate) -> Iterator[StoredImage]:
    """The images of the binaries that stand back to back in ``data``, in order; ``inflate`` opens compressed ones.

    Zeros between and after binaries are passed over.  Raises FormatError, with the offset in ``data``, at the first
    byte that is not as docs/formats.md says.
    """
    offset = images = 0
    reader, make_image = PlainReader(data), constructor(StoredImage)
    while offset < len(data):
        plain = reader.read(offset) if images < IMAGES else None
        if plain is not None:
            size, image_kind, offload_kind, flags, strings, image_offset, image_size = plain
            images += 1
            yield make_image(
                version=1, binary_offset=offset, image_kind=image_kind, offload_kind=offload_kind, flags=flags,
                strings=strings, offset=offset + image_offset, size=image_size,
            )  # fmt: skip
        else:
            try:
                binary = _Binary(data[offset:], inflate)
                images, size = images + binary.count, binary.header.size
                if images > IMAGES:
                    raise FormatError(f"more than {IMAGES} images", offset=0)
                yield from binary.images(offset)
            except FormatError as error:
                raise error.shifted(offset) from None
        offset = min(offset + align_up(size, ALIGNMENT), len(data))
        if offset < len(data) and not data[offset]:
            offset = skip_zeros(data, offset, ALIGNMENT)


class _Binary:
    """One binary: its header, and the bytes that its offsets count in."""

    def __init__(self, data: memoryview, inflate: Inflate) -> None:
        self._version = _read_version(data)
        self.header = header = _read_header(data, self._version)
        self._data = data[: header.size]
        self._is_inflated = bool(header.inflated_size)
        if header.inflated_size:
            self._data = _inflated(self._data, self._version.header_size, header.inflated_size, inflate)
        self.count = 1 if self._version.is_single else header.entries
        if self.count * ENTRY.size > len(self._data):
            raise FormatError(f"{self.count} entries are claimed in {len(self._data)} bytes", offset=24)
        self._strings = _Strings(self._data, self._version)
        self._claimed = 0

    def images(self, base: int) -> Iterator[StoredImage]:
        """The images, with ``base`` added to their offsets."""
        try:
            for number in range(self.count):
                yield self._image(self._entry(self.header.entries_offset + number * ENTRY.size), base)
        except FormatError as error:
            if not self._is_inflated:
                raise
            place = f"{error.what} (byte {error.offset} of the inflated binary)"
            raise FormatError(place, offset=self._version.header_size) from None

    def _entry(self, offset: int) -> Entry:
        return Entry(*unpack(ENTRY, self._data, offset, "the entry"))

    def _image(self, entry: Entry, base: int) -> StoredImage:
        is_image = self._version.is_single or not entry.flags & FLAG_METADATA_ONLY
        size = entry.image_size if is_image else 0
        content = span(self._data, entry.image_offset, size, "the image") if is_image else self._data[:0]
        self._claimed += size
        return StoredImage(
            version=self._version.number, binary_offset=base, image_kind=entry.image_kind,
            offload_kind=entry.offload_kind, flags=entry.flags, strings=self._strings.of(entry),
            offset=None if self._is_inflated else base + entry.image_offset, size=size,
            content=content if self._is_inflated else None,
            body_offset=base + self._version.header_size if self._is_inflated else None,
            body_size=self.header.size - self._version.header_size if self._is_inflated else 0,
            is_shared=self._claimed > len(self._data),
        )  # fmt: skip


class _Strings:
    """The strings of a binary's entries, each read once; what may be read in all is limited, as records can overlap."""

    def __init__(self, data: memoryview, version: Version) -> None:
        self._data = data
        self._layout = version.string_record
        self._records_left = len(data) // self._layout.size
        self._bytes_left = STRINGS_BYTES
        self._read: dict[tuple[int, int | None], str] = {}

    def of(self, entry: Entry) -> tuple[tuple[str, str], ...]:
        """The key-value strings of one entry, in the order of the records."""
        count = entry.string_count
        if count > min(STRING_RECORDS, self._records_left):
            place = min(entry.string_offset, len(self._data))
            raise FormatError(f"the entry claims {count} strings, more than there can be", offset=place)
        self._records_left -= count
        # A copy: an iterator over a memoryview crashes CPython 3.11 when both are collected with an error's frames.
        records = bytes(span(self._data, entry.string_offset, count * self._layout.size, "the string records"))
        return tuple(
            (self._string(key, None, "a key"), self._string(value, size[0] if size else None, "a value"))
            for key, value, *size in self._layout.iter_unpack(records)
        )

    def _string(self, offset: int, size: int | None, what: str) -> str:
        found = self._read.get((offset, size))
        if found is None:
            content = self._content(offset, size, what)
            self._bytes_left -= len(content)
            if self._bytes_left < 0:
                raise FormatError(f"the strings of a binary exceed {STRINGS_BYTES} bytes", offset=offset)
            found = self._read[offset, size] = content.decode("utf-8", "surrogateescape")
        return found

    def _content(self, offset: int, size: int | None, what: str) -> bytes:
        if size is None:
            return c_string(self._data, offset, STRING_BYTES, what)
        if size > STRING_BYTES:
            raise FormatError(f"{what} claims {size} bytes, at most {STRING_BYTES} are read", offset=offset)
        return bytes(span(self._data, offset, size, what))


def _read_version(data: memoryview) -> Version:
    magic, number = unpack(PREFIX, data, 0, "the header of an offload binary")
    if magic != MAGIC:
        raise FormatError(f"magic {magic.hex(' ')!r} is not that of an offload binary, {MAGIC.hex(' ')!r}", offset=0)
    if number not in VERSIONS:
        known = ", ".join(map(str, VERSIONS))
        raise FormatError(f"offload binary version {number} is not known; expected one of {known}", offset=4)
    return VERSIONS[number]


def _read_header(data: memoryview, version: Version) -> Header:
    header = Header(*unpack(version.header, data, PREFIX.size, "the header of an offload binary"))
    smallest = version.header_size + (ENTRY.size if version.is_single else 0)
    if header.size < smallest or header.size > len(data):
        raise FormatError(f"offload binary claims {header.size} bytes, {len(data)} are there", offset=8)
    if version.is_single and header.entries != ENTRY.size:
        raise FormatError(f"entry size {header.entries} is not {ENTRY.size}", offset=24)
    return header


def _inflated(data: memoryview, header_size: int, inflated_size: int, inflate: Inflate) -> memoryview:
    if inflated_size < header_size:
        raise FormatError(f"inflated size {inflated_size} is less than the header's, {header_size}", offset=32)
    try:
        return inflate(bytes(data[:header_size]), data[header_size:], inflated_size)
    except FormatError as error:
        raise error.shifted(header_size) from None
