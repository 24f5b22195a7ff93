"""Damaged fat binaries and objects: one line with an offset and exit status 1, never anything else."""

from __future__ import annotations

import resource
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from offload_tool.actions.survey import survey
from offload_tool.errors import FormatError, OffloadError

from ..peers import PEAK_KIB, ROOT, peer, run
from .running import Call, binary, files_in

GOLDEN = (ROOT / "tests" / "data" / "offload-binary" / "v1-llvm22.bin").read_bytes()
ENTRY = 32


def _survey(content: bytes) -> list[str]:
    """The archs of the images, or nothing where the damage was told as it should be."""
    try:
        return [image.arch for image in survey(memoryview(content), "file")]
    except OffloadError as error:
        _check_told(error, content)
        return []


def _check_told(error: OffloadError, content: bytes) -> None:
    told = error.__cause__
    if content[:4] in (GOLDEN[:4], b"\x7fELF"):
        assert isinstance(told, FormatError) or "holds no offload binary" in str(error), repr(error)
    if isinstance(told, FormatError):
        assert 0 <= told.offset <= len(content)
        assert f"(at byte {told.offset})" in str(error)
        assert "\n" not in str(error)


def _changed(content: bytes, offset: int, value: bytes) -> bytes:
    return content[:offset] + value + content[offset + len(value) :]


def test_g03_cut_at_every_length() -> None:
    whole = _survey(GOLDEN)
    assert len(whole) == 6
    for length in range(len(GOLDEN)):
        found = _survey(GOLDEN[:length])
        # Between two binaries a cut leaves a whole file.
        assert found == whole[: len(found)]


def test_g03_every_byte_changed_to_many_values() -> None:
    for offset in range(256):
        for value in {0, 1, 0x7F, 0x80, 0xFF, GOLDEN[offset] ^ 1, GOLDEN[offset] ^ 0x10}:
            _survey(_changed(GOLDEN, offset, bytes([value])))


@pytest.mark.parametrize("offset", range(0, 136, 4))
@pytest.mark.parametrize("value", [0, 1, 2**31, 2**40, 2**60, 2**63, 2**64 - 1, 2**64 - 8, len(GOLDEN) + 1])
def test_g03_every_field_with_numbers_at_the_edge(offset: int, value: int) -> None:
    _survey(_changed(GOLDEN, offset, struct.pack("<Q", value)))


RECIPES = {
    "string count": (ENTRY + 16, struct.pack("<Q", 1 << 60)),
    "key offset": (72, struct.pack("<Q", 1 << 40)),
    "value offset": (80, struct.pack("<Q", 1 << 40)),
    "image size": (ENTRY + 32, struct.pack("<Q", 1 << 40)),
    "image offset": (ENTRY + 24, struct.pack("<Q", (1 << 64) - 4)),
    "size 0": (8, struct.pack("<Q", 0)),
    "entry offset": (16, struct.pack("<Q", 1 << 60)),
    "entry size": (24, struct.pack("<Q", 56)),
    "version 0": (4, struct.pack("<I", 0)),
    "version 4": (4, struct.pack("<I", 4)),
}


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
@pytest.mark.parametrize("command", ["list", "extract to a file", "extract to a folder", "extract to an archive"])
def test_g03_recipes(recipe: tuple[int, bytes], command: str, call: Call, tmp_path: Path) -> None:
    content = _changed(binary(b"image", {"triple": "t", "arch": "a"}), *recipe)
    (tmp_path / "fat").write_bytes(content)
    forms: dict[str, list[str | Path]] = {
        "list": ["list", "--json"],
        "extract to a file": ["extract", "-o", tmp_path / "k"],
        "extract to a folder": ["extract", "-d", tmp_path],
        "extract to an archive": ["extract", "--archive", "-o", tmp_path / "lib.a"],
    }
    result = call(*forms[command], tmp_path / "fat", status=1)
    assert result.err.startswith(f"offload-tool: error: '{tmp_path / 'fat'}': ")
    assert "(at byte " in result.err
    assert result.err.count("\n") == 1
    assert files_in(tmp_path) == ["fat"]


def test_size_one_too_many(call: Call, tmp_path: Path) -> None:
    whole = binary(b"image", {"triple": "t"})
    (tmp_path / "fat").write_bytes(_changed(whole, 8, struct.pack("<Q", len(whole) + 1)))
    said = call("list", tmp_path / "fat", status=1).err
    assert f"offload binary claims {len(whole) + 1} bytes, {len(whole)} are there (at byte 8)" in said


