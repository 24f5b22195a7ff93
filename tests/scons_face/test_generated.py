"""Manifests that are built themselves, and images declared in the build file."""

from __future__ import annotations

import json

from .project import SETUP, Project


def _slow_manifest(project: Project) -> None:
    """A manifest made by one command, an image made by another that the first does not depend on."""
    project.sconstruct(
        """
env.Command("g.yaml", "g.in", Action("sleep 0.2; cp $SOURCE $TARGET", "MAKE $TARGET"))
made("k.o", "k.in")
env.OffloadBinary("out.bin", "g.yaml")
"""
    )
    project.manifest("g.in", "k.o", "still.o")
    project.write("k.in", "k")
    project.write("still.o", "still")


def test_g23_generated_manifest_with_jobs(project: Project) -> None:
    _slow_manifest(project)
    steps = project.build("-j4")
    assert sorted(steps) == ["MAKE g.yaml", "MAKE k.o", "OFFLOAD out.bin"]
    assert steps[-1] == "OFFLOAD out.bin"
    assert project.packed("out.bin") == [b"k", b"still"]
    assert project.build("-j4") == []
    project.write("k.in", "edited")
    assert project.build("-j4") == ["MAKE k.o", "OFFLOAD out.bin"]


def test_g23_dropped_image_does_not_block(project: Project) -> None:
    _slow_manifest(project)
    project.build("-j4")
    project.manifest("g.in", "k.o")
    (project.folder / "still.o").unlink()
    assert project.build("-j4") == ["MAKE g.yaml", "OFFLOAD out.bin"]
    assert project.packed("out.bin") == [b"k"]
    assert project.build("-j4") == []


def test_g23_generated_manifest_gets_an_image(project: Project) -> None:
    _slow_manifest(project)
    project.build("-j4")
    project.write("g.in", (project.folder / "g.in").read_text() + "  - {file: new.o, arch: n}\n")
    project.write("new.o", "new")
    assert project.build("-j4") == ["MAKE g.yaml", "OFFLOAD out.bin"]
    project.write("new.o", "edited")
    assert project.build("-j4") == ["OFFLOAD out.bin"]
    assert project.packed("out.bin") == [b"k", b"still", b"edited"]


def test_g23_invalid_yaml_is_reported_by_the_action(project: Project) -> None:
    _slow_manifest(project)
    project.build("-j4")
    old = project.bytes("out.bin")
    project.write("g.in", "images: [")
    assert project.build("-j4", status=2) == ["MAKE g.yaml", "OFFLOAD out.bin"]
    assert "g.yaml:2:1: error: no valid YAML" in project.output
    assert project.bytes("out.bin") == old


def test_written_manifest_depends_on_names_alone(project: Project) -> None:
    text = """
image = env.OffloadImage(made("sub/k.o", "k.in"), triple="amdgcn-amd-amdhsa", arch=["gfx90a", "gfx942:xnack+"],
                         kind="hip", image_kind="object", metadata={{"feature": "{feature}"}})
manifest = env.OffloadManifest("build/images", [image])
env.OffloadBinary("out.bin", manifest)
"""
    project.sconstruct(text.format(feature="f"))
    project.write("k.in", "k")
    assert project.build("-j4")[-1] == "OFFLOAD out.bin"
    entry = {"file": "../sub/k.o", "triple": "amdgcn-amd-amdhsa", "kind": "hip", "image_kind": "object"}
    written = json.loads(project.bytes("build/images.yaml"))
    assert [image.pop("arch") for image in written["images"]] == ["gfx90a", "gfx942:xnack+"]
    assert written == {"schema": 1, "literal": True, "images": [{**entry, "metadata": {"feature": "f"}}] * 2}
    project.write("k.in", "edited")
    assert project.build() == ["MAKE sub/k.o", "OFFLOAD out.bin"]
    assert project.packed("out.bin") == [b"edited"] * 2
    project.sconstruct(text.format(feature="g"))
    assert project.build() == ["OFFLOAD build/images.yaml", "OFFLOAD out.bin"]
    project.build("-c")
    assert not (project.folder / "build/images.yaml").exists()


def test_manifest_images_come_before_those_of_the_build_file(project: Project) -> None:
    project.sconstruct(
        """
one = env.OffloadImage("one.o", triple="t", arch="$ARCH", kind="cuda")
two = env.OffloadImage("two.o", triple="t", arch="b", kind="cuda")
env.OffloadBinary("out.bin", "m.yaml", images=[two, one], ARCH="z")
""".replace("env.OffloadImage", 'env.Clone(ARCH="a").OffloadImage')
    )
    project.manifest("m.yaml", "m.o")
    for name in ("one.o", "two.o", "m.o"):
        project.write(name, name)
    assert project.build() == ["OFFLOAD out.bin"]
    assert project.packed("out.bin") == [b"m.o", b"two.o", b"one.o"]


