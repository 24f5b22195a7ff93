"""The examples, built as their pages say, and run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from .openmp import ANSWER, RUN_ENVIRONMENT
from .peers import LLVM_22_LIBRARIES, ROOT, offload_tool_command, peer, run


def copied(name: str, tmp_path: Path) -> Path:
    folder = tmp_path / name
    shutil.copytree(ROOT / "examples" / name, folder, ignore=shutil.ignore_patterns("build", ".scon*"))
    return folder


def configure(folder: Path, generator: str, *more: str) -> None:
    cmake_dir = run([*offload_tool_command(), "--cmake-dir"]).stdout.strip()
    arguments = [f"-DOffloadTool_DIR={cmake_dir}", f"-DPython_EXECUTABLE={sys.executable}", *more]
    run([peer("cmake"), "-S", folder, "-B", folder / "build" / "cmake", "-G", generator, *arguments], cwd=folder)


class TestQuickstart:
    def test_demo_makes_the_same_bytes_twice(self, tmp_path: Path) -> None:
        folder = copied("quickstart", tmp_path)
        shutil.copy(ROOT / "examples" / "demo.py", tmp_path / "demo.py")
        peer("scons")
        peer("ninja")
        shown = run([sys.executable, tmp_path / "demo.py"], cwd=tmp_path).stdout
        assert "SCons and CMake made the same bytes." in shown
        assert "saxpy" not in shown.split("index", 1)[1]
        assert (folder / "build" / "quickstart.bin").read_bytes() == (
            folder / "build" / "cmake" / "quickstart.bin"
        ).read_bytes()


class TestOpenmpCpu:
    @pytest.fixture(autouse=True)
    def _tools(self) -> None:
        for program in ("clang-22", "llvm-offload-wrapper-22", "gcc"):
            peer(program)
        assert LLVM_22_LIBRARIES.is_dir()

    def check(self, build: Path) -> None:
        for program in ("linked", "wrapped"):
            assert run([build / program], env=RUN_ENVIRONMENT).stdout == ANSWER

    def test_scons(self, tmp_path: Path) -> None:
        folder = copied("openmp_cpu", tmp_path)
        run([peer("scons"), "-Q"], cwd=folder)
        self.check(folder / "build")
        assert "is up to date" in run([peer("scons"), "-Q"], cwd=folder).stdout

    @pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
    def test_cmake(self, tmp_path: Path, generator: str) -> None:
        folder = copied("openmp_cpu", tmp_path)
        configure(folder, generator, f"-DCMAKE_C_COMPILER={peer('clang-22')}", f"-DCMAKE_CXX_COMPILER={peer('g++')}")
        run([peer("cmake"), "--build", folder / "build" / "cmake"])
        self.check(folder / "build" / "cmake")
        again = run([peer("cmake"), "--build", folder / "build" / "cmake"]).stdout
        assert "Packing" not in again
        assert "Linking" not in again
