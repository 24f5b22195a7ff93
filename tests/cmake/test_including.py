"""Manifests that include others: found by INCLUDE_DIRS, watched by the depfile."""

from __future__ import annotations

import pytest

from .project import Project, archs, contents

OUTER = "schema: 1\ninclude:\n  - {manifest: lib/images.yaml, select: {arch: [gfx90a, gfx942]}}\n"
INCLUDED = """\
schema: 1
defaults: {triple: amdgcn-amd-amdhsa, kind: openmp}
images:
  - {file: one.img, arch: gfx90a}
  - {file: ../two.img, arch: gfx942}
  - {file: none.img, arch: gfx1100}
"""


@pytest.fixture
def including(project: Project) -> Project:
    """``images.yaml`` includes a manifest of another folder, which is found by the search path."""
    project.write("images.yaml", OUTER)
    project.write("with blanks/lib/images.yaml", INCLUDED)
    project.write("with blanks/lib/one.img", "first image")
    project.write("with blanks/two.img", "second image")
    project.lists('offload_add_binary(app MANIFEST images.yaml INCLUDE_DIRS none "with blanks")')
    project.configure()
    assert project.build().packed == ["app"]
    assert contents(project.output("app.bin")) == [b"first image", b"second image"]
    assert project.build().did_nothing
    return project


def test_edited_image_of_an_included_manifest_packs(including: Project) -> None:
    including.write("with blanks/lib/one.img", "edited image")
    assert including.build().packed == ["app"]
    assert contents(including.output("app.bin")) == [b"edited image", b"second image"]
    assert including.build().did_nothing


def test_edited_included_manifest_packs(including: Project) -> None:
    including.write("with blanks/lib/images.yaml", INCLUDED.replace("gfx942", "gfx1200"))
    assert including.build().packed == ["app"]
    assert archs(including.output("app.bin")) == ["gfx90a"]
    assert including.build().did_nothing


def test_missing_included_manifest_is_named_with_its_place(ninja_project: Project) -> None:
    ninja_project.write("images.yaml", OUTER)
    ninja_project.lists("offload_add_binary(app MANIFEST images.yaml)")
    ninja_project.configure()
    assert "images.yaml:3:16: error: manifest '" in ninja_project.fails()


def test_g12_requirement_counts_images_of_the_build_file(ninja_project: Project) -> None:
    project = ninja_project
    project.write("images.yaml", "schema: 1\nimages: []\nrequire: [{arch: [gfx90a, gfx942]}]\n")
    project.write("k.img", "k")
    lists = (
        "offload_add_binary(app MANIFEST images.yaml)\noffload_add_image(app FILES k.img TRIPLE t ARCH %s KIND none)"
    )
    project.lists(lists % "gfx90a")
    project.configure()
    assert "images.yaml:3:11: error: no image for gfx942; " in project.fails()
    assert not project.output("app.bin").exists()
    project.lists(lists % "gfx90a gfx942")
    assert project.build().packed == ["app"]
