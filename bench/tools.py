"""The programs that are measured: where they are, which package brings them, which version they say they are."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from typing import Any

from .case import Missing

__all__ = ["LLVM", "OBJDUMP", "found", "machine", "versions"]

LLVM = "llvm-offload-binary-22"
OBJDUMP = "llvm-objdump-22"
_PACKAGES = {
    LLVM: "install the package llvm-22",
    OBJDUMP: "install the package llvm-22",
    "cp": "install the package coreutils",
    "cuobjdump": "pip install nvidia-cuda-cuobjdump",
    "cmake": "pip install cmake",
    "ninja": "pip install ninja",
    "scons": "pip install scons",
}
_CUDA = os.path.join("nvidia", "cu13", "bin")


def found(program: str) -> str | Missing:
    """The absolute path of a program: where pip puts it, else on PATH."""
    folders = (os.path.dirname(sys.executable), os.path.join(sysconfig.get_path("purelib"), _CUDA))
    for folder in folders:
        path = os.path.join(folder, program)
        if os.access(path, os.X_OK):
            return path
    path_found = shutil.which(program)
    return os.path.abspath(path_found) if path_found else Missing(name=program, advice=_PACKAGES[program])


def versions() -> dict[str, str]:
    """The line with the version in what each program prints; programs that are missing are left out."""
    told = {"python": platform.python_version()}
    for program in _PACKAGES:
        path = found(program)
        if isinstance(path, str):
            done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
            told[program] = _version_line(done.stdout)
    return told


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
    }


def _version_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if re.search(r"\d\.\d", line)]
    return lines[0].partition(", by ")[0][:60] if lines else "unknown"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()
