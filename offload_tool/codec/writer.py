"""Everything of an offload binary but the images themselves, so that images are copied and never held."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import UsageError
from ..frozen import constructor, frozen
from ..limits import ALIGN
from ..wire.bounded import align_up
from .layout import ALIGNMENT, ENTRY, HEAD_OF_SINGLE, MAGIC, Entry, Header, Version
from .single_strings import SingleStrings
from .string_table import string_table

__all__ = [
    "Frame",
    "NewImage",
    "checked_align",
    "compressed_header",
    "encode_string",
    "frame_of_single",
    "frames",
    "total_size",
]


@frozen
class NewImage:
    """One image to be written: its kinds as numbers, its strings in the order on disk, its size in bytes."""

    image_kind: int
    offload_kind: int
    strings: Sequence[tuple[bytes, bytes]]
    size: int
    flags: int = 0


@frozen
class Frame:
    """The bytes before an image and the number of zero bytes after it."""

    before: bytes
    image_size: int
    after: int

    @property
    def size(self) -> int:
        """Bytes of the image and what is around it."""
        return len(self.before) + self.image_size + self.after


def frames(images: Sequence[NewImage], version: Version, align: int = ALIGNMENT) -> list[Frame]:
    """What goes around each image, in order: one binary an image in version 1, one binary for all from 2 on.

    ``align`` above 8 is for version 1: image offsets and binary sizes become multiples of it.

    >>> from .layout import VERSIONS
    >>> [frame] = frames([NewImage(image_kind=1, offload_kind=0, strings=[(b"triple", b"t")], size=8)], VERSIONS[1])
    >>> len(frame.before), frame.after
    (104, 0)
    """
    if not images:
        return []
    if version.is_single:
        around = frame_of_single(version, align)
        return [around(image) for image in images]
    return _binary(images, version)


def frame_of_single(version: Version, align: int) -> Callable[[NewImage], Frame]:
    """What makes the frames of binaries of one image: there may be many such, with much the same strings."""
    make_frame: Callable[..., Frame] = constructor(Frame)
    strings_of = SingleStrings().of
    head_size, number, header_size, entry_size = HEAD_OF_SINGLE.size, version.number, version.header_size, ENTRY.size

    def around(image: NewImage) -> Frame:
        strings = strings_of(tuple(image.strings))
        first = align_up(head_size + len(strings), align)
        size = align_up(first + image.size, align)
        head = HEAD_OF_SINGLE.pack(
            MAGIC, number, size, header_size, entry_size, image.image_kind, image.offload_kind, image.flags,
            head_size, len(image.strings), first, image.size,
        )  # fmt: skip
        before = (head + strings).ljust(first, b"\0")
        return make_frame(before, image.size, size - first - image.size)

    return around


def _binary(images: Sequence[NewImage], version: Version) -> list[Frame]:
    table, offsets = string_table(text for image in images for pair in image.strings for text in pair)
    records_offset = version.header_size + ENTRY.size * len(images)
    table_offset = records_offset + version.string_record.size * sum(len(image.strings) for image in images)
    first = align_up(table_offset + len(table), ALIGNMENT)
    images_end = first + sum(image.size for image in images)
    size = align_up(images_end, ALIGNMENT)
    head = Header(size, version.header_size, len(images), 0 if version.is_compressible else None).pack(version)
    entries = _entries(images, version, records_offset, first)
    before = (head + entries + _records(images, version, offsets, table_offset) + table).ljust(first, b"\0")
    framed = [Frame(before=b"", image_size=image.size, after=0) for image in images]
    framed[-1] = Frame(before=b"", image_size=images[-1].size, after=size - images_end)
    framed[0] = Frame(before=before, image_size=images[0].size, after=framed[0].after)
    return framed


def _entries(images: Sequence[NewImage], version: Version, records_offset: int, image_offset: int) -> bytes:
    packed = []
    for image in images:
        entry = Entry(
            image_kind=image.image_kind, offload_kind=image.offload_kind, flags=image.flags,
            string_offset=records_offset, string_count=len(image.strings),
            image_offset=image_offset, image_size=image.size,
        )  # fmt: skip
        packed.append(entry.pack())
        records_offset += version.string_record.size * len(image.strings)
        image_offset += image.size
    return b"".join(packed)


def _records(images: Sequence[NewImage], version: Version, offsets: dict[bytes, int], base: int) -> bytes:
    pack = version.string_record.pack
    return b"".join(
        pack(base + offsets[key], base + offsets[value], len(value)) for image in images for key, value in image.strings
    )


def total_size(framed: Sequence[Frame]) -> int:
    """Bytes of all frames and their images."""
    return sum(frame.size for frame in framed)


def compressed_header(framed: Sequence[Frame], version: Version, stream_size: int) -> bytes:
    """The header of a binary whose body, all of ``framed`` behind the header, became ``stream_size`` bytes."""
    plain = Header(*version.header.unpack_from(framed[0].before, 8))
    return Header(version.header_size + stream_size, plain.entries_offset, plain.entries, total_size(framed)).pack(
        version
    )


def encode_string(text: str) -> bytes:
    """The bytes of a key or value: UTF-8, with bytes that came from the command line undecoded as they were.

    >>> encode_string("sm_90")
    b'sm_90'
    """
    return text.encode("utf-8", "surrogateescape")


def checked_align(align: int) -> int:
    """``align`` if it is a power of two from 8 to the limit; raises UsageError otherwise."""
    if align < ALIGNMENT or align > ALIGN or align & (align - 1):
        raise UsageError(f"align {align} is not allowed; expected a power of two from {ALIGNMENT} to {ALIGN}")
    return align
