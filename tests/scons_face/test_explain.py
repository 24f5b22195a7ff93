"""``scons --debug=explain`` names each cause of a rebuild."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ..peers import ROOT
from .project import Project

BUILD = """\
images = [env.OffloadImage(image, triple="t", arch=str(image), kind="hip") for image in Glob("listed/*.o")]
env.OffloadBinary("out.bin", "images.yaml", images=images, {option})
env.OffloadExport("copy", "images.yaml", {define})
env.OffloadManifest("generated.yaml", images)
"""
BOTH = ("out.bin", "copy/offload.yaml")


def _build_file(project: Project, *, option: str = "OFFLOADALIGN=16", define: str = 'OFFLOADDEFINES="v=1"') -> None:
    project.sconstruct(BUILD.format(option=option, define=define))


@pytest.fixture
def built(project: Project, tmp_path: Path) -> Project:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "offload_tool", tmp_path / "p/offload_tool", ignore=ignored)
    project.package = tmp_path / "p"
    _build_file(project)
    text = project.manifest("images.yaml", "a.o").read_text()
    project.write("images.yaml", text + "include: [{manifest: lib/more.yaml}]\n")
    project.manifest("lib/more.yaml", "m.o", kind="hip")
    for name in ("a.o", "lib/m.o", "listed/one.o", "new.o", "lib/n.o"):
        project.write(name, name)
    project.build()
    return project


def _add_to_manifest(project: Project) -> None:
    text = (project.folder / "images.yaml").read_text()
    project.write("images.yaml", text.replace("include", "  - {file: new.o, arch: new}\ninclude"))


def _edit_packager(project: Project) -> None:
    with (project.package / "offload_tool/actions/copying.py").open("a") as file:
        file.write("# edited\n")


CAUSES: dict[str, tuple[Callable[[Project], object], tuple[str, ...], tuple[str, ...]]] = {
    "an image": (lambda project: project.write("a.o", "edited"), BOTH, ("`a.o' changed",)),
    "an image of an include": (lambda project: project.write("lib/m.o", "edited"), BOTH, ("`lib/m.o' changed",)),
    "a line of the manifest": (_add_to_manifest, BOTH, ("`images.yaml' changed", "`new.o' is a new dependency")),
    "an included manifest": (
        lambda project: project.manifest("lib/more.yaml", "m.o", "n.o", kind="hip"),
        BOTH,
        ("`lib/more.yaml' changed", "`lib/n.o' is a new dependency"),
    ),
    "an image more that Glob finds": (
        lambda project: project.write("listed/two.o", "two"),
        ("out.bin", "generated.yaml"),
        ("listed/two.o",),
    ),
    "an option": (
        lambda project: _build_file(project, option="OFFLOADALIGN=64"),
        ("out.bin",),
        ("the build action changed", "OFFLOADALIGN='64'"),
    ),
    "a variable of the manifest": (
        lambda project: _build_file(project, option="OFFLOADALIGN=64", define='OFFLOADDEFINES="v=2"'),
        ("copy/offload.yaml",),
        ("the build action changed", "OFFLOADDEFINES='v=2'"),
    ),
    "the packager": (_edit_packager, (*BOTH, "generated.yaml"), ("the build action changed", "packager=")),
}


def test_each_cause_of_a_rebuild_is_named(built: Project) -> None:
    """One after the other in one build, for which each is the only thing that happened."""
    for cause, (edit, targets, reasons) in CAUSES.items():
        edit(built)
        built.build("--debug=explain")
        told = built.output.split("scons: rebuilding `")[1:]
        assert sorted(text.split("'")[0] for text in told) == sorted(targets), cause
        for text in told:
            assert all(reason in text for reason in reasons), (cause, text)
    assert built.build() == []


def test_old_and_new_settings_stand_side_by_side(built: Project) -> None:
    _build_file(built, option="OFFLOADALIGN=64")
    built.build("--debug=explain", "out.bin")
    lines = [line.split() for line in built.output.splitlines()]
    (old,), (new,) = ([line for line in lines if line[:1] == [title]] for title in ("old:", "new:"))
    assert set(old) - set(new) == {"old:", "OFFLOADALIGN='16'"}
