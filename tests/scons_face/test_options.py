"""Options, and whether a change of one packs again."""

from __future__ import annotations

import re

import pytest

from .project import PACKED, Project


@pytest.mark.parametrize(
    ("variable", "first", "second"),
    [
        ("OFFLOADALIGN", "16", "64"),
        ("OFFLOADTOOLCHAIN", "'llvm-19'", "'llvm-22'"),
        ("OFFLOADSELECT", "{'arch': 'a0'}", "{'arch': ['a0', 'a1']}"),
        ("OFFLOADSELECT", "'arch=a0'", "['arch=a0', 'arch=a1']"),
        ("OFFLOADFORMATVERSION", "None", "1"),
        ("OFFLOADDEFINES", "{'unused': 1}", "['unused=2']"),
    ],
)
def test_g18_option_change_repacks(project: Project, variable: str, first: str, second: str) -> None:
    project.manifest("images.yaml", "one.o", "two.o", kind="hip")
    project.write("one.o", "first")
    project.write("two.o", "second")
    project.sconstruct(f'env.OffloadBinary("out.bin", "images.yaml", {variable}={first})\n')
    assert project.build() == PACKED
    old = project.bytes("out.bin")
    assert project.build() == []
    project.sconstruct(f'env.OffloadBinary("out.bin", "images.yaml", {variable}={second})\n')
    assert project.build() == PACKED
    assert project.build() == []
    assert (project.bytes("out.bin") != old) == (variable not in ("OFFLOADFORMATVERSION", "OFFLOADDEFINES"))


def test_g18_other_format_and_compression_repack(two_images: Project) -> None:
    seen = set()
    for options in ("", ", OFFLOADFORMATVERSION=2", ", OFFLOADCOMPRESS='zlib'", ", OFFLOADCOMPRESS='zlib:1'"):
        text = f'env.OffloadBinary("out.bin", "images.yaml", OFFLOADTOOLCHAIN="llvm-24"{options})\n'
        two_images.sconstruct(text)
        assert two_images.build() == PACKED, options
        assert two_images.build() == []
        seen.add(two_images.bytes("out.bin"))
    assert len(seen) >= 3


def test_g22_option_that_is_another_variable(two_images: Project) -> None:
    text = 'env.Replace(OFFLOADALIGN="$OTHER", OTHER={})\nenv.OffloadBinary("out.bin", "images.yaml")\n'
    two_images.sconstruct(text.format(16))
    assert two_images.build() == PACKED
    two_images.sconstruct(text.format(256))
    assert two_images.build() == PACKED
    assert len(two_images.bytes("out.bin")) % 256 == 0
    assert two_images.build() == []


def test_g22_what_alters_no_bytes_is_not_in_the_signature(two_images: Project) -> None:
    two_images.sconstruct('env.OffloadBinary("out.bin", "images.yaml", OFFLOADCOMSTR="PACKING $TARGET", OTHER=3)\n')
    assert two_images.build() == []


WRONG_OPTIONS = {
    "OFFLOADALIGN='12'": "12",
    "OFFLOADALIGN='many'": "OFFLOADALIGN: 'many' is no whole number",
    "OFFLOADTOOLCHAIN='llvm22'": "unknown toolchain 'llvm22'",
    "OFFLOADFORMATVERSION=9": "format version 9",
    "OFFLOADSTRICT='perhaps'": "OFFLOADSTRICT: 'perhaps' is neither true nor false",
    "OFFLOADSELECT='a0'": "OFFLOADSELECT: 'a0' selects nothing",
    "OFFLOADDEFINES='x'": "OFFLOADDEFINES: 'x' is no pair",
}


def test_wrong_options_fail_with_a_line_each(project: Project) -> None:
    calls = [f'env.OffloadBinary("{n}", "m.yaml", {option})\n' for n, option in enumerate(WRONG_OPTIONS)]
    project.sconstruct("".join(calls))
    project.manifest("m.yaml")
    assert len(project.build("-k", status=2)) == len(WRONG_OPTIONS)
    lines = [line for line in project.output.splitlines() if line.startswith("scons: ***")]
    for number, (message, line) in enumerate(zip(WRONG_OPTIONS.values(), lines, strict=True)):
        assert line.startswith(f"scons: *** [{number}.bin] ")
        assert message in line


def test_variable_of_the_manifest(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml", OFFLOADDEFINES={"where": "$WHERE"}, WHERE="b")\n')
    project.manifest("images.yaml", "{where}/k.cubin")
    project.write("b/k.cubin", "from b")
    assert project.build() == PACKED
    project.write("b/k.cubin", "from b, edited")
    assert project.build() == PACKED
    assert project.packed("out.bin") == [b"from b, edited"]


def test_image_that_is_not_selected_need_not_exist(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml", OFFLOADSELECT={"arch": "a0"})\n')
    project.manifest("images.yaml", "here.cubin", "absent.cubin")
    project.write("here.cubin", "here")
    assert project.build() == PACKED
    assert project.packed("out.bin") == [b"here"]


def test_warning_and_strict(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml")\n')
    project.manifest("images.yaml", "empty.cubin")
    project.write("empty.cubin", "")
    assert project.build() == PACKED
    assert re.search(r"scons: warning: offload: .*images\.yaml:\d+:\d+: image ", project.output)
    assert "is empty" in project.output
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml", OFFLOADSTRICT=True)\n')
    assert project.build(status=2) == PACKED
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml", OFFLOADCHECK=False)\n')
    assert project.build() == PACKED
    assert "empty" not in project.output


def test_warnings_as_exceptions_of_scons(project: Project) -> None:
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml")\n')
    project.write("site_scons/site_init.py", "import SCons.Warnings\nSCons.Warnings.warningAsException()\n")
    project.manifest("images.yaml", "empty.cubin")
    project.write("empty.cubin", "")
    project.build(status=2)
    assert re.search(r"scons: \*\*\* \[out\.bin\] offload: .*images\.yaml:\d+:\d+: image ", project.output)
