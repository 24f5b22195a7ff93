"""Incremental packing within CMake: on by default, cleaned with its output."""

from __future__ import annotations

from pathlib import Path

import pytest

from .project import Project, contents

MANIFEST = """\
schema: 1
defaults: {triple: amdgcn-amd-amdhsa, kind: openmp}
images:
  - {file: one.img, arch: gfx90a}
  - {file: two.img, arch: gfx942}
"""


def _record(project: Project) -> Path:
    return project.output(".app.bin.offload-record")


def _declared(project: Project, options: str = "") -> None:
    project.lists(f"offload_add_binary(app MANIFEST images.yaml{options})")


@pytest.fixture
def packing(project: Project) -> Project:
    project.write("images.yaml", MANIFEST)
    project.write("one.img", "first image")
    project.write("two.img", "second image")
    _declared(project)
    project.configure()
    assert project.build().packed == ["app"]
    return project


def test_edited_image_is_patched_into_the_same_file(packing: Project) -> None:
    output = packing.output("app.bin")
    inode = output.stat().st_ino
    packing.write("two.img", "another img!")
    assert packing.build().packed == ["app"]
    assert output.stat().st_ino == inode
    assert contents(output) == [b"first image", b"another img!"]
    assert packing.build().did_nothing


def test_clean_removes_the_record_and_what_a_kill_left(packing: Project) -> None:
    for left in (".app.bin.offload-part", ".app.bin.offload-0.part", ".app.bin.offload-3.part"):
        packing.output(left).write_bytes(b"torn")
    assert _record(packing).exists()
    packing.build("--target", "clean")
    assert [path for path in packing.binary.rglob("*app.bin*") if path.is_file()] == []
    assert packing.build().packed == ["app"]
    assert packing.build().did_nothing


def test_g19_failing_pack_keeps_the_old_bytes(packing: Project) -> None:
    old = packing.output("app.bin").read_bytes()
    packing.write("images.yaml", MANIFEST.replace("gfx942", "gfx1100").replace("openmp", "OPENMP"))
    packing.fails()
    assert packing.output("app.bin").read_bytes() == old


def test_switched_off_there_is_no_record(packing: Project) -> None:
    _declared(packing, " NO_INCREMENTAL")
    assert packing.build().packed == ["app"]
    assert not _record(packing).exists()
    assert packing.build().did_nothing


@pytest.mark.parametrize("option", ["ARCHIVE OUTPUT_NAME app.bin", "TOOLCHAIN llvm-24 COMPRESS zlib"])
def test_forms_that_are_never_patched_settle_too(option: str, packing: Project) -> None:
    _declared(packing, f" {option}")
    assert packing.build().packed == ["app"]
    assert packing.build().did_nothing
    packing.write("two.img", "another img!")
    assert packing.build().packed == ["app"]
    assert packing.build().did_nothing
