"""``ninja -d explain`` names each cause of a rebuild."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ..peers import ROOT
from .project import Project, touch

LISTS = """\
file(GLOB images CONFIGURE_DEPENDS listed/*.img)
offload_add_binary(app MANIFEST images.yaml ALIGN {align})
offload_add_image(app FILES ${{images}} TRIPLE amdgcn-amd-amdhsa ARCH gfx1100 KIND hip)
"""
MANIFEST = """\
schema: 1
defaults: {triple: amdgcn-amd-amdhsa, kind: hip}
images:
  - {file: one.img, arch: gfx90a}
include: [{manifest: lib/more.yaml}]
"""
MORE = "schema: 1\nimages: [{file: more.img, triple: amdgcn-amd-amdhsa, arch: gfx942, kind: hip}]\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A checkout of the package, which the build runs."""
    for folder in ("offload_tool", "cmake"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / "package" / folder, ignore=ignored)
    (tmp_path / "package" / "pyproject.toml").touch()
    return tmp_path / "package"


@pytest.fixture
def packing(ninja_project: Project, package: Path) -> Project:
    project = ninja_project
    project.packager = package / "cmake"
    project.write("images.yaml", MANIFEST)
    project.write("lib/more.yaml", MORE)
    for name in ("one.img", "lib/more.img", "listed/a.img", "two.img"):
        project.write(name, name)
    project.lists(LISTS.format(align=8))
    project.configure()
    assert project.build().packed == ["app"]
    return project


def _edit_packager(project: Project) -> None:
    touch(project.source.parent / "package" / "offload_tool" / "actions" / "copying.py")


CAUSES: dict[str, tuple[Callable[[Project], object], str]] = {
    "an image": (lambda project: project.write("one.img", "edited"), "one.img"),
    "an image of an include": (lambda project: project.write("lib/more.img", "edited"), "lib/more.img"),
    "a line of the manifest": (
        lambda project: project.write("images.yaml", MANIFEST.replace("gfx90a", "gfx908")),
        "images.yaml",
    ),
    "an image more": (
        lambda project: project.write(
            "images.yaml", MANIFEST.replace("include", "  - {file: two.img, arch: gfx906}\ninclude")
        ),
        "images.yaml",
    ),
    "an included manifest": (lambda project: project.write("lib/more.yaml", MORE + "# edited\n"), "lib/more.yaml"),
    "an image more that GLOB finds": (
        lambda project: project.write("listed/b.img", "b"),
        "CMakeFiles/app.offload/manifest.yaml",
    ),
    "an option": (lambda project: project.lists(LISTS.format(align=64)), "command line changed for"),
    "the packager": (_edit_packager, "offload_tool/actions/copying.py"),
}


def test_each_cause_of_a_rebuild_is_named(packing: Project) -> None:
    """One after the other in one build tree, for which each is the only thing that happened."""
    for cause, (edit, reason) in CAUSES.items():
        edit(packing)
        built = packing.build("--", "-d", "explain")
        assert built.packed == ["app"], cause
        told = [line for line in re.findall(r"^ninja explain: .*", built.said, re.MULTILINE) if reason in line]
        assert told, (cause, built.said)
    assert packing.build().did_nothing
