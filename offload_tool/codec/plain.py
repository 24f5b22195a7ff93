"""Binaries of version 1 as packagers write them, each read in one go.

Header, entry, string records, strings and image stand in a row there, and images of one build share most of their
strings.  Whatever stands otherwise is left to ``reader``, which reads every form and says what is wrong.
"""

from __future__ import annotations

from .layout import ENTRY, HEAD_OF_SINGLE, MAGIC, VERSIONS, string_records_of_single

__all__ = ["Plain", "PlainReader"]

_VERSION = VERSIONS[1]
_RECORD = _VERSION.string_record
_LONGEST = 4096
"""Bytes of records and strings; more are read one by one, within the limits of all binaries."""
_KNOWN = 4096
"""Records and strings that are kept, to be met again."""

Plain = tuple[int, int, int, int, tuple[tuple[str, str], ...], int, int]
"""Size of the binary; image kind, offload kind and flags; strings; offset in the binary and size of the image."""


class PlainReader:
    """Reads the binaries of one buffer; texts that it has met before are not read again."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._known: dict[tuple[bytes, int], tuple[tuple[str, str], ...] | None] = {}

    def read(self, offset: int) -> Plain | None:
        """What the binary at ``offset`` holds; None where it is of another form, damaged or cut."""
        data = self._data
        room = len(data) - offset
        if room < HEAD_OF_SINGLE.size:
            return None
        (
            magic, version, size, entry_offset, entry_size,
            image_kind, offload_kind, flags, string_offset, count, image_offset, image_size,
        ) = HEAD_OF_SINGLE.unpack_from(data, offset)  # fmt: skip
        layout = (magic, version, entry_offset, entry_size, string_offset)
        if layout != _USUAL or not image_offset + image_size <= size <= room:
            return None
        if not count * _RECORD.size <= image_offset - HEAD_OF_SINGLE.size <= _LONGEST:
            return None
        key = (bytes(data[offset + HEAD_OF_SINGLE.size : offset + image_offset]), count)
        strings = self._known.get(key)
        if strings is None:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            strings = self._known[key] = _strings(*key)
        return None if strings is None else (size, image_kind, offload_kind, flags, strings, image_offset, image_size)


def _strings(content: bytes, count: int) -> tuple[tuple[str, str], ...] | None:
    """The pairs of ``count`` records at the start of ``content``, None where a string does not end in it."""
    text = content.decode("latin-1")  # a character a byte, so that offsets stay; nearly all strings are ASCII
    end_of = text.index
    texts = []
    try:
        for offset in string_records_of_single(count).unpack_from(content):
            start = offset - HEAD_OF_SINGLE.size
            if start < 0:
                return None
            texts.append(text[start : end_of("\0", start)])
    except ValueError:
        return None
    if not "".join(texts).isascii():
        texts = [found.encode("latin-1").decode("utf-8", "surrogateescape") for found in texts]
    in_turn = iter(texts)
    return tuple(zip(in_turn, in_turn, strict=True))


_USUAL = (MAGIC, _VERSION.number, _VERSION.header_size, ENTRY.size, HEAD_OF_SINGLE.size)
