"""Compressed fat binaries: the chosen level, and what is inside."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import zstandard

from offload_tool import read_images

from .running import Call


@pytest.mark.parametrize("compress", ["zlib", "zlib:9", "zstd", "zstd:-7", "zstd:19"])
def test_compressed_pack_lists_and_extracts(call: Call, manifest: Path, tmp_path: Path, compress: str) -> None:
    options = ["--toolchain", "llvm-24", "--compress", compress]
    call("pack", manifest, "-o", tmp_path / "fat.bin", *options)
    found = read_images(str(tmp_path / "fat.bin"))
    assert [(image.offset, bytes(image.content)) for image in found] == [(None, b"first image"), (None, b"second")]
    call("extract", tmp_path / "fat.bin", "--index", "1", "-o", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"second"
    call("pack", manifest, "-o", tmp_path / "again.bin", *options)
    assert (tmp_path / "again.bin").read_bytes() == (tmp_path / "fat.bin").read_bytes()


def test_compressed_pack_to_stdout(call: Call, manifest: Path, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "offload_tool",
        "pack",
        str(manifest),
        "--toolchain",
        "llvm-24",
        "--compress",
        "zlib",
    ]
    piped = subprocess.run([*command, "-o", "-"], capture_output=True, check=True).stdout
    call("pack", manifest, "-o", tmp_path / "fat.bin", *command[-4:])
    assert piped == (tmp_path / "fat.bin").read_bytes()


def test_g08_zstd_without_its_package_says_what_to_install(
    call: Call, manifest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["pack", manifest, "-o", tmp_path / "fat.bin", "--toolchain", "llvm-24", "--compress", "zstd"]
    call(*words)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert "pip install zstandard" in call(*words, status=2).err
    assert "pip install zstandard" in call("list", tmp_path / "fat.bin", status=1).err


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_zlib_level_is_the_one_that_was_chosen(level: int, call: Call, tmp_path: Path) -> None:
    body, stream = packed_both_ways(call, tmp_path, f"zlib:{level}")
    compressor = zlib.compressobj(level)
    assert stream == compressor.compress(body) + compressor.flush()


@pytest.mark.parametrize("level", [-131072, -7, 1, 3, 19, 22])
def test_zstd_level_is_the_one_that_was_chosen(level: int, call: Call, tmp_path: Path) -> None:
    body, stream = packed_both_ways(call, tmp_path, f"zstd:{level}")
    compressor = zstandard.ZstdCompressor(level=level).compressobj(size=len(body))
    assert stream == compressor.compress(body) + compressor.flush()
    assert len(stream) < len(body) or level < -1000


def packed_both_ways(call: Call, folder: Path, compress: str) -> tuple[bytes, bytes]:
    """What follows the header of a plain binary of version 3, and of the same one compressed."""
    (folder / "k").write_bytes(b"".join(b"%d, %d\n" % (number * number, number % 7) for number in range(20_000)))
    words = ["pack", "--toolchain", "llvm-24", "--image", f"file={folder / 'k'},triple=t,kind=hip", "-o"]
    call(*words, folder / "plain.bin")
    call(*words, folder / "fat.bin", "--compress", compress)
    plain, small = (folder / "plain.bin").read_bytes(), (folder / "fat.bin").read_bytes()
    size, inflated_size = int.from_bytes(small[8:16], "little"), int.from_bytes(small[32:40], "little")
    assert inflated_size == len(plain)
    assert small[size:] == bytes(-size % 8)
    return plain[40:], small[40:size]
