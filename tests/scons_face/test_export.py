"""OffloadExport: a copy for other projects that follows its sources, and that Install, packs and includes take."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ..peers import ROOT
from .project import Project

EXPORTED = ["OFFLOAD copy/offload.yaml"]
BUILD = 'env.OffloadExport("copy", "images.yaml", bind={"k": made("k.o", "k.in")}, OFFLOADPATH="lib")\n'
either = pytest.mark.parametrize("duplicate", [1, pytest.param(0, marks=pytest.mark.slow)])


@pytest.fixture
def exporting(project: Project) -> Project:
    """A manifest with an image of its own, one that is bound, and one of a manifest in the search path."""
    project.sconstruct(BUILD)
    project.write("images.yaml", MANIFEST % "")
    project.manifest("lib/more.yaml", "m.o")
    for name in ("a.o", "k.in", "lib/m.o"):
        project.write(name, name)
    assert project.build() == ["MAKE k.o", *EXPORTED]
    return project


MANIFEST = """\
schema: 1
defaults: {triple: nvptx64-nvidia-cuda, kind: cuda}
images:
  - {file: a.o, arch: own}
  - {input: k, arch: bound}
%sinclude: [{manifest: more.yaml}]
"""


def _copies(project: Project, folder: str = "copy") -> dict[str, str]:
    images = project.folder / folder / "images"
    return {path.name: path.read_text() for path in images.iterdir()}


def test_export_that_moved_packs_without_its_project(exporting: Project, tmp_path: Path) -> None:
    assert exporting.build() == []
    text = (exporting.folder / "copy/offload.yaml").read_text()
    assert [image["file"] for image in json.loads(text)["images"]] == ["images/a.o", "images/k.o", "images/m.o"]
    assert str(tmp_path) not in text
    other = Project(tmp_path / "other", exporting.scons)
    shutil.move(exporting.folder / "copy", other.folder / "moved copy")
    shutil.rmtree(exporting.folder)
    other.sconstruct('env.OffloadBinary("out.bin", "moved copy/offload.yaml")\n')
    assert other.build() == ["OFFLOAD out.bin"]
    assert other.packed("out.bin") == [b"a.o", b"k.in", b"lib/m.o"]


def test_each_source_is_copied_again(exporting: Project) -> None:
    exporting.write("a.o", "edited")
    assert exporting.build("--debug=explain") == EXPORTED
    assert "rebuilding `copy/offload.yaml' because `a.o' changed" in exporting.output
    exporting.write("k.in", "edited too")
    assert exporting.build() == ["MAKE k.o", *EXPORTED]
    exporting.write("lib/m.o", "edited three")
    assert exporting.build() == EXPORTED
    assert _copies(exporting) == {"a.o": "edited", "k.o": "edited too", "m.o": "edited three"}
    exporting.manifest("lib/more.yaml", "m.o", "n.o")
    exporting.write("lib/n.o", "new")
    assert exporting.build() == EXPORTED
    exporting.write("lib/n.o", "newer")
    assert exporting.build() == EXPORTED
    assert _copies(exporting)["n.o"] == "newer"
    assert exporting.build() == []


def test_unlisted_image_leaves_the_copy(exporting: Project) -> None:
    exporting.write("copy/images/of somebody else", "kept")
    exporting.manifest("lib/more.yaml")
    assert exporting.build() == EXPORTED
    assert set(_copies(exporting)) == {"a.o", "k.o", "of somebody else"}


def test_variable_of_the_manifest_and_selection_count(exporting: Project) -> None:
    exporting.write("b.o", "b.o")
    manifest = (MANIFEST % "").replace("a.o", "'{which}.o'")
    exporting.write("images.yaml", manifest)
    call = BUILD.replace(")\n", ', OFFLOADDEFINES={"which": WHICH}, OFFLOADSELECT=SELECT)\n')
    for which, select, names in (
        ("a", "", {"a.o", "k.o", "m.o"}),
        ("b", "", {"b.o", "k.o", "m.o"}),
        ("b", "arch=own", {"b.o"}),
    ):
        exporting.sconstruct(f"WHICH, SELECT = {which!r}, {select!r}\n{call}")
        assert exporting.build("copy") == EXPORTED
        assert set(_copies(exporting)) == names
        assert exporting.build("copy") == []


def test_edited_packager_exports_again(exporting: Project, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "offload_tool", tmp_path / "p/offload_tool", ignore=ignored)
    exporting.package = tmp_path / "p"
    assert exporting.build() == []
    with (tmp_path / "p/offload_tool/actions/export.py").open("a") as file:
        file.write("# edited\n")
    assert exporting.build() == EXPORTED


def test_g19_failed_export_leaves_the_old_copy(exporting: Project) -> None:
    old = _copies(exporting), exporting.bytes("copy/offload.yaml")
    exporting.write("a.o", "edited")
    exporting.write("images.yaml", MANIFEST % "  - {file: folder, arch: none}\n")
    (exporting.folder / "folder").mkdir()
    assert exporting.build(status=2) == EXPORTED
    assert "'folder' is a directory, expected a file" in exporting.output
    assert (_copies(exporting), exporting.bytes("copy/offload.yaml")) == old
    exporting.write("images.yaml", MANIFEST % "  - {file: gone.o, arch: none}\n")
    assert exporting.build(status=2) == []
    assert "`gone.o' not found, needed by target `copy/offload.yaml'" in exporting.output
    assert (_copies(exporting), exporting.bytes("copy/offload.yaml")) == old


def test_copy_of_an_image_that_was_deleted_comes_back(exporting: Project) -> None:
    (exporting.folder / "copy/images/a.o").unlink()
    assert exporting.build() == EXPORTED
    assert exporting.build() == []


def test_clean_removes_what_was_made_and_nothing_else(exporting: Project) -> None:
    exporting.build("-c")
    assert [path.name for path in (exporting.folder / "copy").iterdir()] == []
    exporting.build()
    exporting.write("copy/images/of somebody else", "kept")
    exporting.write("copy/more", "kept")
    exporting.build("-c")
    assert set(_copies(exporting)) == {"of somebody else"}
    assert {path.name for path in (exporting.folder / "copy").iterdir()} == {"images", "more"}
    assert (exporting.folder / "a.o").exists()


def test_install_takes_the_images_along(exporting: Project) -> None:
    exporting.sconstruct(
        "copy = " + BUILD + 'installed = env.Install("pre fix", [copy, "a.o"])\nenv.Alias("install", installed)\n'
        "print(sorted(map(str, env.FindInstalledFiles())))\n"
    )
    installed = ["OFFLOAD pre fix/offload.yaml"]
    assert exporting.build("-j4", "install") == installed
    assert "['pre fix/a.o', 'pre fix/offload.yaml']" in exporting.output
    assert exporting.bytes("pre fix/offload.yaml") == exporting.bytes("copy/offload.yaml")
    assert _copies(exporting, "pre fix") == _copies(exporting)
    assert exporting.build("install") == []
    exporting.write("k.in", "edited")
    assert exporting.build("-j4", "copy") == ["MAKE k.o", *EXPORTED]
    assert exporting.build("-j4", "install") == installed
    assert _copies(exporting, "pre fix")["k.o"] == "edited"
    exporting.build("-j4", "install", "--install-sandbox=box")
    assert set(_copies(exporting, "box/pre fix")) == {"a.o", "k.o", "m.o"}
    exporting.build("-c", "install")
    assert list((exporting.folder / "pre fix").iterdir()) == []


def test_export_is_packed_and_included_in_the_same_build(exporting: Project) -> None:
    more = 'env.OffloadBinary("one.bin", copy)\nenv.OffloadBinary("two.bin", "outer.yaml")\n'
    exporting.sconstruct("copy = " + BUILD + more)
    exporting.write("outer.yaml", "schema: 1\ninclude: [{manifest: copy/offload.yaml, select: {arch: bound}}]\n")
    packed = ["OFFLOAD one.bin", "OFFLOAD two.bin"]
    assert sorted(exporting.build("-j4")) == packed
    exporting.write("k.in", "edited")
    assert sorted(exporting.build("-j4")) == ["MAKE k.o", *EXPORTED, *packed]
    assert exporting.packed("one.bin") == [b"a.o", b"edited", b"lib/m.o"]
    assert exporting.packed("two.bin") == [b"edited"]
    assert exporting.build("-j4") == []
    exporting.build("-c")
    assert sorted(exporting.build("-j4")) == ["MAKE k.o", *EXPORTED, *packed]


@either
def test_g23_export_of_a_generated_manifest_in_a_variant_dir(project: Project, duplicate: int) -> None:
    project.sconstruct(
        f'SConscript("src/SConscript", variant_dir="build", duplicate={duplicate}, exports="env made")\n'
    )
    project.write(
        "src/SConscript",
        """\
