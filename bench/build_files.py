"""SConstruct and CMakeLists.txt texts: fat binaries by our builders, and the same graph by plain commands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from .inputs import TRIPLE, arch

__all__ = ["Graph", "cmake_ours", "cmake_plain", "scons_ours", "scons_plain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Fat binaries, each with its images; ``manifests`` names the manifest of each where they are declared by some.

    ``is_together`` asks CMake to have several packed by one process.
    """

    images: Sequence[Sequence[str]]
    manifests: Sequence[str] = ()
    is_together: bool = False


def scons_ours(graph: Graph) -> str:
    """Our builders; the images stand in the build file, or in manifests."""
    lines = ["import offload_tool.scons", "env = Environment(tools=[offload_tool.scons.generate])"]
    for number, names in enumerate(graph.images):
        if graph.manifests:
            lines.append(f"env.OffloadBinary('build/fat_{number}.bin', {graph.manifests[number]!r})")
            continue
        lines.append("images = [")
        for place, name in enumerate(names):
            lines.append(f"    env.OffloadImage({name!r}, triple='{TRIPLE}', arch='{arch(place)}', kind='cuda'),")
        lines += ["]", f"env.OffloadBinary('build/fat_{number}.bin', images=images)"]
    return "\n".join(lines) + "\n"


def scons_plain(graph: Graph, program: str) -> str:
    """``env.Command`` with the same images: LLVM's tool, or ``touch`` where no tool is wanted."""
    lines = ["import os", "env = Environment(tools=[], ENV={'PATH': os.environ['PATH']})"]
    for number, names in enumerate(graph.images):
        words = _words(program, "$TARGET", names)
        sources = [*names, graph.manifests[number]] if graph.manifests else list(names)
        lines.append(f"env.Command('build/fat_{number}.bin', {sources!r}, {words!r})")
    return "\n".join(lines) + "\n"


def cmake_ours(graph: Graph, module: str) -> str:
    """Our functions out of the folder ``module``; the images stand in the build file, or in manifests."""
    lines = [*_CMAKE_HEAD, f'find_package(OffloadTool CONFIG REQUIRED PATHS "{module}" NO_DEFAULT_PATH)']
    for number, names in enumerate(graph.images):
        if graph.manifests:
            lines.append(f"offload_add_binary(fat_{number} MANIFEST {json.dumps(graph.manifests[number])})")
            continue
        together = " TOGETHER fats" if graph.is_together else ""
        lines.append(f"offload_add_binary(fat_{number} TOOLCHAIN llvm-22{together})")
        if len(names) > _FEW:
            lines.append(f"offload_add_image(fat_{number} FILES {' '.join(names)} TRIPLE {TRIPLE} ARCH a KIND cuda)")
            continue
        for place, name in enumerate(names):
            lines.append(f"offload_add_image(fat_{number} FILES {name} TRIPLE {TRIPLE} ARCH {arch(place)} KIND cuda)")
    return "\n".join(lines) + "\n"


def cmake_plain(graph: Graph, program: str) -> str:
    """``add_custom_command`` with the same images: LLVM's tool, or ``touch`` where no tool is wanted."""
    lines = list(_CMAKE_HEAD)
    for number, names in enumerate(graph.images):
        output = f'"${{CMAKE_CURRENT_BINARY_DIR}}/fat_{number}.bin"'
        words = _words(program, output, [f"${{CMAKE_CURRENT_SOURCE_DIR}}/{name}" for name in names])
        sources = [*names, graph.manifests[number]] if graph.manifests else names
        lines.append(f"add_custom_command(OUTPUT {output} COMMAND {words} DEPENDS {' '.join(sources)} VERBATIM)")
        lines.append(f"add_custom_target(fat_{number} ALL DEPENDS {output})")
    return "\n".join(lines) + "\n"


_FEW = 8
_CMAKE_HEAD = ("cmake_minimum_required(VERSION 3.20)", "project(bench LANGUAGES NONE)")


def _words(program: str, output: str, names: Sequence[str]) -> str:
    if not program.startswith("/"):
        return f"{program} {output}"
    images = [f"--image=file={name},triple={TRIPLE},arch={arch(place)},kind=cuda" for place, name in enumerate(names)]
    return " ".join([program, "-o", output, *images])
