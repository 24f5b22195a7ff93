"""A CMake project in a folder of its own, and what a build of it did."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from offload_tool import read_images

from ..peers import ROOT, peer, run

CMAKE_FILES = ROOT / "cmake"
NEWEST, FLOOR, SYSTEM = "newest cmake", "cmake 3.20", "the system's cmake"
CONFIGURATION = "Debug"
"""The configuration that a build without further words is of, where a build tree holds several."""

_PROLOGUE = """\
cmake_minimum_required(VERSION 3.15)
project(test LANGUAGES {languages})
find_package(OffloadTool CONFIG REQUIRED)
"""
_STEP = re.compile(r"^(?:\[[^\]]*\] )?(Packing|Embedding|Resolving|Exporting|Linking) (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What one build printed, and the steps that it ran."""

    status: int
    said: str
    packed: list[str]
    embedded: list[str]
    resolved: list[str]
    exported: list[str]
    linked: list[str]

    @property
    def did_nothing(self) -> bool:
        return not (self.packed or self.embedded or self.resolved or self.exported or self.linked)


class Project:
    """One source folder with one build folder in it; ``cmake`` is a program, ``generator`` a name CMake knows."""

    def __init__(self, source: Path, *, cmake: str, generator: str) -> None:
        self.source = source
        self.binary = source / "build"
        self.cmake = cmake
        self.generator = generator
        self.packager = CMAKE_FILES
        source.mkdir(parents=True, exist_ok=True)

    @property
    def is_multi_config(self) -> bool:
        return self.generator == "Ninja Multi-Config"

    def write(self, name: str, text: str | bytes) -> Path:
        """Writes a file; its time is later than that of everything built so far."""
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        touch(path)
        return path

    def lists(self, text: str, *, languages: str = "NONE") -> None:
        """The project's CMakeLists.txt after its usual first lines."""
        self.write("CMakeLists.txt", _PROLOGUE.format(languages=languages) + text)

    def configure(self, *definitions: str, status: int | None = 0) -> str:
        """Configures; gives what CMake said with every run of blanks as one, since it breaks lines in messages."""
        tool = [f"-DOffloadTool_DIR={self.packager}", f"-DOffloadTool_PYTHON={sys.executable}"]
        make = ["-DCMAKE_MAKE_PROGRAM=" + peer("make" if self.generator == "Unix Makefiles" else "ninja")]
        folders = ["-S", str(self.source), "-B", str(self.binary)]
        done = run([self.cmake, "-G", self.generator, *folders, *tool, *make, *definitions], status=status)
        return " ".join((done.stdout + done.stderr).split())

    def build(self, *arguments: str, status: int | None = 0) -> Built:
        return self._built(run([self.cmake, "--build", self.binary, *arguments], status=status))

    def install(self, prefix: Path) -> None:
        """Installs what a build made."""
        configuration = ["--config", CONFIGURATION] if self.is_multi_config else []
        run([self.cmake, "--install", self.binary, "--prefix", prefix, *configuration])

    def fails(self, *arguments: str) -> str:
        """What a build said that has to fail."""
        built = self.build(*arguments, status=None)
        assert built.status != 0, built.said
        return built.said

    def output(self, name: str, *, configuration: str = CONFIGURATION) -> Path:
        """A product in the build folder; each configuration has a folder of its own where there are several."""
        path = Path(name)
        return self.binary / path.parent / configuration / path.name if self.is_multi_config else self.binary / path

    def _built(self, done: subprocess.CompletedProcess[str]) -> Built:
        said = done.stdout + done.stderr
        steps = _STEP.findall(said)
        return Built(
            status=done.returncode,
            said=said,
            packed=[what for step, what in steps if step == "Packing"],
            embedded=[what for step, what in steps if step == "Embedding"],
            resolved=[what for step, what in steps if step == "Resolving"],
            exported=[what for step, what in steps if step == "Exporting"],
            linked=[re.split("[ /]", what)[-1] for step, what in steps if step == "Linking"],
        )


def touch(path: Path) -> None:
    """Makes a file newer than everything built so far, and not newer than the next thing that is built.

    File systems stamp what they write with the last tick of a clock of some milliseconds.  The file gets such a stamp,
    too, the first one after this call: with a finer one it would be newer than what is built within the same tick.
    """
    called = time.time_ns()
    os.utime(path)
    while path.stat().st_mtime_ns <= called:
        os.utime(path)


def archs(path: Path) -> list[str]:
    return [image.arch for image in read_images(str(path))]


def contents(path: Path) -> list[bytes]:
    whole = path.read_bytes()
    return [whole[image.offset : image.offset + image.size] for image in read_images(str(path)) if image.offset]
