"""The example in the user's page runs as it is written."""

from __future__ import annotations

import re
import subprocess

from ..peers import ROOT, peer
from .project import Project

PAGE = ROOT / "docs" / "scons.md"


def test_the_complete_example(project: Project) -> None:
    peer("clang-22")
    peer("gcc")
    text = PAGE.read_text(encoding="utf-8").split("## A complete example")[1].split("\n## ")[0]
    manifest, build_file, program = re.findall(r"```\w+\n(.*?)```", text, re.DOTALL)
    project.write("images.yaml", manifest)
    project.write("SConstruct", build_file)
    project.write("show.c", program)
    project.write("twice.c", "void twice(float *x) { *x *= 2; }\n")
    project.write("scale.bc", (ROOT / "examples/quickstart/scale.bc").read_bytes())
    assert project.build() == ["OFFLOAD build/images.bin", "OFFLOAD build/images_stub.o"]
    shown = subprocess.run([project.folder / "build/show"], check=True, capture_output=True).stdout
    assert shown == project.bytes("build/images.bin")
    assert len(project.packed("build/images.bin")) == 2
    assert project.build() == []
    project.write("twice.c", "void twice(float *x) { *x *= 4; }\n")
    assert project.build() == ["OFFLOAD build/images.bin", "OFFLOAD build/images_stub.o"]


def test_every_builder_and_variable_is_described() -> None:
    page = PAGE.read_text(encoding="utf-8")
    words = set()
    for module in (ROOT / "offload_tool" / "scons").glob("*.py"):
        words |= set(re.findall(r'"(Offload[A-Z]\w+)": |\b(OFFLOAD[A-Z]+)\b', module.read_text(encoding="utf-8")))
    named = {word for pair in words for word in pair if word} - {"OFFLOADSIGNATURE", "OFFLOADREQUEST"}
    assert len(named) > 12
    assert {word for word in named if word not in page} == set()
