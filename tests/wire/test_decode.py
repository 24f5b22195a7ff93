"""Every codec by its name: the same bytes back, heads without the rest, and no more memory than was declared."""

from __future__ import annotations

import contextlib
import random
import sys
import zlib
from pathlib import Path

import lz4.block
import lz4.frame
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.errors import FormatError
from offload_tool.wire import lz4 as own_lz4
from offload_tool.wire.decode import CODECS, decoded, decoded_head

from ..peers import PEAK_KIB, run


def encoded(codec: str, content: bytes) -> bytes:
    if codec == "zlib":
        return zlib.compress(content, 1)
    if codec == "zstd":
        return zstandard.compress(content)
    if codec == "lz4":
        return bytes(lz4.block.compress(content, store_size=False))
    return bytes(lz4.frame.compress(content)) if codec == "lz4-frame" else content


def unsized_zstd(content: bytes) -> bytes:
    """A frame that does not tell its size."""
    stream = zstandard.ZstdCompressor().compressobj()
    return stream.compress(content) + stream.flush()


def whole(codec: str, stream: bytes, size: int) -> bytes:
    return b"".join(decoded(codec, memoryview(stream), size))


CONTENTS = {
    "empty": b"",
    "short": b"abc",
    "zeros": bytes(200_000),
    "text": b"".join(b"%d," % number for number in range(300_000)),
    "noise": random.Random(7).randbytes(200_000),
    "large": bytes(range(256)) * (33 << 12),
}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("name", CONTENTS)
def test_gives_the_bytes_back(codec: str, name: str) -> None:
    content = CONTENTS[name]
    stream = encoded(codec, content)
    assert whole(codec, stream, len(content)) == content
    for wanted in (0, 1, 64, 512, 70_000, len(content), len(content) + 1):
        assert decoded_head(codec, memoryview(stream), len(content), wanted) == content[:wanted]


@pytest.mark.parametrize("name", CONTENTS)
def test_zstd_frame_that_does_not_tell_its_size(name: str) -> None:
    content = CONTENTS[name]
    stream = unsized_zstd(content)
    assert whole("zstd", stream, len(content)) == content
    assert decoded_head("zstd", memoryview(stream), len(content), 100) == content[:100]
    with pytest.raises(FormatError):
        whole("zstd", stream, len(content) + 1)


@given(content=st.binary(max_size=300), repeats=st.integers(1, 40), wanted=st.integers(0, 400))
def test_head_of_a_block_is_that_of_the_whole(content: bytes, repeats: int, wanted: int) -> None:
    content *= repeats
    stream = memoryview(encoded("lz4", content))
    assert decoded_head("lz4", stream, len(content), wanted) == content[:wanted]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("name", ["short", "text"])
def test_another_size_than_declared(codec: str, name: str) -> None:
    content = CONTENTS[name]
    stream = encoded(codec, content)
    for size in (len(content) - 1, len(content) + 1, 1 << 40):
        with pytest.raises(FormatError):
            whole(codec, stream, size)


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "none"])
@pytest.mark.parametrize("name", ["short", "text"])
def test_cut_and_prolonged_streams(codec: str, name: str) -> None:
    content = CONTENTS[name]
    stream = encoded(codec, content)
    for damaged in (stream[:-1], stream[: len(stream) // 2], b"", stream + b"\0", stream + stream):
        with pytest.raises(FormatError):
            whole(codec, damaged, len(content))


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "none"])
def test_flipped_streams_end_in_a_fault_or_in_the_declared_size(codec: str) -> None:
    content = CONTENTS["text"][:3000]
    stream = encoded(codec, content)
    for offset in range(0, len(stream), 3):
        damaged = bytearray(stream)
        damaged[offset] ^= 0x55
        with contextlib.suppress(FormatError):
            assert len(whole(codec, bytes(damaged), 3000)) == 3000
        with contextlib.suppress(FormatError):
            assert len(decoded_head(codec, memoryview(bytes(damaged)), 3000, 99)) == 99


def test_unknown_codec() -> None:
    with pytest.raises(FormatError, match="codec 'brotli' is not known; expected one of none, zlib"):
        decoded("brotli", memoryview(b""), 0)


@pytest.mark.parametrize("codec", ["zlib", "lz4", "lz4-frame"])
def test_size_beyond_what_a_stream_can_hold_takes_no_memory(codec: str) -> None:
    stream = encoded(codec, b"abc")
    with pytest.raises(FormatError, match="cannot hold"):
        decoded(codec, memoryview(stream), 1 << 30)
    with pytest.raises(FormatError, match="cannot hold"):
        decoded_head(codec, memoryview(stream), 1 << 30, 64)


def test_frame_that_contradicts_the_declared_size_is_not_decoded() -> None:
    bomb = encoded("zstd", bytes(64 << 20))
    with pytest.raises(FormatError, match="the zstd frame tells 67108864 bytes, 4096 are declared"):
        decoded_head("zstd", memoryview(bomb), 4096, 64)


def test_match_before_the_begin_of_a_block() -> None:
    for stream in (b"\x10a\x02\x00\x00", b"\x10a\x00\x00\x00"):
        with pytest.raises(FormatError, match="an LZ4 match begins"):
            own_lz4.block_head(memoryview(stream), 50, 20)


def test_lengths_that_go_on_end_with_the_declared_size() -> None:
    stream = b"\xf0" + b"\xff" * 1_000_000
    with pytest.raises(FormatError, match="larger than the declared 5000 bytes"):
        own_lz4.block_head(memoryview(stream), 5000, 20)


@pytest.mark.parametrize("codec", ["zlib", "zstd", "lz4-frame"])
def test_memory_does_not_grow_with_what_is_decoded(codec: str, tmp_path: Path) -> None:
    file = tmp_path / "stream"
    size = 200 << 20
    file.write_bytes(encoded(codec, bytes(size)) if codec != "zstd" else unsized_zstd(bytes(size)))
    program = (
        "from offload_tool.wire.decode import decoded\n"
        f"stream = memoryview(open({str(file)!r}, 'rb').read())\n"
        f"assert sum(map(len, decoded({codec!r}, stream, {size}))) == {size}\n"
        f"print({PEAK_KIB})"
    )
    assert int(run([sys.executable, "-c", program]).stdout) < 128 << 10
