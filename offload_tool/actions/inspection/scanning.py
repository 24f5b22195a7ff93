"""Containers of device code found by their magic, in files whose section headers are gone.

A magic may stand in other bytes by chance, and a container may hold another one: so a hit counts only where its header
is sound, and the search goes on behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ...codec.layout import MAGIC as OFFLOAD_BINARY_MAGIC
from ...codec.layout import PREFIX, VERSIONS
from ...gpu.bundle_reader import read_bundle
from ...gpu.ccob import read_ccob
from ...gpu.cuda_fatbin import MAGIC as FATBIN_MAGIC
from ...gpu.cuda_fatbin import read_fatbin
from ...gpu.hip_bundle import COMPRESSED_MAGIC, HEADER
from ...gpu.hip_bundle import MAGIC as BUNDLE_MAGIC
from ...limits import BUNDLE_ENTRIES, SCAN_ENTRIES, SCAN_HITS

__all__ = ["device_code_extents"]


def device_code_extents(data: memoryview) -> list[tuple[int, int]]:
    """Offset and size in bytes of the containers in ``data``, in file order.

    At most ``SCAN_HITS`` magics are tried, and it ends after ``SCAN_ENTRIES`` entries of what turned out to be none:
    such may stand in each other, so that the same bytes would be read over and over.
    """
    extents: list[tuple[int, int]] = []
    end, entries = 0, 0
    for number, hit in enumerate(_MAGICS.finditer(data)):
        if number >= SCAN_HITS or entries > SCAN_ENTRIES:
            break
        if hit.start() < end:
            continue
        tried = _TRIES[hit.group()](data, hit.start())
        if tried.end is not None:
            end = tried.end
            extents.append((hit.start(), end - hit.start()))
        else:
            entries += tried.entries
    return extents


class _Tried(NamedTuple):
    """Where a container ends, None where there is none, and how many of its entries were read."""

    end: int | None
    entries: int = 1


def _fatbin(data: memoryview, start: int) -> _Tried:
    contents = read_fatbin(data, start)
    is_sound = contents.payloads and contents.fault is None
    return _Tried(contents.end if is_sound else None, len(contents.payloads) + 1)


def _bundle(data: memoryview, start: int) -> _Tried:
    contents = read_bundle(data, start)
    # Entries of the host are read, but are no payloads.
    count = HEADER.unpack_from(data, start)[1] if len(data) - start >= HEADER.size else 1
    return _Tried(contents.end if contents.payloads and contents.fault is None else None, min(count, BUNDLE_ENTRIES))


def _ccob(data: memoryview, start: int) -> _Tried:
    ccob = read_ccob(data, start)
    # Only the stream of version 1 is followed.
    followed = ccob.uncompressed_size >> _PAGE_BITS if ccob.version == 1 else 0
    return _Tried(ccob.end if ccob.fault is None else None, followed + 1)


def _offload_binary(data: memoryview, start: int) -> _Tried:
    left = len(data) - start
    if left < VERSIONS[1].header_size:
        return _Tried(None)
    _, version = PREFIX.unpack_from(data, start)
    if version not in VERSIONS:
        return _Tried(None)
    (size,) = VERSIONS[1].header.unpack_from(data, start + PREFIX.size)[:1]
    return _Tried(start + size if VERSIONS[version].header_size <= size <= left else None)


_TRIES: dict[bytes, Callable[[memoryview, int], _Tried]] = {
    FATBIN_MAGIC: _fatbin,
    BUNDLE_MAGIC: _bundle,
    COMPRESSED_MAGIC: _ccob,
    OFFLOAD_BINARY_MAGIC: _offload_binary,
}
_MAGICS = re.compile(b"|".join(map(re.escape, _TRIES)))
_PAGE_BITS = 12
"""Decoding so many bits' worth of bytes takes no longer than reading an entry."""
