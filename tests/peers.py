"""The real tools that tests compare with: on a build server they must be there, elsewhere their tests are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

PACKAGES = {
    "llvm-offload-binary-22": "llvm-22",
    "llvm-objdump-22": "llvm-22",
    "llvm-offload-wrapper-22": "llvm-22",
    "yaml2obj-22": "llvm-22",
    "obj2yaml-22": "llvm-22",
    "clang-22": "clang-22",
    "clang++-22": "clang-22",
    "ld.lld-22": "lld-22",
    "lld-link-22": "lld-22",
    "llvm-ar-22": "llvm-22",
    "llvm-as-22": "llvm-22",
    "llvm-cat-22": "llvm-22",
    "llvm-link-22": "llvm-22",
    "llvm-lib-22": "llvm-22",
    "llvm-nm-22": "llvm-22",
    "llvm-objcopy-22": "llvm-22",
    "llvm-readelf-22": "llvm-22",
    "opt-22": "llvm-22",
    "clang-offload-bundler-22": "clang-tools-22",
    "clang-offload-packager-19": "clang-tools-19",
    "clang-19": "clang-19",
    "clang-16": "clang-16",
    "clang-offload-packager-16": "clang-tools-16",
    "ld.lld": "lld",
    "gcc": "gcc",
    "g++": "g++",
    "ar": "binutils",
    "readelf": "binutils",
    "objcopy": "binutils",
    "ld": "binutils",
    "make": "make",
    "strace": "strace",
    "cmake": "cmake (or pip install cmake)",
    "ninja": "ninja-build (or pip install ninja)",
    "scons": "pip install scons",
    "bash": "bash",
    "zsh": "zsh",
    "fish": "fish",
    "groff": "groff-base",
    "mkdocs": "pip install mkdocs-material",
    "chromium": "chromium",
    "chromedriver": "chromium-driver",
    "cuobjdump": "pip install nvidia-cuda-cuobjdump",
}
LLVM_22_LIBRARIES = Path("/usr/lib/llvm-22/lib")
ROOT = Path(__file__).resolve().parent.parent
PEAK_KIB = "int(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
"""Python text for the most memory that a process held, in KiB.

Not ru_maxrss: a new process inherits that from the one that started it.
"""


def on_build_server() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true")


def missing(what: str, package: str) -> None:
    """Ends the test: as a failure on a build server, elsewhere as skipped with what to install."""
    message = f"{what} is missing; install {package}"
    if on_build_server():
        pytest.fail(message)
    pytest.skip(message)


def peer(program: str) -> str:
    """The path of a real tool; beside the running Python first, since that is where pip puts it.

    NVIDIA's wheels put theirs among their libraries.
    """
    beside = Path(sys.executable).parent / program
    of_wheel = Path(sysconfig.get_path("platlib")).glob(f"nvidia/*/bin/{program}")
    found = str(beside) if beside.exists() else shutil.which(program) or next(map(str, of_wheel), None)
    if found is None:
        missing(program, PACKAGES[program])
    assert found is not None
    return found


def offload_tool_command() -> list[str]:
    return [sys.executable, "-m", "offload_tool"]


def drop_in(name: str, folder: Path) -> str:
    """A link called ``name`` in ``folder`` that runs the drop-in."""
    console = Path(sys.executable).parent / "offload-binary"
    if not console.exists():
        missing("the console script offload-binary", "the package itself: pip install -e .")
    link = folder / name
    if not link.is_symlink():
        link.symlink_to(console)
    return str(link)


def run(
    command: Sequence[str | Path], *, cwd: Path | None = None, env: dict[str, str] | None = None, status: int | None = 0
) -> subprocess.CompletedProcess[str]:
    """Runs a command; fails the test if its exit status is not ``status`` (None: any)."""
    environment = {**os.environ, **(env or {})}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
    )
    words = f"{command}\nstatus {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert status is None or done.returncode == status, words
    return done
