"""What is built when: the second build, edits, options, failures."""

from __future__ import annotations

import os

import pytest

from .project import PACKED, SETUP, Project


def test_second_build_does_nothing(two_images: Project) -> None:
    assert two_images.build() == []


def test_editing_an_image_repacks(two_images: Project) -> None:
    two_images.write("two.cubin", "another image")
    assert two_images.build() == PACKED
    assert two_images.packed("out.bin") == [b"first image", b"another image"]
    assert two_images.build() == []


def test_changing_a_line_of_the_manifest_repacks(two_images: Project) -> None:
    two_images.manifest("images.yaml", "two.cubin")
    assert two_images.build() == PACKED
    assert two_images.packed("out.bin") == [b"second image"]


def test_new_time_and_same_bytes_do_nothing(two_images: Project) -> None:
    for name in ("one.cubin", "images.yaml"):
        os.utime(two_images.folder / name, (2_000_000_000, 2_000_000_000))
    assert two_images.build() == []


def test_older_replacement_of_an_image_repacks(two_images: Project) -> None:
    os.utime(two_images.write("one.cubin", "older image"), (1_000_000_000, 1_000_000_000))
    assert two_images.build() == PACKED


def test_deleting_a_listed_image_names_it_and_keeps_the_old_output(two_images: Project) -> None:
    old = two_images.bytes("out.bin")
    (two_images.folder / "two.cubin").unlink()
    assert two_images.build(status=2) == []
    assert "two.cubin' not found, needed by target `out.bin'" in two_images.output
    assert two_images.bytes("out.bin") == old
    two_images.write("two.cubin", "second image")
    assert two_images.build() == []


def test_image_taken_off_the_list_may_be_deleted(two_images: Project) -> None:
    (two_images.folder / "two.cubin").unlink()
    two_images.manifest("images.yaml", "one.cubin")
    assert two_images.build() == PACKED
    assert two_images.build() == []


def test_g19_failing_action_keeps_the_old_bytes(two_images: Project) -> None:
    old = two_images.bytes("out.bin")
    two_images.write("images.yaml", "schema: 1\nimages: [{file: one.cubin, triple: t, kind: HIP}]\n")
    assert two_images.build(status=2) == PACKED
    assert two_images.bytes("out.bin") == old
    assert [name for name in os.listdir(two_images.folder) if name.endswith(".part")] == []


def test_faults_of_a_manifest_are_shown_as_they_are(two_images: Project) -> None:
    manifest = two_images.write("images.yaml", "schema: 1\nimages:\n  - {file: one.cubin, triple: t, kind: HIP}\n")
    two_images.build(status=2)
    assert f"scons: *** [out.bin] {manifest}:3:40: error: unknown kind 'HIP'; did you mean 'hip'?" in two_images.output
    two_images.write("images.yaml", "schema: 1\nimages:\n  - {file: one.cubin, triple: t, kind: HIP}\n  - {}\n")
    two_images.build(status=2)
    assert f"\n{manifest}:3:40: error: " in two_images.output
    assert f"\n{manifest}:4:5: error: " in two_images.output


@pytest.mark.parametrize("text", ["images: [", "\x00", "[1, 2]", "", "schema: 1\nschema: 1\nimages: []"])
def test_unreadable_manifest_is_one_fault(two_images: Project, text: str) -> None:
    two_images.write("images.yaml", text)
    two_images.build(status=2)
    assert "images.yaml:1:" in two_images.output or "images.yaml:2:" in two_images.output


def test_manifest_that_is_not_there(two_images: Project) -> None:
    (two_images.folder / "images.yaml").unlink()
    assert two_images.build(status=2) == []
    assert "Source `images.yaml' not found, needed by target `out.bin'" in two_images.output


def test_eight_jobs_pack_once(project: Project) -> None:
    project.sconstruct(
        """
images = env.OffloadBinary("out.bin", "images.yaml", bind={"k": made("k.cubin", "k.cu")})
for index in range(8):
    made(f"copy{index}.bin", images)
"""
    )
    project.manifest("images.yaml", "input: k")
    project.write("k.cu", "kernel")
    steps = project.build("-j8")
    assert steps.count("OFFLOAD out.bin") == 1
    assert steps[:2] == ["MAKE k.cubin", "OFFLOAD out.bin"]
    assert len(steps) == 10
    assert project.build("-j8") == []


def test_dry_run_and_clean(two_images: Project) -> None:
    two_images.write("one.cubin", "changed")
    old = two_images.bytes("out.bin")
    assert two_images.build("-n") == PACKED
    assert two_images.bytes("out.bin") == old
    two_images.build("-c")
    left = {path.name for path in two_images.folder.iterdir()}
    assert left == {"SConstruct", "images.yaml", "one.cubin", "two.cubin", ".sconsign.dblite"}


