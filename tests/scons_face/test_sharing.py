"""Manifests that travel between build files: by Export and Import, by Return, as sources and as includes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .project import Project

both = pytest.mark.parametrize("duplicate", [0, 1])
either = pytest.mark.parametrize("duplicate", [0, pytest.param(1, marks=pytest.mark.slow)])
PRODUCER = """\
Import("env made")
images = env.OffloadImage(["still.o", made("gen.o", "gen.in")], triple="t", arch="p", kind="hip")
manifest = env.OffloadManifest("images", images)
written = File("written.yaml")
Return("manifest written")
"""
CONSUMER = """\
Import("env shared written")
env.OffloadBinary("direct.bin", shared)
own = env.OffloadImage("own.o", triple="t", arch="c", kind="hip")
outer = env.OffloadManifest("outer", own, include=[shared, {"manifest": written, "select": {"arch": "a0"},
                                                            "set": {"metadata": {"from": "$FROM"}}}], FROM="producer")
env.OffloadBinary("out.bin", outer)
"""
PACKED = ["OFFLOAD build/app/direct.bin", "OFFLOAD build/app/out.bin"]


def _write(project: Project, duplicate: int, consumer: str = CONSUMER) -> None:
    """A producer and a consumer, each with a source folder and a build folder of its own."""
    project.sconstruct(
        f"""
env["FROM"] = "producer"
shared, written = SConscript("lib/SConscript", variant_dir="build/lib", duplicate={duplicate}, exports="env made")
SConscript("app/SConscript", variant_dir="build/app", duplicate={duplicate}, exports="env shared written")
"""
    )
    project.write("lib/SConscript", PRODUCER)
    project.write("app/SConscript", consumer)
    project.manifest("lib/written.yaml", "made.o", "../beside.o", "still.o", kind="hip")
    text = (project.folder / "lib/SConscript").read_text()
    project.write("lib/SConscript", text.replace("manifest =", 'made("made.o", "made.in")\nmanifest ='))
    for name in ("lib/still.o", "lib/gen.in", "lib/made.in", "beside.o", "app/own.o"):
        project.write(name, name)
    project.write("build/beside.o", "beside the build folder: not meant")


@both
def test_manifest_of_another_build_file(project: Project, duplicate: int) -> None:
    _write(project, duplicate)
    assert set(project.build("-j4")) >= {*PACKED}
    assert project.packed("build/app/direct.bin") == [b"lib/still.o", b"lib/gen.in"]
    assert project.packed("build/app/out.bin") == [b"app/own.o", b"lib/still.o", b"lib/gen.in", b"lib/made.in"]
    assert project.build("-j4") == []
    for name, made in (("lib/gen.in", ["MAKE build/lib/gen.o"]), ("lib/still.o", [])):
        project.write(name, f"edited {name}")
        assert sorted(project.build("-j4")) == [*made, *PACKED]
    project.write("lib/made.in", "edited")
    assert project.build("-j4") == ["MAKE build/lib/made.o", "OFFLOAD build/app/out.bin"]
    project.write("app/own.o", "edited")
    assert project.build("-j4") == ["OFFLOAD build/app/out.bin"]
    assert project.packed("build/app/out.bin") == [b"edited", b"edited lib/still.o", b"edited lib/gen.in", b"edited"]
    assert project.build("-j4") == []


@either
def test_name_that_leaves_the_variant_dir_of_an_included_manifest(project: Project, duplicate: int) -> None:
    _write(project, duplicate, CONSUMER.replace('"a0"', '"a1"'))
    project.build("build/app/out.bin")
    assert project.packed("build/app/out.bin")[-1] == b"beside.o"
    project.write("build/beside.o", "edited, and still not meant")
    assert project.build("build/app/out.bin") == []
    project.write("beside.o", "edited")
    assert project.build("build/app/out.bin") == ["OFFLOAD build/app/out.bin"]
    assert project.packed("build/app/out.bin")[-1] == b"edited"


@either
def test_edited_include_and_edited_words_count(project: Project, duplicate: int) -> None:
    _write(project, duplicate)
    project.build()
    project.manifest("lib/written.yaml", "still.o", kind="hip")
    assert project.build() == ["OFFLOAD build/app/out.bin"]
    assert project.packed("build/app/out.bin")[-1] == b"lib/still.o"
    project.write("app/SConscript", CONSUMER.replace('"from"', '"out of"'))
    assert project.build() == ["OFFLOAD build/app/outer.yaml", "OFFLOAD build/app/out.bin"]
    assert b"out of" in project.bytes("build/app/out.bin")
    assert project.build() == []


def test_exported_by_name_and_imported(project: Project) -> None:
    project.sconstruct('Export("env made")\nSConscript(["lib/SConscript", "app/SConscript"])\n')
    project.write(
        "lib/SConscript",
        'Import("env made")\n'
        'shared = env.OffloadManifest("m", env.OffloadImage(made("k.o", "k.in"), triple="t", kind="hip"))\n'
        'Export("shared")\n',
    )
    project.write(
        "app/SConscript",
        'Import("*")\nenv.OffloadBinary("a.bin", shared)\n'
        'env.Clone().OffloadBinary("b.bin", env.OffloadManifest("b", include=shared))\n',
    )
    project.write("lib/k.in", "k")
    project.build("-j4")
    assert project.packed("app/a.bin") == project.packed("app/b.bin") == [b"k"]
    document = json.loads(project.bytes("app/b.yaml"))
    assert document == {"schema": 1, "literal": True, "images": [], "include": [{"manifest": "../lib/m.yaml"}]}
    project.write("lib/k.in", "edited")
    assert sorted(project.build("-j4")) == ["MAKE lib/k.o", "OFFLOAD app/a.bin", "OFFLOAD app/b.bin"]
    assert project.build("-j4") == []


def test_include_of_an_include_of_a_manifest_that_is_made(project: Project) -> None:
    project.sconstruct(
        """
