"""Inputs of every kind that LLVM's program takes images from, and a folder to run in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ..peers import ROOT, peer, run


@pytest.fixture(scope="package")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder, not to be written to."""
    folder = tmp_path_factory.mktemp("inputs") / "in"
    shutil.copytree(ROOT / "tests" / "data" / "offload-binary" / "inputs", folder)
    pack, compile_, archive = peer("llvm-offload-binary-22"), peer("clang-22"), peer("llvm-ar-22")
    (folder / "host.c").write_text("int host;")
    run([compile_, "-c", "host.c", "-o", "host.o"], cwd=folder)
    run([compile_, "-c", "-emit-llvm", "host.c", "-o", "host.bc"], cwd=folder)
    run([pack, "-o", "all.tar.bin", "--image=file=k.o,triple=t,arch=x", "--image=file=noext,triple=t",
         "--image=file=k.cubin,triple=nv,arch=sm_80,kind=cuda,feature=a", "--image=file=host.bc,triple=t,kind=hip",
         "--image=file=k.s,triple=t,kind=openmp,arch=x", "--image=file=k.o,triple=sub/x,kind=sycl",
         "--image=file=k.o,triple=,arch="], cwd=folder)  # fmt: skip
    run([pack, "-o", "two", *(f"--image=file=k.o,triple=t,arch={arch},kind=cuda" for arch in "xy")], cwd=folder)
    run([pack, "-o", ".one", "--image=file=k.o,triple=t,arch=x"], cwd=folder)
    run([pack, "-o", "nest.bin", "--image=file=two,triple=t,arch=x", "--image=file=k.o,triple=t"], cwd=folder)
    for name, embedded in (("fat.o", "two"), ("fat2.o", ".one")):
        run([compile_, "-c", "host.c", "-Xclang", f"-fembed-offload-object={embedded}", "-o", name], cwd=folder)
    run([archive, "rc", "lib.a", "fat.o", "host.o", "fat2.o"], cwd=folder)
    run([archive, "rc", "--thin", "thin.a", "fat2.o", "fat.o"], cwd=folder)
    damage(folder, (folder / "two").read_bytes())
    return folder


def damage(folder: Path, two: bytes) -> None:
    """Two binaries of 136 bytes with something missing or too much."""
    for name, content in (("cut", two[:-20]), ("cut-in-header", two[:60]), ("cut-in-entry", two[:71]),
                          ("cut-in-first", two[:100]), ("cut-in-second", two[: 136 + 50]),
                          ("claims-3", two[:8] + b"\3" + two[9:]), ("junk-behind", two + b"junkjunk"),
                          ("junk-before", bytes(8) + two), ("empty", b""), ("text", b"hello")):  # fmt: skip
        (folder / name).write_bytes(content)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the current one."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
