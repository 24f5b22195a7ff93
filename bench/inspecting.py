"""Inspecting a large CUDA library beside cuobjdump."""

from __future__ import annotations

import glob
import os
import subprocess
import sys
import sysconfig

from .case import OURS, BenchError, Benchmark, Case, Missing, Workplace
from .inputs import contender

__all__ = ["BENCHMARKS", "library"]

_PACKAGE = "nvidia-cusparse"
_FILE = "libcusparse.so.*"


def library(path: str | None, *, download: bool) -> str | Missing:
    """The library to inspect: the one named, the one installed, or the one in the cache; downloaded only if asked."""
    if path is not None:
        if not os.path.isfile(path):
            raise BenchError(f"library {path!r} is no file; expected a libcusparse.so")
        return os.path.abspath(path)
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "offload_tool", "bench")
    there = _in_folder(sysconfig.get_path("purelib")) or _in_folder(cache)
    if there is None and download:
        _download(cache)
        there = _in_folder(cache)
    advice = f"the library of {_PACKAGE} is missing; --download fetches it, --library PATH names it"
    return there or Missing(name=_PACKAGE, advice=advice)


def _in_folder(folder: str) -> str | None:
    found = sorted(glob.glob(os.path.join(glob.escape(folder), "nvidia", "*", "lib", _FILE)))
    return found[-1] if found else None


def _download(cache: str) -> None:
    os.makedirs(cache, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target", cache]
    if subprocess.run([*pip, _PACKAGE], check=False).returncode:
        raise BenchError(f"pip could not fetch {_PACKAGE}; see its words above")


def _inspecting(place: Workplace, ours: tuple[str, ...], theirs: str) -> Case:
    if isinstance(place.library, Missing):
        return Case(ours=place.library, peers=(), folder=place.folder)
    return Case(
        ours=contender(OURS, place.offload_tool, ("inspect", place.library, "--json", *ours)),
        peers=(contender(f"cuobjdump {theirs}", "cuobjdump", (theirs, place.library)),),
        folder=place.folder,
    )


BENCHMARKS = (
    Benchmark(
        name="inspect-targets",
        work="targets of nvidia-cusparse's library",
        prepare=lambda place: _inspecting(place, (), "-lelf"),
        targets={"cuobjdump -lelf": 0.05},
        memory_mib=80,
    ),
    Benchmark(
        name="inspect-digest",
        work="targets of the same, with digest",
        prepare=lambda place: _inspecting(place, ("--digest",), "-lelf"),
        targets={"cuobjdump -lelf": 0.12},
        memory_mib=80,
    ),
    Benchmark(
        name="inspect-kernels",
        work="kernels of the same",
        prepare=lambda place: _inspecting(place, ("--view", "kernels"), "-symbols"),
        targets={"cuobjdump -symbols": 1.0},
    ),
)