inner = env.Command("deep/g.yaml", "g.in", Action("sleep 0.2; cp $SOURCE $TARGET", "MAKE $TARGET"))
for name in "kj":
    made(f"deep/{name}.o", f"{name}.in")
middle = env.OffloadManifest("m/middle", include=inner)
env.OffloadBinary("out.bin", env.OffloadManifest("outer", include={"manifest": middle}))
"""
    )
    project.manifest("g.in", "k.o")
    for name in "kj":
        project.write(f"{name}.in", name)
    project.build("-j4", "out.bin")
    assert project.packed("out.bin") == [b"k"]
    project.manifest("g.in", "k.o", "j.o")
    assert project.build("-j4", "out.bin") == ["MAKE deep/g.yaml", "MAKE deep/j.o", "OFFLOAD out.bin"]
    assert project.packed("out.bin") == [b"k", b"j"]
    assert project.build("-j4", "out.bin") == []


def test_one_manifest_in_two_variant_dirs(project: Project) -> None:
    """Without duplicates both are one file, whose names would mean the images of one of them."""
    script = """\
manifests = []
for word in ("one", "two"):
    manifests += SConscript("src/SConscript", variant_dir=word, duplicate=DUPLICATE, exports="env made word")
sets = [{"manifest": manifest, "set": {"arch": str(index)}} for index, manifest in enumerate(manifests)]
env.OffloadBinary("out.bin", env.OffloadManifest("both", include=sets))
"""
    project.write(
        "src/SConscript",
        'Import("env made word")\nmade("k.o", "#" + word + ".in")\nmanifest = [File("m.yaml")]\nReturn("manifest")\n',
    )
    project.manifest("src/m.yaml", "k.o")
    for word in ("one", "two"):
        project.write(f"{word}.in", word)
    project.sconstruct("DUPLICATE = 0\n" + script)
    assert "OFFLOAD out.bin" in project.build(status=2)
    assert "m.yaml' is read for 'one/m.yaml' and for 'two/m.yaml'; build both with duplicate=1" in project.output
    project.sconstruct("DUPLICATE = 1\n" + script)
    project.build("-j4")
    assert project.packed("out.bin") == [b"one", b"two"]


WRONG_INCLUDES = {
    "{'select': {}}": "include: {'select': {}} names no 'manifest'",
    "{'manifest': 'm.yaml', 'selct': {}}": "did you mean 'select'?",
    "{'manifest': 'm.yaml', 'select': {'kind': 'HIP'}}": "unknown kind 'HIP'; did you mean 'hip'?",
    "Dir('folder')": "'folder' is no file",
}


def test_wrong_includes_name_the_fault(project: Project) -> None:
    setup = """\
import SCons.Errors
def attempt(include):
    try:
        env.OffloadManifest('m', include=[include])
    except SCons.Errors.UserError as error:
        print("REFUSED", error)
"""
    project.sconstruct(setup + "".join(f"attempt({include})\n" for include in WRONG_INCLUDES))
    project.build("-h")
    refused = [line for line in project.output.splitlines() if line.startswith("REFUSED SConstruct:")]
    for message, line in zip(WRONG_INCLUDES.values(), refused, strict=True):
        assert "OffloadManifest: include: " in line
        assert message in line


@either
def test_no_absolute_path_in_a_generated_manifest(project: Project, tmp_path: Path, duplicate: int) -> None:
    _write(project, duplicate)
    absolute = str(project.folder / "app/own.o")
    project.write("app/SConscript", CONSUMER.replace('"own.o"', repr(absolute)))
    project.build()
    for path in project.folder.rglob("*.yaml"):
        assert str(tmp_path) not in path.read_text()
