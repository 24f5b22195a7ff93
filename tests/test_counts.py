"""What speed hangs on, counted and not timed: modules loaded at the start, calls to the system and bytes written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .peers import ROOT, peer, run

DROP_IN = "from offload_tool.cli.offload_binary import main; import sys; sys.exit(main())"
IMAGE = 4096
WRITING = re.compile(r"^\d+ +(?:write|pwrite64|writev|copy_file_range|sendfile)\(.* = (\d+)$", re.MULTILINE)
HEAVY = {
    "argparse",
    "dataclasses",
    "hashlib",
    "importlib",
    "inspect",
    "json",
    "mmap",
    "shutil",
    "subprocess",
    "tempfile",
    "typing",
}


def loaded(code: str, *arguments: str, cwd: Path) -> set[str]:
    """The modules that a program has loaded when it ends."""
    text = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {code}"
    done = run([sys.executable, "-S", "-c", text, *arguments], cwd=cwd, env={"PYTHONPATH": str(ROOT)})
    return set(done.stderr.split())


def packed(folder: Path, count: int) -> tuple[int, int]:
    """Calls to the system, and bytes written, of a pack of so many images by the drop-in."""
    for number in range(count):
        (folder / f"{number}.img").write_bytes(os.urandom(8) * (IMAGE // 8))
    words = [f"--image=file={number}.img,triple=t,arch=a{number},kind=openmp" for number in range(count)]
    (folder / "words").write_text("\n".join(words))
    log = folder / f"{count}.log"
    traced: list[str | Path] = [
        peer("strace"),
        "-f",
        "-o",
        log,
        sys.executable,
        "-S",
        "-c",
        DROP_IN,
        "-o",
        f"{count}.bin",
        "@words",
    ]
    run(traced, cwd=folder, env={"PYTHONPATH": str(ROOT)})
    text = log.read_text(encoding="utf-8", errors="replace")
    return text.count("\n"), sum(map(int, WRITING.findall(text)))


def test_the_drop_in_loads_few_modules(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"image")
    found = loaded(DROP_IN, "-o", "out", "--image=file=a,triple=t,arch=a,kind=openmp", cwd=tmp_path)
    assert not found & (HEAVY | {"re"})
    assert len([name for name in found if name.startswith("offload_tool")]) <= 36
    assert (tmp_path / "out").exists()


def test_a_plain_pack_loads_few_modules(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"image")
    manifest = '{"schema": 1, "images": [{"file": "a", "triple": "t", "kind": "none"}]}'
    (tmp_path / "m.yaml").write_text(manifest)
    code = "from offload_tool.cli.main import main; sys.exit(main())"
    found = loaded(code, "pack", "m.yaml", "-o", "out", cwd=tmp_path)
    assert not found & (HEAVY - {"json"} | {"rich", "yaml"})
    assert len([name for name in found if name.startswith("offload_tool")]) <= 84


def test_a_pack_for_a_build_system_loads_few_modules_more(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\x7fELF")
    manifest = '{"schema": 1, "images": [{"file": "a", "triple": "t", "kind": "none"}]}'
    (tmp_path / "m.yaml").write_text(manifest)
    code = "from offload_tool.cli.main import main; sys.exit(main())"
    options = ["--incremental", "--write-if-changed", "--depfile", "d", "--stamp", "stamp"]
    found = loaded(code, "pack", "m.yaml", "-o", "out", *options, cwd=tmp_path)
    assert not found & (HEAVY - {"json"} | {"base64", "rich", "yaml"})
    assert len([name for name in found if name.startswith("offload_tool")]) <= 86


def test_four_calls_to_the_system_for_a_small_image_and_its_bytes_once(tmp_path: Path) -> None:
    """Open, look, read, close."""
    few, _ = packed(tmp_path, 200)
    many, written = packed(tmp_path, 600)
    assert (many - few) / 400 < 4.5
    size = (tmp_path / "600.bin").stat().st_size
    assert size <= written < 1.01 * size


@pytest.mark.parametrize("count", [8])
def test_large_images_are_copied_in_the_kernel(tmp_path: Path, count: int) -> None:
    """No piece of an image comes through the program."""
    for number in range(count):
        with (tmp_path / f"{number}.img").open("wb") as file:
            file.truncate(4 << 20)
    words = [f"--image=file={number}.img,triple=t,arch=a{number},kind=openmp" for number in range(count)]
    traced = [peer("strace"), "-f", "-e", "trace=read,write,copy_file_range,sendfile", "-o", tmp_path / "log"]
    command = [sys.executable, "-S", "-c", DROP_IN, "-o", "out", *words]
    done = subprocess.run(
        [*map(str, traced), *command], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == 0
    text = (tmp_path / "log").read_text(encoding="utf-8", errors="replace")
    through = [int(size) for size in re.findall(r"^\d+ +(?:read|write)\(.* = (\d+)$", text, re.MULTILINE)]
    assert max(through) <= 1 << 20
    assert sum(through) < 2 << 20
