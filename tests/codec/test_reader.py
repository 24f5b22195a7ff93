"""Damaged binaries: a FormatError with an offset, before anything is allocated or looped over."""

from __future__ import annotations

import struct

import pytest

from offload_tool.errors import FormatError

from .binaries import binary as made
from .binaries import bytes_of, read


def binary(image: bytes = b"image") -> bytes:
    return made(image)


def patched(offset: int, value: int, size: str = "Q") -> bytes:
    content = bytearray(binary())
    struct.pack_into(f"<{size}", content, offset, value)
    return bytes(content)


def fault(content: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        list(read(content))
    return caught.value


def test_round_trip() -> None:
    (image,) = read(binary())
    assert (image.image_kind, image.offload_kind, image.strings) == (1, 2, (("triple", "t"),))
    assert bytes_of(binary(), image) == b"image"


@pytest.mark.parametrize("padding", [0, 8, 4096, 200_000, 3])
def test_zeros_between_and_after_binaries(padding: int) -> None:
    between = padding - padding % 8
    content = binary(b"one") + bytes(between) + binary(b"two!") + bytes(padding)
    found = list(read(content))
    assert [bytes_of(content, image) for image in found] == [b"one", b"two!"]


def test_nothing_holds_no_image() -> None:
    assert list(read(b"")) == []


@pytest.mark.parametrize("version", [0, 4, 2**32 - 1])
def test_g02_version_is_named(version: int) -> None:
    assert f"version {version} is not known" in fault(patched(4, version, "I")).what


@pytest.mark.parametrize(
    ("offset", "value", "words", "place"),
    [
        (0, 0, "magic", 0),
        (8, 0, "claims 0 bytes", 8),
        (8, len(binary()) + 1, "are there", 8),
        (8, 2**63, "are there", 8),
        (16, 2**40, "the entry needs", None),
        (24, 41, "entry size 41", 24),
        (32 + 8, 2**40, "string records", None),
        (32 + 16, 2**60, "strings", None),
        (32 + 16, 2**64 - 1, "strings", None),
        (32 + 24, 2**40, "the image needs", None),
        (32 + 32, 2**40, "the image needs", None),
        (32 + 32, 2**64 - 1, "the image needs", None),
        (72, 2**40, "a key begins", None),
        (80, 2**40, "a value begins", None),
    ],
)
def test_g03_header_counts_believed_without_a_check(offset: int, value: int, words: str, place: int | None) -> None:
    found = fault(patched(offset, value))
    assert words in found.what
    assert place is None or found.offset == place
    assert 0 <= found.offset <= len(binary())


def test_truncated_string_table() -> None:
    content = bytearray(binary())
    content[88:104] = b"x" * 16
    content[104:] = b"x" * len(content[104:])
    assert "no NUL" in fault(bytes(content)).what


def test_offset_counts_from_the_start_of_the_file() -> None:
    first = binary()
    assert fault(first + patched(4, 9, "I")).offset == len(first) + 4


@pytest.mark.parametrize("length", range(1, len(binary())))
def test_truncated_anywhere(length: int) -> None:
    fault(binary()[:length])