Import("env made")
env.Command("g.yaml", "g.in", Action("sleep 0.2; cp $SOURCE $TARGET", "MAKE $TARGET"))
for name in "kj":
    made(f"{name}.o", f"{name}.in")
copy = env.OffloadExport("copy", "g.yaml")
env.OffloadBinary("out.bin", copy)
env.Install("#prefix", copy)
""",
    )
    project.manifest("src/g.in", "k.o", "still.o")
    for name in ("k.in", "j.in", "still.o"):
        project.write(f"src/{name}", name)
    targets = ["-j4", "build/out.bin", "prefix"]
    project.build(*targets)
    assert _copies(project, "prefix") == {"k.o": "k.in", "still.o": "still.o"}
    assert project.build(*targets) == []
    project.manifest("src/g.in", "k.o", "j.o")
    steps = project.build(*targets)
    assert steps[:3] == ["MAKE build/g.yaml", "MAKE build/j.o", "OFFLOAD build/copy/offload.yaml"]
    assert _copies(project, "prefix") == {"k.o": "k.in", "j.o": "j.in"}
    assert project.packed("build/out.bin") == [b"k.in", b"j.in"]
    project.write("src/j.in", "edited")
    assert len(project.build(*targets)) == 4
    assert _copies(project, "prefix") == {"k.o": "k.in", "j.o": "edited"}
    assert project.packed("build/out.bin") == [b"k.in", b"edited"]
    assert project.build(*targets) == []
