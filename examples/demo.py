"""Builds the quickstart with SCons and with CMake, and shows what came out: ``make demo`` runs it."""

from __future__ import annotations

import filecmp
import shutil
import subprocess
import sys
from pathlib import Path

QUICKSTART = Path(__file__).resolve().parent / "quickstart"
BY_SCONS = QUICKSTART / "build" / "quickstart.bin"
BY_CMAKE = QUICKSTART / "build" / "cmake" / "quickstart.bin"


def run(*command: str | Path) -> None:
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    subprocess.run(words, check=True)


def program(name: str) -> str:
    """A program, beside this Python first: that is where pip puts cmake, ninja and scons."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        sys.exit(f"{name} is missing; pip install {name}")
    return found


def main() -> None:
    run(program("scons"), "-Q", "-C", QUICKSTART)
    options = [f"-DPython_EXECUTABLE={sys.executable}", f"-DCMAKE_MAKE_PROGRAM={program('ninja')}"]
    run(program("cmake"), "-S", QUICKSTART, "-B", BY_CMAKE.parent, "-G", "Ninja", *options)
    run(program("cmake"), "--build", BY_CMAKE.parent)
    run(sys.executable, "-m", "offload_tool", "list", BY_SCONS)
    if not filecmp.cmp(BY_SCONS, BY_CMAKE, shallow=False):
        sys.exit(f"{BY_SCONS} and {BY_CMAKE} differ")
    print("SCons and CMake made the same bytes.")


if __name__ == "__main__":
    main()
