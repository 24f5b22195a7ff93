"""Binaries made in memory, and what is in them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import zstandard

from offload_tool.codec.layout import VERSIONS
from offload_tool.codec.reader import StoredImage, read_images
from offload_tool.codec.writer import NewImage, compressed_header, frames
from offload_tool.wire.inflate import inflated

Strings = tuple[tuple[bytes, bytes], ...]
TRIPLE: Strings = ((b"triple", b"t"),)


def inflate(header: bytes, stream: memoryview, size: int) -> memoryview:
    return memoryview(header + b"".join(inflated(stream, size - len(header))))


def read(content: bytes) -> Iterator[StoredImage]:
    return read_images(memoryview(content), inflate)


def bytes_of(content: bytes, image: StoredImage) -> bytes:
    if image.content is not None:
        return bytes(image.content)
    assert image.offset is not None
    return content[image.offset : image.offset + image.size]


def binary(
    *images: bytes, version: int = 1, strings: Sequence[Strings] = (), compress: str = "", align: int = 8
) -> bytes:
    """A fat binary of ``images``, each an object for CUDA with the strings of the same index, else a triple."""
    new = [
        NewImage(image_kind=1, offload_kind=2, strings=strings[index] if strings else TRIPLE, size=len(image))
        for index, image in enumerate(images)
    ]
    framed = frames(new, VERSIONS[version], align)
    parts = [around.before + image + bytes(around.after) for around, image in zip(framed, images, strict=True)]
    content = b"".join(parts)
    if not compress:
        return content
    body = content[VERSIONS[version].header_size :]
    stream = zlib.compress(body) if compress == "zlib" else zstandard.ZstdCompressor().compress(body)
    made = compressed_header(framed, VERSIONS[version], len(stream)) + stream
    return made + bytes(-len(made) % 8)
