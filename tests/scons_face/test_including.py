"""Manifests that include others: what they name is a dependency, wherever they lie."""

from __future__ import annotations

import json

import pytest

from .project import PACKED, Project

OUTER = "schema: 1\ninclude: [{manifest: %s}]\n"
both = pytest.mark.parametrize("duplicate", [0, 1])


@pytest.fixture
def including(project: Project) -> Project:
    """``images.yaml`` includes ``lib.yaml``, found in ``manifests/deep`` by the search path."""
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml", OFFLOADPATH=["none", "#manifests"])\n')
    project.write("images.yaml", OUTER % "deep/lib.yaml")
    project.manifest("manifests/deep/lib.yaml", "one.cubin", "../two.cubin")
    project.write("manifests/deep/one.cubin", "first image")
    project.write("manifests/two.cubin", "second image")
    assert project.build() == PACKED
    assert project.packed("out.bin") == [b"first image", b"second image"]
    assert project.build() == []
    return project


def test_edited_image_of_an_included_manifest_packs(including: Project) -> None:
    including.write("manifests/deep/one.cubin", "edited image")
    assert including.build() == PACKED
    assert including.packed("out.bin") == [b"edited image", b"second image"]
    assert including.build() == []


def test_edited_included_manifest_packs(including: Project) -> None:
    including.manifest("manifests/deep/lib.yaml", "../two.cubin")
    assert including.build() == PACKED
    assert including.packed("out.bin") == [b"second image"]
    assert including.build() == []


def test_nearer_manifest_takes_the_place_of_the_one_in_the_search_path(including: Project) -> None:
    including.manifest("deep/lib.yaml", "../manifests/two.cubin")
    assert including.build() == PACKED
    assert including.packed("out.bin") == [b"second image"]


def test_missing_included_manifest_is_named_with_its_place(including: Project) -> None:
    old = including.bytes("out.bin")
    (including.folder / "manifests/deep/lib.yaml").unlink()
    including.build(status=2)
    assert "images.yaml:2:22: error: manifest '" in including.output
    assert including.bytes("out.bin") == old


def test_image_of_an_included_manifest_is_built_first(project: Project) -> None:
    project.sconstruct('made("lib/k.o", "k.in")\nenv.OffloadBinary("out.bin", "images.yaml")\n')
    project.write("images.yaml", OUTER % "lib/m.yaml")
    project.manifest("lib/m.yaml", "k.o")
    project.write("k.in", "k")
    assert project.build() == ["MAKE lib/k.o", *PACKED]
    project.write("k.in", "edited")
    assert project.build() == ["MAKE lib/k.o", *PACKED]


def test_g23_included_manifest_that_is_built_itself(project: Project) -> None:
    project.sconstruct(
        """
env.Command("lib/g.yaml", "g.in", Action("sleep 0.2; cp $SOURCE $TARGET", "MAKE $TARGET"))
for name in "kj":
    made(f"lib/{name}.o", f"{name}.in")
env.OffloadBinary("out.bin", "images.yaml")
env.OffloadDatabase("images.json")
"""
    )
    project.write("images.yaml", OUTER % "lib/g.yaml")
    project.manifest("g.in", "k.o")
    for name in "kj":
        project.write(f"{name}.in", name)
    steps = project.build("-j4", "out.bin", "images.json")
    assert sorted(steps) == ["MAKE lib/g.yaml", "MAKE lib/k.o", "OFFLOAD images.json", "OFFLOAD out.bin"]
    assert project.packed("out.bin") == [b"k"]
    assert project.build("-j4", "out.bin", "images.json") == []
    project.manifest("g.in", "k.o", "j.o")
    steps = project.build("-j4", "out.bin", "images.json")
    assert sorted(steps) == ["MAKE lib/g.yaml", "MAKE lib/j.o", "OFFLOAD images.json", "OFFLOAD out.bin"]
    assert project.packed("out.bin") == [b"k", b"j"]
    assert project.build("-j4", "out.bin", "images.json") == []


@both
def test_g21_included_manifest_in_a_variant_dir(project: Project, duplicate: int) -> None:
    project.sconstruct(
        f'SConscript("src/SConscript", variant_dir="build", duplicate={duplicate}, exports="env made")\n'
    )
    script = (
        'Import("env made")\nmade("lib/gen.o", "gen.in")\nenv.OffloadBinary("out.bin", "m.yaml", OFFLOADPATH="inc")\n'
    )
    project.write("src/SConscript", script)
    project.write("src/m.yaml", "schema: 1\ninclude: [{manifest: lib/m.yaml}, {manifest: n.yaml}]\n")
    project.manifest("src/lib/m.yaml", "gen.o", "here.o")
    project.write("src/inc/n.yaml", "schema: 1\nimages: [{file: n.o, triple: t, kind: hip}]\n")
    for name in ("gen.in", "lib/here.o", "inc/n.o"):
        project.write(f"src/{name}", name)
    assert project.build() == ["MAKE build/lib/gen.o", "OFFLOAD build/out.bin"]
    assert project.packed("build/out.bin") == [b"gen.in", b"lib/here.o", b"inc/n.o"]
    assert project.build() == []
    for name in ("lib/here.o", "inc/n.o"):
        project.write(f"src/{name}", "edited")
        assert project.build() == ["OFFLOAD build/out.bin"], name
    assert project.build() == []


def test_selection_goes_before_the_scan_of_what_is_included(project: Project) -> None:
    project.sconstruct('made("b.o", "none.in")\nenv.OffloadBinary("out.bin", "images.yaml")\n')
    project.write("images.yaml", "schema: 1\ninclude: [{manifest: m.yaml, select: {arch: a0}}]\n")
    project.manifest("m.yaml", "a.o", "b.o")
    project.write("a.o", "a")
    assert project.build("out.bin") == PACKED


def test_g12_requirement_fails_before_anything_is_written(two_images: Project) -> None:
    old = two_images.bytes("out.bin")
    manifest = two_images.folder / "images.yaml"
    manifest.write_text(manifest.read_text() + "require: [{arch: [a0, x]}]\n")
    two_images.build(status=2)
    assert "images.yaml:6:11: error: no image for x; " in two_images.output
    assert two_images.bytes("out.bin") == old
    two_images.write("x.o", "x")
    image = 'env.OffloadImage("x.o", triple="nvptx64-nvidia-cuda", arch="x", kind="cuda")'
    two_images.sconstruct(f'env.OffloadBinary("out.bin", "images.yaml", images={image})\n')
    assert two_images.build() == PACKED
    two_images.write("one.cubin", "edited")
    assert two_images.build() == PACKED


def test_database_follows_an_included_manifest(including: Project) -> None:
    text = 'env.OffloadBinary("out.bin", "images.yaml", OFFLOADPATH="#manifests")\nenv.OffloadDatabase("images.json")\n'
    including.sconstruct(text)
    assert including.build() == ["OFFLOAD images.json", *PACKED]
    including.manifest("manifests/deep/lib.yaml", "one.cubin")
    assert sorted(including.build()) == ["OFFLOAD images.json", *PACKED]
    (entry,) = json.loads(including.bytes("images.json"))
    assert entry["manifests"] == ["images.yaml", "manifests/deep/lib.yaml"]
    assert [image["file"] for image in entry["images"]] == ["manifests/deep/one.cubin"]
    assert including.build() == []
