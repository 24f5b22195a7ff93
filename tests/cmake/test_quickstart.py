"""The example that README shows: the same bytes from CMake, from SCons and from the command line."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from ..peers import ROOT, offload_tool_command, peer, run
from .project import archs


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the example needs of a checkout."""
    for folder in ("offload_tool", "cmake", "site_scons", "examples"):
        ignored = shutil.ignore_patterns("__pycache__", "build", ".sconsign.dblite")
        shutil.copytree(ROOT / folder, tmp_path / "checkout" / folder, ignore=ignored)
    (tmp_path / "checkout" / "pyproject.toml").touch()
    return tmp_path / "checkout"


@pytest.fixture
def by_cmake(checkout: Path) -> Path:
    build = checkout.parent / "cmake build"
    source, python = checkout / "examples" / "quickstart", f"-DPython_EXECUTABLE={sys.executable}"
    make = ["-DCMAKE_MAKE_PROGRAM=" + peer("ninja"), "-DCMAKE_C_COMPILER=" + peer("gcc")]
    run([peer("cmake"), "-G", "Ninja", "-S", source, "-B", build, python, *make])
    run([peer("cmake"), "--build", build])
    return build / "quickstart.bin"


def test_quickstart_equals_the_command_line(checkout: Path, by_cmake: Path, tmp_path: Path) -> None:
    source = checkout / "examples" / "quickstart"
    run([peer("gcc"), "-O2", "-c", source / "scale.c", "-o", tmp_path / "scale.o"])
    image = f"--image=file={tmp_path / 'scale.o'},triple=x86_64-pc-linux-gnu,arch=generic,kind=openmp"
    by_hand = tmp_path / "by_hand.bin"
    run([*offload_tool_command(), "pack", source / "images.yaml", image, "-o", by_hand], cwd=ROOT)
    assert archs(by_cmake) == ["sm_80", "generic", "generic"]
    assert by_cmake.read_bytes() == by_hand.read_bytes()


def test_quickstart_equals_scons(checkout: Path, by_cmake: Path) -> None:
    source = checkout / "examples" / "quickstart"
    run([peer("scons"), "-C", source, "-Q"], env={"PYTHONPATH": str(checkout)})
    assert by_cmake.read_bytes() == (source / "build" / "quickstart.bin").read_bytes()
