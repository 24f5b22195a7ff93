"""Incremental packing within SCons: on by default, cleaned with its output, and no part of the signature."""

from __future__ import annotations

from .project import PACKED, SETUP, Project

RECORD = ".out.bin.offload-record"
PART = ".out.bin.offload-part"


def _sconstruct(project: Project, more: str) -> None:
    project.sconstruct(f'env.OffloadBinary("out.bin", "images.yaml"{more})\n', setup=SETUP)


def test_edited_image_is_patched_into_the_same_file(two_images: Project) -> None:
    inode = (two_images.folder / "out.bin").stat().st_ino
    two_images.write("two.cubin", "another one!")
    assert two_images.build() == PACKED
    assert (two_images.folder / "out.bin").stat().st_ino == inode
    assert two_images.packed("out.bin") == [b"first image", b"another one!"]
    assert two_images.build() == []


def test_clean_removes_the_record_and_what_a_kill_left(two_images: Project) -> None:
    assert (two_images.folder / RECORD).exists()
    two_images.write(PART, "torn")
    two_images.build("-c")
    left = {path.name for path in two_images.folder.iterdir()}
    assert left == {"SConstruct", "images.yaml", "one.cubin", "two.cubin", ".sconsign.dblite"}


def test_switch_is_no_part_of_the_signature(two_images: Project) -> None:
    _sconstruct(two_images, ", OFFLOADINCREMENTAL=False")
    assert two_images.build() == []
    inode = (two_images.folder / "out.bin").stat().st_ino
    two_images.write("two.cubin", "another one!")
    assert two_images.build() == PACKED
    assert (two_images.folder / "out.bin").stat().st_ino != inode
    assert not (two_images.folder / RECORD).exists()


def test_g19_failing_action_keeps_the_old_bytes_and_the_record(two_images: Project) -> None:
    old, record = two_images.bytes("out.bin"), two_images.bytes(RECORD)
    two_images.write("images.yaml", "schema: 1\nimages: [{file: one.cubin, triple: t, kind: HIP}]\n")
    assert two_images.build(status=2) == PACKED
    assert (two_images.bytes("out.bin"), two_images.bytes(RECORD)) == (old, record)
    assert not (two_images.folder / PART).exists()


def test_record_in_a_variant_dir_lies_beside_the_output(project: Project) -> None:
    project.write("src/SConscript", 'Import("env")\nenv.OffloadBinary("out.bin", "images.yaml")\n')
    project.sconstruct('env.SConscript("src/SConscript", variant_dir="build", exports="env", duplicate=0)\n')
    project.manifest("src/images.yaml", "one.cubin")
    project.write("src/one.cubin", "image")
    project.build()
    assert (project.folder / "build" / RECORD).exists()
    project.build("-c")
    assert not (project.folder / "build" / RECORD).exists()
    assert {path.name for path in (project.folder / "src").iterdir()} == {"SConscript", "images.yaml", "one.cubin"}


def test_archive_has_no_record(project: Project) -> None:
    project.sconstruct('env.OffloadArchive("out.a", "images.yaml")\n')
    project.manifest("images.yaml", "one.cubin")
    project.write("one.cubin", "image")
    project.build()
    assert not list(project.folder.glob(".*offload-record"))
