"""Where zlib and zstd streams end, with other bytes after them."""

from __future__ import annotations

import zlib

import pytest
import zstandard

from offload_tool.errors import FormatError
from offload_tool.wire.stream_end import zlib_end, zstd_end


class TestStreamEnd:
    @pytest.mark.parametrize("level", [1, 3, 19])
    def test_zstd(self, level: int) -> None:
        for content in (b"", b"a", b"a" * 1_000_000, bytes(range(256)) * 3000):
            for checksum in (False, True):
                stream = zstandard.ZstdCompressor(level=level, write_checksum=checksum).compress(content)
                assert zstd_end(memoryview(stream + b"CCOB more")) == len(stream)
                with pytest.raises(FormatError):
                    zstd_end(memoryview(stream)[:-1])

    @pytest.mark.parametrize("level", [0, 6])
    def test_zlib(self, level: int) -> None:
        for content in (b"", b"a", bytes(3_000_000), bytes(range(256)) * 3000):
            stream = zlib.compress(content, level)
            assert zlib_end(memoryview(stream + b"CCOB more"), len(content)) == len(stream)
            with pytest.raises(FormatError, match="ends early"):
                zlib_end(memoryview(stream)[:-1], len(content))
        with pytest.raises(FormatError, match="holds more than the declared 999"):
            zlib_end(memoryview(zlib.compress(bytes(1000))), 999)

    def test_no_streams(self) -> None:
        with pytest.raises(FormatError, match="no sound zlib stream"):
            zlib_end(memoryview(b"text"), 10)
        with pytest.raises(FormatError, match="no sound zstd stream"):
            zstd_end(memoryview(b"text" * 10))
        with pytest.raises(FormatError, match="reserved kind 3"):
            zstd_end(memoryview(zstandard.compress(b"")[:-3] + b"\x07\0\0"))

    def test_many_pieces_out_of_little_input(self) -> None:
        stream = zlib.compress(bytes(40 << 20), 9)
        assert len(stream) < 1 << 16
        assert zlib_end(memoryview(stream * 2), 40 << 20) == len(stream)
