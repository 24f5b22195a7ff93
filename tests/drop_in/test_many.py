"""Many small images: each is opened once and read whole, and the bytes are the same as those of a few."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from offload_tool.cli.main import main as offload_tool
from offload_tool.cli.offload_binary import main

from ..peers import PEAK_KIB, ROOT, peer, run

MANY = 120
NAME = "llvm-offload-binary-22"


@pytest.fixture
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Small files, two of them empty and bitcode, and one that is too large to be held."""
    monkeypatch.chdir(tmp_path)
    paths = [tmp_path / f"image{number}.o" for number in range(MANY)]
    for number, path in enumerate(paths):
        path.write_bytes(bytes([number]) * number)
    paths[5].write_bytes(b"BC\xc0\xde" + bytes(60))
    paths[9].write_bytes(os.urandom((64 << 10) + 1))
    return paths


def words(paths: list[Path]) -> list[str]:
    return [f"--image=file={path.name},triple=t,arch=a{number},kind=hip" for number, path in enumerate(paths)]


def manifest(folder: Path, paths: list[Path]) -> str:
    entries = [f"- {{file: {path.name}, triple: t, arch: a{number}, kind: hip}}" for number, path in enumerate(paths)]
    (folder / "m.yaml").write_text("schema: 1\ntoolchain: llvm-22\nimages:\n" + "\n".join(entries) + "\n")
    return "m.yaml"


def test_many_images_equal_those_of_llvm(images: list[Path], tmp_path: Path) -> None:
    run([peer(NAME), "-o", "theirs", *words(images)], cwd=tmp_path)
    assert main([NAME, "-o", "ours", *words(images)]) == 0
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_many_images_of_a_manifest_equal_those_of_the_drop_in(images: list[Path], tmp_path: Path) -> None:
    assert main([NAME, "-o", "dropped", *words(images)]) == 0
    assert offload_tool(["pack", manifest(tmp_path, images), "-o", "packed"]) == 0
    assert (tmp_path / "packed").read_bytes() == (tmp_path / "dropped").read_bytes()


@pytest.mark.parametrize("by_manifest", [False, True])
def test_each_small_image_is_opened_once(
    by_manifest: bool, images: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def counted(name: str) -> None:
        real = getattr(os, name)

        def counting(*arguments: Any, **named: Any) -> Any:
            calls[name] += 1
            return real(*arguments, **named)

        monkeypatch.setattr(os, name, counting)

    command = [manifest(tmp_path, images)]
    for name in ("open", "pread", "write", "copy_file_range"):
        counted(name)
    if by_manifest:
        assert offload_tool(["pack", *command, "-o", "out"]) == 0
    else:
        assert main([NAME, "-o", "out", *words(images)]) == 0
    assert calls["copy_file_range"] == 1
    assert MANY <= calls["open"] < MANY + 20
    assert calls["pread"] <= MANY + 1  # one begins as PTX may, and is looked at closer
    assert calls["write"] < 10


def test_many_images_are_not_held(tmp_path: Path) -> None:
    """They are written while the next ones are read: 59 MiB of them, in a fraction of that."""
    for number in range(1000):
        (tmp_path / f"{number}.o").write_bytes(bytes([number % 256]) * 60_000)
    images = "\n".join(f"--image=file={number}.o,triple=t,arch=a{number},kind=hip" for number in range(1000))
    (tmp_path / "words").write_text(images)
    code = (
        f"import sys; from offload_tool.cli.offload_binary import main; assert main(sys.argv) == 0; print({PEAK_KIB})"
    )
    done = run([sys.executable, "-c", code, "-o", "out", "@words"], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
    assert int(done.stdout) < 32 << 10
    assert (tmp_path / "out").stat().st_size > 60_000_000


@pytest.mark.parametrize("change", ["grown", "shrunk"])
@pytest.mark.parametrize("by_manifest", [False, True])
def test_small_image_that_changes_while_it_is_read(
    change: str, by_manifest: bool, images: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    read, victim = os.pread, images[70]
    command = ["pack", manifest(tmp_path, images), "-o", "out"]

    def changing(descriptor: int, size: int, offset: int) -> bytes:
        if size == 71:  # one byte more than the file, which tells that it grew
            os.truncate(victim, 60 if change == "shrunk" else 90)
        return read(descriptor, size, offset)

    monkeypatch.setattr(os, "pread", changing)
    assert (offload_tool(command) if by_manifest else main([NAME, "-o", "out", *words(images)])) == 1
    said = capsys.readouterr().err
    assert repr(str(victim) if by_manifest else victim.name) in said
    assert ("changed while it was read" if change == "grown" else "ended 10 bytes early") in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()