def test_damage_behind_sound_images_is_told_at_its_own_offset(call: Call, tmp_path: Path) -> None:
    first = binary(b"image", {"triple": "t"})
    (tmp_path / "fat").write_bytes(first + _changed(first, 4, b"\x09"))
    result = call("list", tmp_path / "fat", status=1)
    assert f"version 9 is not known; expected one of 1, 2, 3 (at byte {len(first) + 4})" in result.err
    assert result.out == ""


def test_zeros_between_and_behind_are_passed_over(call: Call, tmp_path: Path) -> None:
    one = binary(b"image", {"triple": "t", "arch": "a"})
    (tmp_path / "fat").write_bytes(one + bytes(4096) + one + bytes(13))
    assert call("list", tmp_path / "fat").out.startswith(f"{tmp_path / 'fat'}: 2 images")


def test_anything_else_behind_an_image_is_told(call: Call, tmp_path: Path) -> None:
    one = binary(b"image", {"triple": "t"})
    (tmp_path / "fat").write_bytes(one + b"garbage that goes on and on and on")
    assert f"(at byte {len(one)})" in call("list", tmp_path / "fat", status=1).err


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An object with the golden binary in a section."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "fat").write_bytes(GOLDEN)
    (folder / "host.c").write_text("int host; static int here; int *user(void) { return &here; }\n", encoding="utf-8")
    run([peer("gcc"), "-c", "host.c"], cwd=folder)
    run([peer("objcopy"), "--add-section=.llvm.offloading=fat", "host.o"], cwd=folder)
    return (folder / "host.o").read_bytes()


def test_elf_cut_at_every_length(host: bytes) -> None:
    assert len(_survey(host)) == 6
    for length in range(0, len(host), 7):
        assert _survey(host[:length]) == []


def test_elf_with_every_byte_of_its_tables_changed(host: bytes) -> None:
    table = struct.unpack_from("<Q", host, 40)[0]
    for offset in [*range(64), *range(table, len(host), 3)]:
        for value in (0, 0xFF) if offset % 2 else (1, 0x7F):
            _survey(_changed(host, offset, bytes([value])))


_LISTS = """
import resource, sys
from offload_tool.cli.main import main
status = main(["list", *sys.argv[1:]])
sys.stderr.write(f"maxrss {PEAK_KIB}\\n")
raise SystemExit(status)
""".replace("PEAK_KIB", PEAK_KIB)


def _held() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))


def _list_in_a_child(*paths: Path) -> tuple[int, str, int]:
    """Exit status, words and largest memory in KB."""
    done = subprocess.run(
        [sys.executable, "-c", _LISTS, *map(str, paths)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=_held, check=False,
    )  # fmt: skip
    words, _, most = done.stderr.rpartition("maxrss ")
    return done.returncode, words, int(most or 0)


def _strings_that_share_one_text(count: int, length: int) -> bytes:
    """An image whose ``count`` keys and values are all the same text of ``length`` bytes."""
    table = 72 + 16 * count
    size = -(-(table + length + 1) // 8) * 8
    head = struct.pack("<4sIQQQ", GOLDEN[:4], 1, size, 32, 40)
    head += struct.pack("<HHIQQQQ", 0, 0, 0, 72, count, size, 0)
    return (head + struct.pack("<QQ", table, table) * count + b"k" * length).ljust(size, b"\0")


def test_g03_many_strings_that_share_their_bytes_are_cheap(tmp_path: Path) -> None:
    (tmp_path / "fat").write_bytes(_strings_that_share_one_text(4096, (1 << 20) - 1))
    status, words, most = _list_in_a_child(tmp_path / "fat")
    assert status in (0, 1), words[-300:]
    assert "Traceback" not in words
    assert most < 100_000


def test_g03_claims_cost_nothing(tmp_path: Path) -> None:
    for name, recipe in RECIPES.items():
        (tmp_path / name).write_bytes(_changed(GOLDEN, *recipe))
    status, words, most = _list_in_a_child(*tmp_path.iterdir())
    assert status == 1, words
    assert words.count("(at byte ") == len(RECIPES)
    assert 0 < most < 100_000


@pytest.mark.parametrize("entry_size", [0, 1, 64])
def test_elf_that_claims_a_million_sections_is_cheap(entry_size: int, tmp_path: Path) -> None:
    head = bytearray(64 + 64)
    head[:16] = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    struct.pack_into("<HHIQQQIHHHHHH", head, 16, 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, entry_size, 0, 0)
    struct.pack_into("<Q", head, 64 + 32, 1 << 20)
    (tmp_path / "host.o").write_bytes(bytes(head))
    status, words, most = _list_in_a_child(tmp_path / "host.o")
    assert status == 1, words[-300:]
    assert "Traceback" not in words
    assert most < 100_000
