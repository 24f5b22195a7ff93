"""Small files whose parts share their bytes, so that a reader that opens each part reads the same over and over."""

from __future__ import annotations

import resource
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.seeds import DATA

from ..cli.running import Call

CPU_SECONDS = 2
MEMORY_BYTES = 512 << 20
COMMANDS = {"list": ["list"], "inspect": ["inspect"], "kernels": ["inspect", "--kernels"]}


def thin_archive_that_names_itself(count: int) -> bytes:
    header = b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (b"file/", 0, 0, 0, b"644", 8 + 60 * count)
    return b"!<thin>\n" + header * count


def images_that_share_their_bytes(count: int) -> bytes:
    """Fat binaries in a fat binary, five levels of them; all images of each are the same bytes."""
    content = b"leaf"
    for _ in range(5):
        start = 32 + 40 * count
        size = -(-(start + len(content)) // 8) * 8
        head = struct.pack("<4sIQQQ", b"\x10\xff\x10\xad", 2, size, 32, count)
        entry = struct.pack("<HHIQQQQ", 0, 0, 0, 0, 0, start, len(content))
        content = (head + entry * count + content).ljust(size, b"\0")
    return content


def sections_that_share_their_bytes(count: int) -> bytes:
    names = b"\0.llvm.offloading\0.shstrtab\0".ljust(32, b"\0")
    fat = (DATA / "offload-binary" / "v2-four-images.bin").read_bytes() * 500

    def section(name: int, kind: int, offset: int, size: int) -> bytes:
        return struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, offset, size, 0, 0, 1, 0)

    table = 64 + len(names) + len(fat)
    head = b"\x7fELF\2\1\1".ljust(16, b"\0")
    head += struct.pack("<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, count + 2, 1)
    held = section(1, 1, 64 + len(names), len(fat)) * count
    return head + names + fat + bytes(64) + section(18, 3, 64, len(names)) + held


def fatbins_that_stand_in_each_other(count: int) -> bytes:
    """An ELF file without sections; each entry of a fatbin holds the beginning of another, and all are cut."""
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0)
    entry = struct.pack("<HHIQII", 2, 0x101, 64, 0, 0, 0)
    begin = struct.pack("<4sHHQ", b"\x50\xed\x55\xba", 1, 16, 1 << 40)
    return head + begin + (entry + begin + entry) * count


BOMBS = {
    "thin archive": (thin_archive_that_names_itself, 500, "a thin archive stands in what a thin archive names"),
    "images": (images_that_share_their_bytes, 100, "claim more bytes than it has"),
    "fatbins": (fatbins_that_stand_in_each_other, 4000, '"coverage": "complete"'),
    "sections": (sections_that_share_their_bytes, 1000, "sections of device code claim"),
}


def _held() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("bomb", BOMBS)
def test_parts_that_share_their_bytes_are_cheap(bomb: str, command: str, tmp_path: Path) -> None:
    make, count, _ = BOMBS[bomb]
    (tmp_path / "file").write_bytes(make(count))
    done = subprocess.run(
        [sys.executable, "-m", "offload_tool", *COMMANDS[command], "file"],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=_held, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr[-500:]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("bomb", BOMBS)
def test_parts_that_share_their_bytes_are_told(bomb: str, call: Call, tmp_path: Path) -> None:
    make, _, told = BOMBS[bomb]
    (tmp_path / "file").write_bytes(make(3))
    assert told in call("inspect", tmp_path / "file", "--view", "objects", "--json", status=None).out


def test_image_in_images_is_still_found(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(images_that_share_their_bytes(1))
    assert "0.0.0.0.0" in call("list", tmp_path / "file").out
