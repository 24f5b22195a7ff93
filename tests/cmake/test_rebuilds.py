"""When a fat binary is packed again, and when it is not: each test is one life of a build tree."""

from __future__ import annotations

import shutil

import pytest

from ..peers import ROOT
from .project import Project, archs, contents, touch

MANIFEST = """\
schema: 1
defaults: {triple: amdgcn-amd-amdhsa, kind: openmp}
images:
  - {file: one.img, arch: gfx90a}
  - {file: two.img, arch: gfx942}
"""
CONSUMER = """
get_target_property(output app OFFLOAD_OUTPUT)
add_custom_command(OUTPUT copy COMMAND ${CMAKE_COMMAND} -E copy ${output} copy
                   DEPENDS app ${output} COMMENT "Linking copy" VERBATIM)
add_custom_target(consumer ALL DEPENDS copy)
"""


@pytest.fixture
def packing(project: Project) -> Project:
    """Two images of a manifest, packed, and somebody who uses the fat binary."""
    project.write("images.yaml", MANIFEST)
    project.write("one.img", "first image")
    project.write("two.img", "second image")
    project.lists("offload_add_binary(app MANIFEST images.yaml)" + CONSUMER)
    project.configure()
    assert project.build().packed == ["app"]
    return project


def test_second_build_does_nothing(packing: Project) -> None:
    assert contents(packing.output("app.bin")) == [b"first image", b"second image"]
    assert packing.build().did_nothing


def test_edited_image_is_packed_again_once(packing: Project) -> None:
    packing.write("two.img", "another image")
    built = packing.build()
    assert (built.packed, built.linked) == (["app"], ["copy"])
    assert contents(packing.output("app.bin"))[1] == b"another image"
    assert packing.build().did_nothing


def test_touched_image_leaves_the_output_and_its_users_alone(packing: Project) -> None:
    before = packing.output("app.bin").stat().st_mtime_ns
    touch(packing.source / "two.img")
    built = packing.build()
    assert (built.packed, built.linked) == (["app"], [])
    assert packing.output("app.bin").stat().st_mtime_ns == before
    assert packing.build().did_nothing


def test_changed_manifest_line_packs_again(packing: Project) -> None:
    packing.write("images.yaml", MANIFEST.replace("gfx942", "gfx1100"))
    assert packing.build().packed == ["app"]
    assert archs(packing.output("app.bin")) == ["gfx90a", "gfx1100"]
    assert packing.build().did_nothing


def test_added_image_packs_again_and_is_watched(packing: Project) -> None:
    packing.write("three.img", "third")
    packing.write("images.yaml", MANIFEST + "  - {file: three.img, arch: gfx1200}\n")
    assert packing.build().packed == ["app"]
    assert packing.build().did_nothing
    packing.write("three.img", "third, edited")
    assert packing.build().packed == ["app"]


def test_deleted_image_is_named_and_the_old_output_stays(packing: Project) -> None:
    old = packing.output("app.bin").read_bytes()
    (packing.source / "two.img").unlink()
    assert "two.img" in packing.fails()
    assert packing.output("app.bin").read_bytes() == old
    packing.write("two.img", "second image")
    assert packing.build().packed == ["app"]
    assert packing.output("app.bin").read_bytes() == old
    assert packing.build().did_nothing


def test_image_taken_out_of_the_manifest_and_deleted(packing: Project) -> None:
    packing.write("images.yaml", "".join(MANIFEST.splitlines(keepends=True)[:-1]))
    (packing.source / "two.img").unlink()
    assert packing.build().packed == ["app"]
    assert archs(packing.output("app.bin")) == ["gfx90a"]
    before = packing.output("app.bin").stat().st_mtime_ns
    # Make's lists only grew before CMake 4: it packs at each build then, and leaves the output untouched.
    built = packing.build()
    assert built.linked == []
    assert packing.output("app.bin").stat().st_mtime_ns == before


def test_broken_manifest_is_reported_by_line_without_traceback(packing: Project) -> None:
    packing.write("images.yaml", MANIFEST + "  - {file: [}\n")
    said = packing.fails()
    assert "images.yaml:6:" in said
    assert "Traceback" not in said
    packing.write("images.yaml", MANIFEST)
    assert packing.build().packed == ["app"]


def test_deleted_depfile_and_clean_do_no_harm(packing: Project) -> None:
    packing.build("--target", "clean")
    assert not packing.output("app.bin").exists()
    assert packing.build().packed == ["app"]
    assert packing.build().did_nothing


def test_g14_manifest_without_images_settles(project: Project) -> None:
    project.write("images.yaml", "schema: 1\nimages: []\n")
    project.lists("offload_add_binary(app MANIFEST images.yaml)\noffload_add_binary(bare)")
    project.configure()
    assert sorted(project.build().packed) == ["app", "bare"]
    assert project.build().did_nothing
    project.write("images.yaml", "schema: 1\n# a word\nimages: []\n")
    assert project.build().packed == ["app"]


OPTIONS = (
    "ALIGN 4096",
    "FORMAT_VERSION 3 COMPRESS zlib",
    "TOOLCHAIN llvm-22",
    "SELECT arch=gfx90a",
    "ARCHIVE OUTPUT_NAME app.bin",
)


def test_g18_changed_option_packs_again(packing: Project) -> None:
    for option in OPTIONS:
        packing.lists(f"offload_add_binary(app MANIFEST images.yaml {option})")
        assert packing.build().packed == ["app"], option
    assert packing.build().did_nothing
    packing.configure()
    assert packing.build().did_nothing, "configuring alone changes nothing"


def test_g18_changed_packager_packs_and_embeds_again(project: Project) -> None:
    package = project.source / "tool"
    for folder in ("offload_tool", "cmake"):
        shutil.copytree(ROOT / folder, package / folder, ignore=shutil.ignore_patterns("__pycache__"))
    project.write("one.img", "image")
    project.write("main.c", "int main(void) { return 0; }")
    project.lists(
        "offload_add_binary(app)\noffload_add_image(app FILES one.img TRIPLE t KIND none)\n"
        "add_executable(program main.c)\noffload_embed(program app MODE KEEP)",
        languages="C",
    )
    project.configure(f"-DOffloadTool_DIR={package / 'cmake'}")
    assert project.build().packed == ["app"]
    assert project.build().did_nothing
    touch(package / "offload_tool" / "codec" / "writer.py")
    built = project.build()
    assert (built.packed, built.embedded) == (["app"], ["app into program"])
    assert project.build().did_nothing


def test_edited_cmake_file_configures_again(project: Project) -> None:
    tool = project.source / "tool"
    shutil.copytree(ROOT / "cmake", tool)
    project.lists("offload_add_binary(app)")
    project.configure(f"-DOffloadTool_DIR={tool}")
    project.build()
    touch(tool / "OffloadToolAddBinary.cmake")
    assert "Configuring done" in project.build().said
