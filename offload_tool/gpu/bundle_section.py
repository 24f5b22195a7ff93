"""A section of bundles, such as ``.hip_fatbin``: one per translation unit, each at a multiple of 4096 from its start.

The linker puts zeros between them.  A section of zeros alone is one whose bundles were moved out of the file: it holds
nothing.  The walk goes by sizes; magic numbers are looked for only where something else than zeros follows a bundle,
and there only at multiples of 4096: objects may hold any magic number.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..wire.bounded import align_up, skip_zeros
from . import hip_bundle
from .bundle_reader import read_bundle
from .ccob import ccob_contents, read_ccob
from .payload import Contents, PayloadFault

__all__ = ["read_bundles"]

_LONGEST_MAGIC = len(hip_bundle.MAGIC)


def read_bundles(data: memoryview) -> Iterator[Contents]:
    """Each bundle of a section in turn; offsets count bytes from the start of ``data``.

    A compressed one is a single payload of kind ``ccob``: ``read_ccob`` at its ``header_offset`` opens it.  Bytes that
    belong to none come as contents without payloads, with the fault ``bad-padding`` and up to where the next begins.
    """
    position = _begin(data, 0)
    while position < len(data):
        head = bytes(data[position : position + _LONGEST_MAGIC])
        if head.startswith(hip_bundle.COMPRESSED_MAGIC):
            found = ccob_contents(read_ccob(data, position))
        elif head == hip_bundle.MAGIC:
            found = read_bundle(data, position)
        else:
            found = _stray(data, position)
        yield found
        position = _begin(data, found.end)


def _begin(data: memoryview, position: int) -> int:
    return skip_zeros(data, position, 1)


def _stray(data: memoryview, position: int) -> Contents:
    end = align_up(position + 1, hip_bundle.ALIGNMENT)
    while end < len(data) and not hip_bundle.matches(bytes(data[end : end + _LONGEST_MAGIC])):
        end += hip_bundle.ALIGNMENT
    text = f"bytes {position} to {min(end, len(data))} are neither a bundle nor zeros"
    fault = PayloadFault(code="bad-padding", offset=position, text=text)
    return Contents(payloads=(), end=min(end, len(data)), fault=fault)
