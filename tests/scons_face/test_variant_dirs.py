"""Build trees beside source trees: names in manifests mean the same files to the scanner and to the action."""

from __future__ import annotations

import pytest

from .project import Project

both = pytest.mark.parametrize("duplicate", [0, 1])


@both
def test_g21_manifest_in_source_and_image_built(project: Project, duplicate: int) -> None:
    project.sconstruct(
        f'SConscript("src/SConscript", variant_dir="build", duplicate={duplicate}, exports="env made")\n'
    )
    project.write(
        "src/SConscript",
        """\
Import("env made")
made("gen.o", "gen.in")
env.OffloadBinary("out.bin", "m.yaml", bind={"b": made("b.o", "b.in")})
""",
    )
    project.manifest("src/m.yaml", "gen.o", "here.o", "#/build/gen.o", "input: b", str(project.folder / "src/here.o"))
    for name in ("gen.in", "here.o", "b.in"):
        project.write(f"src/{name}", name)
    steps = project.build()
    assert sorted(steps) == ["MAKE build/b.o", "MAKE build/gen.o", "OFFLOAD build/out.bin"]
    assert steps[-1] == "OFFLOAD build/out.bin"
    assert project.packed("build/out.bin") == [b"gen.in", b"here.o", b"gen.in", b"b.in", b"here.o"]
    assert project.build() == []
    project.write("src/gen.in", "edited")
    assert project.build() == ["MAKE build/gen.o", "OFFLOAD build/out.bin"]
    project.write("src/here.o", "edited too")
    assert project.build() == ["OFFLOAD build/out.bin"]
    assert project.packed("build/out.bin") == [b"edited", b"edited too", b"edited", b"b.in", b"edited too"]
    project.manifest("src/m.yaml", "gen.o")
    assert project.build() == ["OFFLOAD build/out.bin"]
    assert project.build() == []


@both
def test_name_that_leaves_the_variant_dir(project: Project, duplicate: int) -> None:
    project.sconstruct(f'SConscript("a/src/SConscript", variant_dir="out/src", duplicate={duplicate}, exports="env")\n')
    project.write("a/src/SConscript", 'Import("env")\nenv.OffloadBinary("out.bin", "m.yaml")\n')
    project.manifest("a/src/m.yaml", "../k.o")
    project.write("a/k.o", "beside the source")
    project.write("out/k.o", "beside the build tree: not meant")
    assert project.build() == ["OFFLOAD out/src/out.bin"]
    assert project.packed("out/src/out.bin") == [b"beside the source"]
    project.write("out/k.o", "edited")
    assert project.build() == []
    project.write("a/k.o", "edited")
    assert project.build() == ["OFFLOAD out/src/out.bin"]
    assert project.packed("out/src/out.bin") == [b"edited"]


@both
def test_image_declared_in_the_build_file(project: Project, duplicate: int) -> None:
    project.sconstruct(
        f'SConscript("src/SConscript", variant_dir="build", duplicate={duplicate}, exports="env made")\n'
    )
    project.write(
        "src/SConscript",
        """\
Import("env made")
images = env.OffloadImage(["here.o", made("gen.o", "gen.in")], triple="spirv64", arch="x", kind="sycl")
env.OffloadBinary("direct.bin", images=images)
env.OffloadBinary("out.bin", env.OffloadManifest("generated", images))
""",
    )
    project.write("src/here.o", "here")
    project.write("src/gen.in", "gen")
    project.build()
    for name in ("build/direct.bin", "build/out.bin"):
        assert project.packed(name) == [b"here", b"gen"]
    assert project.build() == []
    project.write("src/here.o", "edited")
    assert project.build() == ["OFFLOAD build/direct.bin", "OFFLOAD build/out.bin"]
    assert project.packed("build/out.bin") == [b"edited", b"gen"]


@both
def test_two_projects_share_a_manifest(project: Project, duplicate: int) -> None:
    project.sconstruct(
        f"""
library = SConscript("lib/SConscript", variant_dir="build/lib", duplicate={duplicate}, exports="env made")
SConscript("app/SConscript", variant_dir="build/app", duplicate={duplicate}, exports="env library")
"""
    )
    project.write(
        "lib/SConscript",
        'Import("env made")\nmade("k.o", "k.in")\nReturn("m")\n'.replace("Return", 'm = File("m.yaml")\nReturn'),
    )
    project.write("app/SConscript", 'Import("env library")\nenv.OffloadBinary("out.bin", ["own.yaml", library])\n')
    project.manifest("lib/m.yaml", "k.o", "still.o")
    project.manifest("app/own.yaml", "own.o")
    for name in ("lib/k.in", "lib/still.o", "app/own.o"):
        project.write(name, name)
    assert project.build() == ["MAKE build/lib/k.o", "OFFLOAD build/app/out.bin"]
    assert project.packed("build/app/out.bin") == [b"app/own.o", b"lib/k.in", b"lib/still.o"]
    project.write("lib/k.in", "edited")
    assert project.build() == ["MAKE build/lib/k.o", "OFFLOAD build/app/out.bin"]
    assert project.build() == []


ODD_NAMES = [
    "a b.o", "a  b.o", "$HOME.o", "${X}.o", "a;b.o", "a:b.o", "q'u\"o.o", "back\\slash.o", "*.o", "a|b.o", "#hash.o",
    "größe.o", "[x].o", "~.o", "a,b=c.o", "@at.o", "(x86).o", "%d.o", "^<&.o",
]  # fmt: skip


def test_odd_names(project: Project) -> None:
    import json

    project.sconstruct('env.OffloadBinary("out.bin", "m.yaml")\n')
    images = [{"file": name, "triple": "t", "arch": str(n), "kind": "none"} for n, name in enumerate(ODD_NAMES)]
    project.write("m.yaml", json.dumps({"schema": 1, "literal": True, "images": images}))
    for name in ODD_NAMES:
        project.write(name, name)
    assert project.build() == ["OFFLOAD out.bin"]
    assert project.packed("out.bin") == [name.encode() for name in ODD_NAMES]
    assert project.build() == []
    for name in ODD_NAMES:
        project.write(name, "edited " + name)
    assert project.build("--debug=explain") == ["OFFLOAD out.bin"]
    for name in ODD_NAMES:
        assert f"`{name}' changed" in project.output


def test_odd_names_in_a_generated_manifest(project: Project) -> None:
    project.sconstruct(
        f"""
import json
images = [env.OffloadImage(env.fs.Top.File("./" + name), triple="t", arch=str(n), kind="none")
          for n, name in enumerate({ODD_NAMES!r})]
env.OffloadBinary("out.bin", env.OffloadManifest("generated.yaml", images))
"""
    )
    for name in ODD_NAMES:
        project.write(name, name)
    assert project.build() == ["OFFLOAD generated.yaml", "OFFLOAD out.bin"]
    assert project.packed("out.bin") == [name.encode() for name in ODD_NAMES]


def test_directory_as_image_is_a_fault_with_a_line(project: Project) -> None:
    project.sconstruct('env.Dir("folder")\nenv.OffloadBinary("out.bin", "m.yaml")\n')
    project.manifest("m.yaml", "folder")
    (project.folder / "folder").mkdir()
    assert project.build(status=2) == ["OFFLOAD out.bin"]
    assert "'folder' is a directory, expected a file" in project.output