def test_missing_image_of_the_build_file_is_named(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("o.bin", images=env.OffloadImage("k.o", triple="t", kind="cuda"))\n')
    assert project.build(status=2) == []
    assert "`k.o' not found, needed by target `o.bin'" in project.output


def test_declared_strings_are_in_the_signature(project: Project) -> None:
    text = 'env.OffloadBinary("o.bin", images=env.OffloadImage("k.o", triple="t", arch="{}", kind="cuda"))\n'
    project.write("k.o", "k")
    project.sconstruct(text.format("a"))
    assert project.build() == ["OFFLOAD o.bin"]
    project.sconstruct(text.format("b"))
    assert project.build() == ["OFFLOAD o.bin"]
    assert project.build() == []


def test_changed_bindings_repack(project: Project) -> None:
    text = 'env.OffloadBinary("o.bin", "m.yaml", bind={{"x": {}, "y": {}}})\n'
    project.manifest("m.yaml", "input: x", "input: y")
    for name in ("a.o", "b.o", "c.o"):
        project.write(name, name)
    project.sconstruct(text.format(["a.o"], ["b.o", "c.o"]))
    project.build()
    project.sconstruct(text.format(["a.o", "b.o"], ["c.o"]))  # the same dependencies in the same order
    assert project.build() == ["OFFLOAD o.bin"]
    project.sconstruct(text.format(["c.o", "b.o"], ["a.o"]))
    assert project.build() == ["OFFLOAD o.bin"]
    assert project.packed("o.bin") == [b"c.o", b"b.o", b"a.o"]
    assert project.build() == []


def test_binding_in_another_manifest(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("o.bin", ["m.yaml", made("g.yaml", "g.in")])\nmade("k.o", "k.in")\n')
    project.manifest("m.yaml", "input: x")
    project.write("g.in", '{"schema": 1, "images": [], "bind": {"x": "k.o"}}')
    project.write("k.in", "k")
    assert project.build("-j4")[-1] == "OFFLOAD o.bin"
    project.write("k.in", "edited")
    assert project.build() == ["MAKE k.o", "OFFLOAD o.bin"]
    assert project.packed("o.bin") == [b"edited"]


def test_unbound_input_is_told(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("o.bin", "m.yaml")\n')
    manifest = project.manifest("m.yaml", "input: x")
    assert project.build(status=2) == ["OFFLOAD o.bin"]
    assert f"{manifest}:4:13: error: input 'x' is not bound" in project.output


WRONG_CALLS = {
    "env.OffloadImage('k', kind='hip')": "OffloadImage: missing argument 'triple'",
    "env.OffloadImage('k', triple='t')": "OffloadImage: missing argument 'kind'; write kind='none'",
    "env.OffloadImage('k', triple='t', kind='HIP')": "unknown kind 'HIP'; did you mean 'hip'?",
    "env.OffloadImage('k', triple='t', kind='hip', arch=90)": "expected text, found 90",
    "env.OffloadImage('k', triple='t', kind='hip', image_kind='elf')": "unknown image_kind 'elf'",
    "env.OffloadImage('k', triple='t', kind='hip', metadata={'arch': 'x'})": "'arch' is a key of the image",
    "env.OffloadImage(Dir('folder'), triple='t', kind='hip')": "'folder' is no file",
    "env.OffloadImage('folder', triple='t', kind='hip')": "lookup Dir 'folder' as a File",
    "env.OffloadBinary('o', 'm.yaml', images=['k'])": "images: 'k' is no image",
    "env.OffloadBinary('o', 'm.yaml', bind=['k'])": "bind: ['k'] is no mapping",
    "env.OffloadBinary('o', 'm.yaml', bnd={})": "unknown argument 'bnd'; did you mean 'bind'?",
    "env.OffloadBinary('o')": "nothing to pack into 'o.bin'",
    "env.OffloadBinary(['o', 'p'], 'm.yaml')": "2 targets, expected one",
    "env.OffloadBinary('o', images=[env.OffloadImage('k', triple='t', kind='hip')] * 2)": "'k' stands twice",
    "env.OffloadEmbed('o', 'f', mode='kep')": "unknown mode 'kep'; did you mean 'keep'?",
    "env.OffloadEmbed('o', 'f', symbol='x')": "symbol 'x' is for mode 'keep' alone",
    "env.OffloadEmbed('o', 'f', mode='keep', symbol='a-b')": "symbol 'a-b' is no C identifier",
    "env.OffloadExtract('o', 'f', select='gfx90a')": "select: 'gfx90a' selects nothing",
}


def test_wrong_calls_name_the_call_its_place_and_the_fault(project: Project) -> None:
    """All in one run: each call is tried on a line of its own."""
    tries = "".join(f"attempt(lambda: {call})\n" for call in WRONG_CALLS)
    setup = """\
import SCons.Errors
def attempt(call):
    try:
        call()
    except SCons.Errors.UserError as error:
        print("REFUSED", error)
env.Replace(OBJSUFFIX=".o")
"""
    project.sconstruct(setup + tries)
    project.build("-h")
    refused = [line for line in project.output.splitlines() if line.startswith("REFUSED")]
    first = (SETUP + setup).count("\n") + 1
    for number, ((call, message), line) in enumerate(zip(WRONG_CALLS.items(), refused, strict=True), first):
        assert line.startswith(f"REFUSED SConstruct:{number}: {call[4:].split('(')[0]}: ")
        assert message in line


def test_wrong_call_ends_reading(project: Project) -> None:
    project.sconstruct("env.OffloadImage('k', triple='t', kind='HIP')\n")
    assert project.build(status=2) == []
    assert "scons: *** SConstruct:5: OffloadImage: unknown kind 'HIP'; did you mean 'hip'?" in project.output
