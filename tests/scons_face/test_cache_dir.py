"""CacheDir: a second checkout, at another path, is given what the first one packed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ..peers import ROOT, offload_tool_command, run
from .project import PACKED, Project

BUILD = """\
CacheDir({cache!r})
env.Replace(OFFLOADPATH=[Dir("#inc"), "{folder}/inc"])
shared = SConscript("lib/SConscript", variant_dir="build/lib", duplicate=0, exports="env made")
outer = env.OffloadManifest("outer", env.OffloadImage("{folder}/own.o", triple="t", kind="hip"), include=shared)
env.OffloadBinary("out.bin", ["images.yaml", outer], bind={{"b": made("b.o", "{folder}/b.in")}})
env.OffloadExport("copy", "images.yaml", bind={{"b": "b.o"}})
"""
LIB = """\
Import("env made")
images = env.OffloadImage(made("k.o", "k.in"), triple="t", arch="lib", kind="hip")
shared = env.OffloadManifest("shared", images)
Return("shared")
"""
RECORD = ".out.bin.offload-record"
RETRIEVED = ["Retrieved `out.bin' from cache"]


def _checkout(folder: Path, scons: list[str], package: Path, cache: Path) -> Project:
    project = Project(folder, scons, package)
    project.sconstruct(BUILD.format(cache=str(cache), folder=folder))
    project.write("lib/SConscript", LIB)
    text = project.manifest("images.yaml", "a.o", "input: b").read_text()
    project.write("images.yaml", text + "include: [{manifest: more.yaml}]\n")
    project.manifest("inc/more.yaml", "m.o", kind="hip")
    for name in ("a.o", "b.in", "own.o", "inc/m.o", "lib/k.in"):
        project.write(name, f"the bytes of {name}")
    return project


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, to be edited."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "offload_tool", tmp_path / "package/offload_tool", ignore=ignored)
    return tmp_path / "package"


@pytest.fixture
def first(tmp_path: Path, scons: list[str], package: Path) -> Project:
    checkout = _checkout(tmp_path / "one", scons, package, tmp_path / "cache")
    assert PACKED[0] in checkout.build("out.bin")
    return checkout


@pytest.fixture
def second(first: Project, tmp_path: Path, scons: list[str], package: Path) -> Project:
    """Deeper, and with names that need quotes; each names its own files by absolute paths where it can."""
    return _checkout(tmp_path / "another place/of the/second", scons, package, tmp_path / "cache")


def test_second_checkout_is_given_the_fat_binary(first: Project, second: Project) -> None:
    steps = second.build("out.bin")
    assert all(step.startswith("Retrieved `") for step in steps), steps
    assert steps[-1:] == RETRIEVED
    assert second.bytes("out.bin") == first.bytes("out.bin")
    assert second.bytes("outer.yaml") == first.bytes("outer.yaml")
    assert second.build("out.bin") == []


def test_edit_packs_and_edit_back_retrieves(first: Project, second: Project) -> None:
    second.build("out.bin")
    for name, made in (("inc/m.o", []), ("lib/k.in", ["MAKE build/lib/k.o"]), ("own.o", []), ("b.in", ["MAKE b.o"])):
        second.write(name, "edited")
        assert second.build("out.bin") == [*made, *PACKED], name
        assert b"edited" in second.bytes("out.bin")
        second.write(name, f"the bytes of {name}")
        back = [f"Retrieved `{step.removeprefix('MAKE ')}' from cache" for step in made]
        assert second.build("out.bin") == [*back, *RETRIEVED], name
        assert second.bytes("out.bin") == first.bytes("out.bin")
    assert second.build("out.bin") == []


def test_changed_packager_takes_nothing_from_the_cache(first: Project, second: Project, package: Path) -> None:
    version = package / "offload_tool/version.py"
    text = version.read_text()
    version.write_text(text + "# edited\n")
    assert PACKED[0] in second.build("out.bin")
    version.write_text(text)
    assert PACKED[0] not in first.build("out.bin")
    third = second.build("out.bin")
    assert third[-1:] == RETRIEVED


def test_export_is_made_and_never_cached(first: Project, second: Project) -> None:
    for checkout in (first, second):
        assert checkout.build("copy")[-1] == "OFFLOAD copy/offload.yaml"
    shutil.rmtree(second.folder / "copy")
    assert second.build("copy") == ["OFFLOAD copy/offload.yaml"]
    assert (second.folder / "copy/images/m.o").exists()


def _packs_in_full(project: Project, name: str, content: str) -> None:
    inode = (project.folder / "out.bin").stat().st_ino
    project.write(name, content)
    assert project.build("out.bin") == PACKED
    assert (project.folder / "out.bin").stat().st_ino != inode


def test_incremental_pack_after_an_output_of_the_cache(first: Project, second: Project, tmp_path: Path) -> None:
    """It has no record, or one of another output: a full pack, then patches again."""
    second.build("out.bin")
    assert not (second.folder / RECORD).exists()
    _packs_in_full(second, "a.o", "other bytes a.o")
    inode = (second.folder / "out.bin").stat().st_ino
    second.write("a.o", "again bytes a.o")
    assert second.build("out.bin") == PACKED
    assert (second.folder / "out.bin").stat().st_ino == inode  # patched
    second.write("a.o", "the bytes of a.o")
    assert second.build("out.bin") == RETRIEVED
    assert (second.folder / RECORD).exists()  # of what was there before
    _packs_in_full(second, "a.o", "third bytes a.o")
    for path in (tmp_path / "cache").rglob("*"):
        assert path.stat().st_nlink == 1 or path.is_dir()
    first.write("a.o", "third bytes a.o")
    assert first.build("out.bin") == RETRIEVED
    assert first.bytes("out.bin") == second.bytes("out.bin") == _full_pack(first, tmp_path / "full.bin")


def _full_pack(project: Project, out: Path) -> bytes:
    manifests = ["images.yaml", "outer.yaml", "--bind", "b=b.o", "-I", "inc", "--toolchain", "llvm-22"]
    run([*offload_tool_command(), "pack", *manifests, "-o", out], cwd=project.folder)
    return out.read_bytes()
