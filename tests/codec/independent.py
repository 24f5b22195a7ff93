"""A minimal reader of offload binaries, written apart from the package: what it reads, the package must read alike."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

import zstandard

MAGIC = b"\x10\xff\x10\xad"


class Damaged(Exception):  # noqa: N818 - it is an answer
    pass


class Listed(NamedTuple):
    version: int
    image_kind: int
    offload_kind: int
    flags: int
    strings: tuple[tuple[bytes, bytes], ...]
    image: bytes


def images_of(content: bytes) -> list[Listed]:
    listed: list[Listed] = []
    offset = 0
    while offset < len(content):
        if not any(content[offset : offset + 8]):
            offset += 8
            continue
        size, found = _binary(content[offset:])
        listed += found
        offset += (size + 7) // 8 * 8
    return listed


def _take(data: bytes, offset: int, size: int) -> bytes:
    if offset + size > len(data):
        raise Damaged
    return data[offset : offset + size]


def _binary(data: bytes) -> tuple[int, list[Listed]]:
    magic, version, size, entries, count = struct.unpack("<4sIQQQ", _take(data, 0, 32))
    if magic != MAGIC or version not in (1, 2, 3) or size > len(data) or size < (72 if version == 1 else 32):
        raise Damaged
    data = data[:size]
    if version == 3:
        (inflated,) = struct.unpack("<Q", _take(data, 32, 8))
        data = _inflated(data, inflated) if inflated else data
    if version == 1 and count != 40:
        raise Damaged
    number = 1 if version == 1 else count
    if number * 40 > len(data):
        raise Damaged
    return size, [_entry(data, version, entries + 40 * index) for index in range(number)]


def _inflated(data: bytes, size: int) -> bytes:
    if not 40 <= size <= 1 << 20:
        raise Damaged
    body = data[40:]
    try:
        if body[:4] == b"\x28\xb5\x2f\xfd":
            inflater = zstandard.ZstdDecompressor().decompressobj()
            plain = inflater.decompress(body)
            done, rest = inflater.eof, inflater.unused_data
        else:
            other = zlib.decompressobj()
            plain = other.decompress(body, size)
            done, rest = other.eof, other.unused_data
    except (zlib.error, zstandard.ZstdError) as error:
        raise Damaged from error
    if not done or rest or len(plain) != size - 40:
        raise Damaged
    return data[:40] + plain


def _entry(data: bytes, version: int, offset: int) -> Listed:
    image_kind, offload_kind, flags, strings, count, image, size = struct.unpack("<HHIQQQQ", _take(data, offset, 40))
    width = 16 if version == 1 else 24
    if count * width > len(data):
        raise Damaged
    pairs = [_pair(data, version, strings + width * index) for index in range(count)]
    if version > 1 and flags & 1:
        size = image = 0
    return Listed(version, image_kind, offload_kind, flags, tuple(pairs), _take(data, image, size))


def _pair(data: bytes, version: int, offset: int) -> tuple[bytes, bytes]:
    key, value = struct.unpack("<QQ", _take(data, offset, 16))
    if version == 1:
        return _text(data, key), _text(data, value)
    (size,) = struct.unpack("<Q", _take(data, offset + 16, 8))
    return _text(data, key), _take(data, value, size)


def _text(data: bytes, offset: int) -> bytes:
    end = data.find(b"\0", offset)
    if offset >= len(data) or end < 0:
        raise Damaged
    return data[offset:end]