def test_keep_going_builds_the_others(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("bad.bin", "bad.yaml")\nenv.OffloadBinary("out.bin", "images.yaml")\n')
    project.write("bad.yaml", "images: {")
    project.manifest("images.yaml", "k.cubin")
    project.write("k.cubin", "kernel")
    assert project.build("-k", status=2) == ["OFFLOAD bad.bin", "OFFLOAD out.bin"]
    assert project.packed("out.bin") == [b"kernel"]


def test_explain_names_the_image(two_images: Project) -> None:
    two_images.write("two.cubin", "changed")
    two_images.build("--debug=explain")
    assert "`two.cubin' changed" in two_images.output


def test_implicit_cache(two_images: Project) -> None:
    assert two_images.build("--implicit-cache") == []
    two_images.write("two.cubin", "changed")
    assert two_images.build("--implicit-cache") == PACKED
    two_images.manifest("images.yaml", "one.cubin", "three.cubin")
    two_images.write("three.cubin", "third image")
    assert two_images.build("--implicit-cache") == PACKED
    two_images.write("three.cubin", "changed")
    assert two_images.build("--implicit-cache") == PACKED
    assert two_images.packed("out.bin") == [b"first image", b"changed"]
    assert two_images.build("--implicit-cache") == []


def test_g28_manifest_in_a_sub_folder(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("out.bin", "images/set/m.yaml")\n')
    project.manifest("images/set/m.yaml", "k.cubin", "../k.cubin", str(project.folder / "k.cubin"), "#/top.cubin")
    for name in ("images/set/k.cubin", "images/k.cubin", "k.cubin", "top.cubin"):
        project.write(name, name)
    assert project.build() == PACKED
    project.write("images/k.cubin", "edited")
    assert project.build() == PACKED
    assert project.packed("out.bin") == [b"images/set/k.cubin", b"edited", b"k.cubin", b"top.cubin"]
    assert project.build() == []


def test_g28_control_character_in_a_path_is_told(two_images: Project) -> None:
    two_images.write("images.yaml", 'schema: 1\nimages: [{file: "a\\tb.o", triple: t, kind: hip}]\n')
    assert two_images.build(status=2) == PACKED
    assert "control character in 'a\\tb.o'" in two_images.output


def test_two_packs_of_one_manifest_with_other_variables(project: Project) -> None:
    project.sconstruct(
        """
for name in ("a", "b"):
    env.OffloadBinary(name, "images.yaml", OFFLOADDEFINES={"v": name}, bind={"k": made(f"{name}.cubin", f"{name}.cu")})
"""
    )
    project.manifest("images.yaml", "{v}.img", "input: k")
    for name in ("a.img", "b.img", "a.cu", "b.cu"):
        project.write(name, name)
    project.build()
    assert project.packed("a.bin") == [b"a.img", b"a.cu"]
    assert project.packed("b.bin") == [b"b.img", b"b.cu"]
    project.write("b.img", "edited")
    assert project.build() == ["OFFLOAD b.bin"]


def test_several_manifests_and_archive(project: Project) -> None:
    project.sconstruct(
        """
env.OffloadBinary("out", ["one", "two.yaml"])
env.OffloadArchive("images", ["one.yaml", "two.yaml"], OFFLOADALIGN=64)
"""
    )
    project.manifest("one.yaml", "k.cubin")
    project.manifest("two.yaml", "sub/k.cubin")
    project.write("k.cubin", "k")
    project.write("sub/k.cubin", "sub/k")
    assert project.build() == ["OFFLOAD images.a", "OFFLOAD out.bin"]
    assert project.packed("out.bin") == [b"k", b"sub/k"]
    assert project.bytes("images.a").startswith(b"!<arch>\n")
    project.write("sub/k.cubin", "changed")
    assert project.build() == ["OFFLOAD images.a", "OFFLOAD out.bin"]


def test_command_line_string_is_a_variable(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml", OFFLOADCOMSTR="MAKE of $SOURCE")\n')
    project.manifest("images.yaml")
    assert project.build() == ["MAKE of images.yaml"]


def test_tool_survives_clone(project: Project) -> None:
    project.sconstruct('env.Clone(OFFLOADALIGN=64).OffloadBinary("out.bin", "images.yaml")\n')
    project.manifest("images.yaml", "k.cubin")
    project.write("k.cubin", "k")
    assert project.build() == PACKED
    assert len(project.bytes("out.bin")) % 64 == 0


def test_json_manifest(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("out.bin", "images.json")\n', setup=SETUP)
    project.write(
        "images.json", '{"schema": 1, "images": [{"file": "k.o", "triple": "t", "arch": "a", "kind": "none"}]}'
    )
    project.write("k.o", "k")
    assert project.build() == PACKED
    assert project.build() == []
