"""Hosts without their sections, by either objcopy; what goes wrong leaves everything as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..peers import peer, run
from .running import Call, files_in


def test_strip_writes_the_host_without_its_sections(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "fat.bin")
    call("embed", tmp_path / "fat.bin", "-o", tmp_path / "host.o", "--mode", "keep", "--cc", peer("gcc"))
    before = (tmp_path / "host.o").read_bytes()
    call("extract", tmp_path / "host.o", "--index", "0", "-o", tmp_path / "out", "--strip", tmp_path / "bare.o")
    assert (tmp_path / "host.o").read_bytes() == before
    assert "holds no offload binary" in call("list", tmp_path / "bare.o", status=1).err
    assert ".offload_images" not in run([peer("readelf"), "-SW", tmp_path / "bare.o"]).stdout


@pytest.fixture
def host(call: Call, manifest: Path, tmp_path: Path) -> Path:
    """An object with two images."""
    call("pack", manifest, "-o", tmp_path / "fat.bin")
    call("embed", tmp_path / "fat.bin", "-o", tmp_path / "host.o", "--mode", "keep", "--cc", peer("gcc"))
    return tmp_path / "host.o"


@pytest.mark.parametrize(
    "where", [["-o", "q"], ["-o", "missing/q"], ["-d", "missing"], ["--archive", "-o", "missing/q.a"], ["-d", "taken"]]
)
def test_strip_writes_nothing_where_the_images_cannot_be(where: list[str], call: Call, host: Path) -> None:
    folder = host.parent
    (folder / "bare.o").write_bytes(b"precious")
    (folder / "taken" / "host-nvptx64-nvidia-cuda-sm_90.1.cubin").mkdir(parents=True)
    before = files_in(folder)
    options = [str(folder / word) if word[0] != "-" else word for word in where]
    call("extract", host, *options, "--strip", folder / "bare.o", status=1)
    assert (folder / "bare.o").read_bytes() == b"precious"
    assert files_in(folder) == before
    assert len(files_in(folder / "taken")) == 1


def test_strip_and_image_have_files_of_their_own(call: Call, host: Path) -> None:
    words = ["--index", "0", "-o", host.parent / "x", "--strip", host.parent / "x"]
    assert "name another file" in call("extract", host, *words, status=2).err
    assert not (host.parent / "x").exists()


@pytest.mark.parametrize("program", ["objcopy", "llvm-objcopy-22"])
def test_strip_by_either_objcopy(
    program: str, call: Call, host: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / program).symlink_to(peer(program))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    call("extract", host, "--index", "0", "-o", tmp_path / "out", "--strip", tmp_path / "bare.o")
    assert "holds no offload binary" in call("list", tmp_path / "bare.o", status=1).err


def test_strip_by_the_other_objcopy_where_one_does_not_take_the_host(
    call: Call, host: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "objcopy").symlink_to(peer("objcopy"))
    (tmp_path / "bin" / "llvm-objcopy").write_text("#!/bin/sh\necho refused >&2; exit 1\n")
    (tmp_path / "bin" / "llvm-objcopy").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    words = ["extract", host, "--index", "0", "-o", tmp_path / "out", "--strip", tmp_path / "bare.o"]
    call(*words)
    assert "holds no offload binary" in call("list", tmp_path / "bare.o", status=1).err
    (tmp_path / "bin" / "objcopy").unlink()
    (tmp_path / "bin" / "objcopy").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bin" / "objcopy").chmod(0o755)
    assert "failed with status 1" in call(*words, status=1).err


@pytest.mark.parametrize("mode", [0o755, 0o640])
def test_stripped_host_keeps_its_mode(mode: int, call: Call, host: Path, tmp_path: Path) -> None:
    host.chmod(mode)
    call("extract", host, "--index", "0", "-o", tmp_path / "out", "--strip", tmp_path / "bare.o")
    assert (tmp_path / "bare.o").stat().st_mode & 0o7777 == mode


def test_strip_of_a_fat_binary_is_refused(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "fat.bin")
    words = ["--index", "0", "-o", tmp_path / "out", "--strip", tmp_path / "bare"]
    assert "it is no host" in call("extract", tmp_path / "fat.bin", *words, status=1).err
    assert files_in(tmp_path) == ["fat.bin", "m.yaml", "one.cubin", "two.cubin"]
