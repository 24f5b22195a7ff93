"""Everything of an offload binary but the image itself, so that images are copied and never held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import UsageError
from ..limits import ALIGN
from ..wire.bounded import align_up
from .layout import ALIGNMENT, ENTRY, HEADER, STRING_RECORD, VERSION_1, Entry, Header
from .record_order import record_order
from .string_table import string_table

__all__ = ["Frame", "checked_align", "encode_string", "frame"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The bytes before an image and the number of zero bytes after it; ``size`` is that of the whole binary."""

    before: bytes
    image_size: int
    after: int

    @property
    def size(self) -> int:
        """Bytes of the whole binary, padding included."""
        return len(self.before) + self.image_size + self.after


def frame(
    strings: Sequence[tuple[bytes, bytes]],
    *,
    argument_order: tuple[bytes, ...],
    image_kind: int,
    offload_kind: int,
    image_size: int,
    flags: int = 0,
    align: int = ALIGNMENT,
) -> Frame:
    """The version 1 binary around an image of ``image_size`` bytes.

    ``strings`` are the stored key-value pairs; ``argument_order`` holds their keys and those that LLVM's packager
    takes but does not store (``file``, ``kind``), as they were given.  The offset of the image and the size of the
    binary become multiples of ``align`` bytes.

    >>> len(frame([(b"triple", b"t")], argument_order=(b"file", b"triple"),
    ...           image_kind=1, offload_kind=0, image_size=8).before)
    104
    """
    values = dict(strings)
    table, offsets = string_table((*values.keys(), *values.values()))
    string_offset = HEADER.size + ENTRY.size
    table_offset = string_offset + STRING_RECORD.size * len(values)
    image_offset = align_up(table_offset + len(table), align)
    size = align_up(image_offset + image_size, align)
    header = Header(version=VERSION_1, size=size, entry_offset=HEADER.size, entry_size=ENTRY.size)
    entry = Entry(
        image_kind=image_kind, offload_kind=offload_kind, flags=flags, string_offset=string_offset,
        string_count=len(values), image_offset=image_offset, image_size=image_size,
    )  # fmt: skip
    records = b"".join(
        STRING_RECORD.pack(table_offset + offsets[key], table_offset + offsets[values[key]])
        for key in record_order(argument_order)
        if key in values
    )
    before = (header.pack() + entry.pack() + records + table).ljust(image_offset, b"\0")
    return Frame(before=before, image_size=image_size, after=size - image_offset - image_size)


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
