"""Builds with SCons and CMake: those that have nothing to do, and those of many small fat binaries."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial

from offload_tool.cli.data_dirs import data_dir

from .build_files import Graph, cmake_ours, cmake_plain, scons_ours, scons_plain
from .case import OURS, BenchError, Benchmark, Case, Contender, Missing, Scale, Workplace
from .inputs import images, manifest
from .tools import LLVM, found

__all__ = ["BENCHMARKS"]

_PLAIN = "plain command"
_IMAGES_OF_SMALL = 2


def _graph(place: Workplace, count: int, each: int, *, by_manifest: bool, is_together: bool = False) -> Graph:
    names = images(place.folder, count * each, 4096)
    parts = [names[start : start + each] for start in range(0, len(names), each)]
    files = []
    if by_manifest:
        for number, part in enumerate(parts):
            files.append(f"fat_{number}.yaml")
            manifest(os.path.join(place.folder, files[-1]), part)
    return Graph(images=parts, manifests=files, is_together=is_together)


def _project(place: Workplace, name: str, build_file: str, text: str, graph: Graph) -> str:
    """A folder of its own with the build file and links to the images, so that no build sees the other's files."""
    folder = os.path.join(place.folder, name)
    os.makedirs(folder)
    for file in [*(image for part in graph.images for image in part), *graph.manifests]:
        os.link(os.path.join(place.folder, file), os.path.join(folder, file))
    with open(os.path.join(folder, build_file), "w", encoding="utf-8") as written:
        written.write(text)
    return folder


def _scons(name: str, folder: str) -> Contender | Missing:
    scons = found("scons")
    if isinstance(scons, Missing):
        return Missing(name=name, advice=scons.advice)
    return Contender(name=name, command=(scons, "-Q", "-s", "-j2", "-C", folder))


def _ninja(name: str, folder: str) -> Contender | Missing:
    cmake, ninja = found("cmake"), found("ninja")
    for tool in (cmake, ninja):
        if isinstance(tool, Missing):
            return Missing(name=name, advice=tool.advice)
    assert isinstance(cmake, str)
    assert isinstance(ninja, str)
    build = os.path.join(folder, "build")
    options = (f"-DCMAKE_MAKE_PROGRAM={ninja}", f"-DPython_EXECUTABLE={sys.executable}")
    done = subprocess.run(
        [cmake, "-S", folder, "-B", build, "-G", "Ninja", *options], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BenchError(f"cmake cannot configure {folder}: {done.stderr.strip()}")
    return Contender(name=name, command=(ninja, "-C", build, "--quiet"))


def _built_once(contender: Contender | Missing) -> None:
    if isinstance(contender, Contender):
        done = subprocess.run(contender.command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BenchError(f"{' '.join(contender.command)}: {' '.join((done.stdout + done.stderr).split())}")


def _no_op(place: Workplace, *, by_scons: bool, by_manifest: bool) -> Case:
    graph = _graph(place, place.sized(Scale(50, 5)), place.sized(Scale(100, 20)), by_manifest=by_manifest)
    ours, theirs = _both(place, graph, "touch" if by_scons else "${CMAKE_COMMAND} -E touch", by_scons=by_scons)
    _built_once(ours)
    _built_once(theirs)
    return Case(ours=ours, peers=(theirs,), folder=place.folder)


def _both(place: Workplace, graph: Graph, program: str, *, by_scons: bool) -> tuple[Contender | Missing, ...]:
    label = "LLVM 22" if program.startswith("/") else _PLAIN
    if by_scons:
        ours = _project(place, "ours", "SConstruct", scons_ours(graph), graph)
        theirs = _project(place, "theirs", "SConstruct", scons_plain(graph, program), graph)
        return _scons(OURS, ours), _scons(label, theirs)
    ours = _project(place, "ours", "CMakeLists.txt", cmake_ours(graph, data_dir("cmake")), graph)
    theirs = _project(place, "theirs", "CMakeLists.txt", cmake_plain(graph, program), graph)
    return _ninja(OURS, ours), _ninja(label, theirs)


def _from_scratch(place: Workplace, *, by_scons: bool, is_together: bool = False) -> Case:
    count = place.sized(Scale(200, 10))
    graph = _graph(place, count, _IMAGES_OF_SMALL, by_manifest=False, is_together=is_together)
    llvm = found(LLVM)
    # Without LLVM's tool the plain graph is written all the same, and left out.
    ours, theirs = _both(place, graph, llvm if isinstance(llvm, str) else "true", by_scons=by_scons)
    if isinstance(llvm, Missing):
        theirs = Missing(name="LLVM 22", advice=llvm.advice)
    clean = _scons_clean if by_scons else _ninja_clean
    return Case(
        ours=_before(ours, clean),
        peers=(_before(theirs, clean),),
        folder=place.folder,
        same_bytes=tuple(os.path.join(place.folder, side, "build", "fat_0.bin") for side in ("ours", "theirs")),
    )


def _before(contender: Contender | Missing, clean: Callable[[tuple[str, ...]], None]) -> Contender | Missing:
    if isinstance(contender, Missing):
        return contender
    return Contender(name=contender.name, command=contender.command, before=partial(clean, contender.command))


def _scons_clean(command: tuple[str, ...]) -> None:
    folder = command[-1]
    shutil.rmtree(os.path.join(folder, "build"), ignore_errors=True)
    for name in os.listdir(folder):
        if name.startswith(".sconsign"):
            os.unlink(os.path.join(folder, name))


def _ninja_clean(command: tuple[str, ...]) -> None:
    subprocess.run([*command, "-t", "clean"], capture_output=True, check=True)


BENCHMARKS = (
    Benchmark(
        name="no-op-ninja", work="no-op build, 5,000 images in 50 fat binaries: CMake, ninja",
        prepare=partial(_no_op, by_scons=False, by_manifest=False), targets={_PLAIN: 1.1},
    ),
    Benchmark(
        name="no-op-ninja-manifest", work="the same, images declared in manifests: CMake, ninja",
        prepare=partial(_no_op, by_scons=False, by_manifest=True), targets={_PLAIN: 1.1},
    ),
    Benchmark(
        name="no-op-scons", work="no-op build, 5,000 images in 50 fat binaries: SCons",
        prepare=partial(_no_op, by_scons=True, by_manifest=False), targets={_PLAIN: 1.3},
    ),
    Benchmark(
        name="no-op-scons-manifest", work="the same, images declared in manifests: SCons",
        prepare=partial(_no_op, by_scons=True, by_manifest=True), targets={_PLAIN: 1.3},
    ),
    Benchmark(
        name="build-scons", work="build of 200 small fat binaries: SCons",
        prepare=partial(_from_scratch, by_scons=True), targets={"LLVM 22": 2.0},
    ),
    Benchmark(
        name="build-cmake", work="build of 200 small fat binaries, TOGETHER: CMake, ninja",
        prepare=partial(_from_scratch, by_scons=False, is_together=True), targets={"LLVM 22": 2.0},
    ),
    Benchmark(
        name="build-cmake-each", work="the same, a process for each: CMake, ninja",
        prepare=partial(_from_scratch, by_scons=False),
    ),
)  # fmt: skip
