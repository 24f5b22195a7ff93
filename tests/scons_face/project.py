"""A build in a temporary folder, and what SCons did in it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from offload_tool import read_images

from ..peers import ROOT, run

SETUP = """\
import offload_tool.scons
env = Environment(tools=[offload_tool.scons.generate], OFFLOADTOOLCHAIN="llvm-22")
def made(target, source):
    return env.Command(target, source, Action("cp $SOURCE $TARGET", "MAKE $TARGET"))
"""
"""The beginning of a build file that needs no compiler; ``made`` stands for a rule that makes a device image."""

PACKED = ["OFFLOAD out.bin"]
"""The steps of a run that packs ``out.bin`` and does nothing else."""

_STEP = re.compile(r"^(?:OFFLOAD|MAKE|CC|LINK|AR|Retrieved) .*$", re.MULTILINE)


class Project:
    """A folder with a build file.  ``build`` gives the steps of one run, such as ``OFFLOAD out.bin``."""

    def __init__(self, folder: Path, scons: Sequence[str], package: Path = ROOT) -> None:
        self.folder = folder
        self.scons = list(scons)
        self.package = package
        self.output = ""
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def sconstruct(self, text: str, *, setup: str = SETUP) -> None:
        self.write("SConstruct", setup + text)

    def manifest(self, name: str, *images: str, kind: str = "cuda") -> Path:
        """A manifest of images, each ``file`` or ``input: name``, with architectures a0, a1, ..."""
        lines = [f"schema: 1\ndefaults: {{triple: nvptx64-nvidia-cuda, kind: {kind}}}\nimages:"]
        for index, image in enumerate(images):
            what = image if image.startswith("input:") else f"file: '{image}'"
            lines.append(f"  - {{{what}, arch: a{index}}}")
        return self.write(name, "\n".join(lines if images else [lines[0] + " []"]) + "\n")

    def build(self, *arguments: str, status: int = 0, env: dict[str, str] | None = None) -> list[str]:
        environment = {"PYTHONPATH": str(self.package), **(env or {})}
        done = run([*self.scons, "-Q", *arguments], cwd=self.folder, env=environment, status=status)
        self.output = done.stdout + done.stderr
        assert "Traceback" not in self.output
        return [step.rstrip() for step in _STEP.findall(self.output)]

    def packed(self, name: str) -> list[bytes]:
        """The bytes of each image in a fat binary."""
        path = self.folder / name
        return [bytes(image.content) for image in read_images(os.fspath(path))]

    def bytes(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()
