"""Manifests that include others: which images come, under which paths and words, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from offload_tool.errors import Fault, ManifestError
from offload_tool.limits import INCLUDE_DEPTH
from offload_tool.manifest.check import beside
from offload_tool.manifest.load import finder, load_manifest, load_manifests, place_of
from offload_tool.manifest.values import Manifest

LIBRARY = """\
schema: 1
defaults: {triple: amdgcn-amd-amdhsa, kind: hip}
images:
- {file: "k.{arch}.o", arch: [gfx90a, "gfx942:xnack-:sramecc+"], metadata: {origin: blas, tier: a}}
- {file: k.bc, arch: gfx90a, kind: openmp, image_kind: bitcode}
- {file: k.ptx, triple: nvptx64-nvidia-cuda, arch: sm_80, kind: cuda}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """``lib/blas.yaml`` with four images."""
    write(tmp_path / "lib" / "blas.yaml", LIBRARY)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def including(folder: Path, include: str, more: str = "", *, name: str = "m.yaml") -> Path:
    return write(folder / name, f"schema: 1\n{more}include:\n- {include}\n")


def load(path: Path, search: Sequence[Path] = (), **variables: str) -> Manifest:
    return load_manifest(str(path), search=[str(folder) for folder in search], variables=variables)


def names(manifest: Manifest) -> list[str]:
    return [Path(image.file).name for image in manifest.images]


def faults_of(*paths: Path) -> tuple[Fault, ...]:
    with pytest.raises(ManifestError) as raised:
        load_manifests([str(path) for path in paths], find=finder([], beside))
    return raised.value.faults


def place(fault: Fault) -> tuple[str, int, int]:
    return Path(fault.file).name, fault.line, fault.column


def test_included_images_come_after_the_own_ones_in_order(folder: Path) -> None:
    write(folder / "fft.yaml", "schema: 1\nimages: [{file: fft.o, triple: t, kind: hip}]\n")
    text = "schema: 1\ninclude: [{manifest: fft.yaml}, {manifest: lib/blas.yaml}]\n"
    path = write(folder / "m.yaml", text + "images: [{file: own.o, triple: t, kind: hip}]\n")
    manifest = load(path)
    assert names(manifest) == ["own.o", "fft.o", "k.gfx90a.o", "k.gfx942_xnack-_sramecc+.o", "k.bc", "k.ptx"]
    assert manifest.files == tuple(str(folder / name) for name in ("m.yaml", "fft.yaml", "lib/blas.yaml"))


def test_g28_paths_and_places_are_those_of_the_included_manifest(folder: Path) -> None:
    image = load(including(folder, "manifest: lib/../lib/blas.yaml")).images[2]
    assert image.file == str(folder / "lib" / "k.bc")
    assert image.declared is not None
    assert str(place_of(image.declared)).startswith(f"{folder / 'lib' / 'blas.yaml'}:5:10:")


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        ("{}", [0, 1, 2, 3]),
        ("{kind: hip}", [0, 1]),
        ("{kind: [hip, cuda]}", [0, 1, 3]),
        ("{kind: [hip, cuda], arch: [gfx90a, sm_80]}", [0, 3]),
        ("{arch: 'gfx942:sramecc+:xnack-'}", [1]),
        ("{arch: 'gfx942:sramecc+'}", []),
        ("{arch: gfx942}", []),
        ("{triple: nvptx64-nvidia-cuda}", [3]),
        ("{image_kind: bitcode}", [2]),
        ("{metadata: {origin: [fft, blas], tier: a}}", [0, 1]),
        ("{metadata: {origin: blas, tier: b}}", []),
        ("{metadata: {colour: blue}}", []),
    ],
)
def test_g05_select(select: str, expected: list[int], folder: Path) -> None:
    whole = load(folder / "lib" / "blas.yaml").images
    manifest = load(including(folder, f"{{manifest: lib/blas.yaml, select: {select}}}"))
    assert list(manifest.images) == [whole[index] for index in expected]


def test_set_takes_the_place_of_the_images_own(folder: Path) -> None:
    change = "{arch: gfx90a, kind: openmp, metadata: {origin: new, more: x}}"
    path = including(folder, f"{{manifest: lib/blas.yaml, select: {{kind: hip}}, set: {change}}}")
    first, second = load(path).images
    assert Path(second.file).name == "k.gfx942_xnack-_sramecc+.o", "the name keeps the arch it was written for"
    assert [(image.arch, image.kind.value) for image in (first, second)] == [("gfx90a", "openmp")] * 2
    assert dict(first.metadata) == {"origin": "new", "tier": "a", "more": "x"}


def test_set_of_the_outer_manifest_counts_last(folder: Path) -> None:
    including(folder, "{manifest: lib/blas.yaml, set: {metadata: {by: inner, inner: x}}}", name="inner.yaml")
    outer = including(folder, "{manifest: inner.yaml, select: {kind: cuda}, set: {metadata: {by: outer}}}")
    (image,) = load(outer).images
    assert dict(image.metadata) == {"by": "outer", "inner": "x"}


def test_variables_reach_included_manifests(folder: Path) -> None:
    text = "schema: 1\nvariables: {B: inner, C: default}\n"
    text += "images: [{file: '{A}/{B}/{C}', triple: t, kind: hip}]\n"
    write(folder / "lib" / "v.yaml", text)
    path = including(folder, "{manifest: '{D}/v.yaml'}", "variables: {B: outer, D: nowhere}\n")
    manifest = load(path, A="given", D="lib")
    assert manifest.images[0].file == str(folder / "lib" / "given" / "outer" / "default")


def test_variables_of_an_included_manifest_stay_in_it(folder: Path) -> None:
    write(folder / "v.yaml", "schema: 1\nvariables: {B: b}\nimages: []\n")
    path = including(folder, "manifest: v.yaml", "images: [{file: '{B}', triple: t, kind: hip}]\n")
    assert [fault.message.split(";")[0] for fault in faults_of(path)] == ["unknown placeholder '{B}'"]


def test_literal_holds_for_names_of_included_manifests(folder: Path) -> None:
    write(folder / "{x}.yaml", LIBRARY)
    assert len(load(including(folder, "manifest: '{x}.yaml'", "literal: true\n")).images) == 4
    assert len(load(including(folder, "manifest: '{{x}}.yaml'")).images) == 4


def test_one_manifest_with_other_variables_is_another(folder: Path) -> None:
    write(folder / "v.yaml", "schema: 1\nimages: [{file: '{V}', triple: t, kind: hip}]\n")
    for name in "ab":
        including(folder, "manifest: v.yaml", f"variables: {{V: {name}}}\n", name=f"{name}.yaml")
    path = write(folder / "m.yaml", "schema: 1\ninclude: [{manifest: a.yaml}, {manifest: b.yaml}]\n")
    assert names(load(path)) == ["a", "b"]


def test_bindings_reach_included_manifests(folder: Path) -> None:
    write(folder / "lib" / "i.yaml", "schema: 1\nimages: [{input: fft, triple: t, kind: hip}]\n")
    path = including(folder, "manifest: lib/i.yaml", "bind: {fft: made.o}\n")
    assert load(path).images[0].file == str(folder / "made.o")
    given = load_manifest(str(path), bind={"fft": ["/given.o"]})
    assert (given.images[0].file, given.inputs) == ("/given.o", ("fft",))


def test_search_path_is_taken_in_order_after_the_own_folder(folder: Path) -> None:
    path = including(folder, "manifest: x/m.yaml")
    for name in ("first", "second"):
        write(folder / name / "x" / "m.yaml", f"schema: 1\nimages: [{{file: {name}, triple: t, kind: hip}}]\n")
    search = [folder / "none", folder / "first", folder / "second"]
    assert load(path, search).images[0].file == str(folder / "first" / "x" / "first")
    write(folder / "x" / "m.yaml", "schema: 1\nimages: [{file: own, triple: t, kind: hip}]\n")
    assert names(load(path, search)) == ["own"]


def test_search_path_holds_within_included_manifests(folder: Path) -> None:
    write(folder / "far" / "a.yaml", "schema: 1\ninclude: [{manifest: blas.yaml}]\n")
    assert len(load(including(folder, "manifest: a.yaml"), [folder / "far", folder / "lib"]).images) == 4


def test_manifest_that_is_missing_is_told_at_its_name(folder: Path) -> None:
    path = including(folder, "{select: {}, manifest: lib/none.yaml}")
    (fault,) = faults_of(path)
    assert place(fault) == ("m.yaml", 3, 26)
    assert fault.message.startswith(f"manifest {str(folder / 'lib' / 'none.yaml')!r}: No such file")


def test_faults_of_included_manifests_come_in_the_same_run(folder: Path) -> None:
    write(folder / "bad.yaml", "schema: 1\nimages: [\n")
    write(folder / "worse.yaml", "schema: 1\nimages: [{file: k, triple: t, kind: HIP}]\n")
    path = write(
        folder / "m.yaml", "schema: 1\ninclude: [{manifest: bad.yaml}, {manifest: worse.yaml}]\nimages: none\n"
    )
    assert [Path(fault.file).name for fault in faults_of(path)] == ["m.yaml", "bad.yaml", "worse.yaml"]


def test_fault_in_a_manifest_that_is_included_twice_is_told_once(folder: Path) -> None:
    write(folder / "bad.yaml", "schema: 1\nimages: 3\n")
    path = write(folder / "m.yaml", "schema: 1\ninclude: [{manifest: bad.yaml}, {manifest: ./bad.yaml}]\n")
    (fault,) = faults_of(path)
    assert place(fault) == ("bad.yaml", 2, 9)


def test_diamond_gives_each_image_once(folder: Path) -> None:
    for name in "ab":
        including(folder, "manifest: lib/blas.yaml", name=f"{name}.yaml")
    path = write(folder / "m.yaml", "schema: 1\ninclude: [{manifest: a.yaml}, {manifest: b.yaml}]\n")
    manifest = load(path)
    assert manifest.images == load(folder / "lib" / "blas.yaml").images
    assert [Path(file).name for file in manifest.files] == ["m.yaml", "a.yaml", "blas.yaml", "b.yaml"]
    both = load_manifests([str(folder / "a.yaml"), str(folder / "b.yaml")], find=finder([], beside))
    assert both.images == manifest.images


def test_diamond_with_other_metadata_gives_both(folder: Path) -> None:
    include = "{manifest: lib/blas.yaml, select: {kind: cuda}, set: {metadata: {way: %s}}}"
    path = write(folder / "m.yaml", f"schema: 1\ninclude: [{include % 'one'}, {include % 'other'}]\n")
    assert [dict(image.metadata) for image in load(path).images] == [{"way": "one"}, {"way": "other"}]


def test_image_that_two_manifests_declare_is_a_fault_with_both_places(folder: Path) -> None:
    write(
        folder / "other.yaml",
        "schema: 1\nimages: [{file: lib/k.bc, triple: amdgcn-amd-amdhsa, arch: gfx90a, kind: openmp}]\n",
    )
    path = write(folder / "m.yaml", "schema: 1\ninclude: [{manifest: lib/blas.yaml}, {manifest: other.yaml}]\n")
    (fault,) = faults_of(path)
    assert place(fault) == ("other.yaml", 2, 17)
    assert f"equals that of images.1.file in {folder / 'lib' / 'blas.yaml'}" in fault.message


def test_deep_ladder_of_diamonds_is_walked_once_a_rung(folder: Path) -> None:
    for level in range(INCLUDE_DEPTH - 1):
        include = f"{{manifest: {level}.yaml}}"
        write(folder / f"{level + 1}.yaml", f"schema: 1\ninclude: [{include}, {include}, {include}, {include}]\n")
    write(folder / "0.yaml", LIBRARY)
    assert len(load(folder / f"{INCLUDE_DEPTH - 1}.yaml").images) == 4


def test_cycle_is_refused_with_its_chain(folder: Path) -> None:
    including(folder, "manifest: b.yaml", name="a.yaml")
    including(folder, "manifest: ./sub/../a.yaml", name="b.yaml")
    (fault,) = faults_of(folder / "a.yaml")
    assert place(fault) == ("b.yaml", 3, 13)
    a, b = repr(str(folder / "a.yaml")), repr(str(folder / "b.yaml"))
    assert fault.message == f"the manifest includes itself: {a} includes {b} includes {a}"


def test_cycle_through_a_link_is_refused(folder: Path) -> None:
    (folder / "again").symlink_to(folder)
    (fault,) = faults_of(including(folder, "manifest: again/m.yaml"))
    assert fault.message.startswith("the manifest includes itself: ")


@pytest.mark.parametrize("more", [0, 1])
def test_depth_is_limited(more: int, folder: Path) -> None:
    for level in range(INCLUDE_DEPTH + more):
        including(folder, f"manifest: {level}.yaml", name=f"{level + 1}.yaml")
    write(folder / "0.yaml", LIBRARY)
    deepest = folder / f"{INCLUDE_DEPTH + more}.yaml"
    if not more:
        assert len(load(deepest).images) == 4
    else:
        (fault,) = faults_of(deepest)
        assert f"included more than {INCLUDE_DEPTH} deep: " in fault.message
        assert "16.yaml' includes '" in fault.message


def test_depth_counts_from_the_outermost_whatever_was_read_before(folder: Path) -> None:
    for level in range(INCLUDE_DEPTH):
        including(folder, f"manifest: {level}.yaml", name=f"{level + 1}.yaml")
    write(folder / "0.yaml", LIBRARY)
    path = write(folder / "m.yaml", f"schema: 1\ninclude: [{{manifest: 5.yaml}}, {{manifest: {INCLUDE_DEPTH}.yaml}}]\n")
    assert any("included more than" in fault.message for fault in faults_of(path))


def test_toolchain_of_the_outermost_manifest_counts(folder: Path) -> None:
    write(folder / "a.yaml", "schema: 1\ntoolchain: llvm-19\nimages: []\n")
    assert load(including(folder, "manifest: a.yaml", "toolchain: llvm-22\n")).toolchain == "llvm-22"
    assert load(including(folder, "manifest: a.yaml")).toolchain == "llvm-19"


def test_included_toolchains_that_differ_are_a_fault_unless_an_outer_one_counts(folder: Path) -> None:
    write(folder / "a.yaml", "schema: 1\ntoolchain: llvm-19\nimages: []\n")
    write(folder / "b.yaml", "schema: 1\ntoolchain: llvm-22\nimages: []\n")
    includes = "include: [{manifest: a.yaml}, {manifest: b.yaml}]\n"
    middle = write(folder / "middle.yaml", "schema: 1\n" + includes)
    (fault,) = faults_of(middle)
    assert place(fault) == ("b.yaml", 2, 12)
    assert f"'llvm-22' differs from 'llvm-19' in {str(folder / 'a.yaml')!r}; name one" in fault.message
    assert load(including(folder, "manifest: middle.yaml", "toolchain: llvm-21\n")).toolchain == "llvm-21"
    load_manifests([str(middle)], find=finder([], beside), settled=["toolchain"])


def test_form_of_included_manifests_does_not_count(folder: Path) -> None:
    write(folder / "a.yaml", "schema: 1\nalign: 64\nformat_version: 3\ncompress: zlib\nbudget: 1\nimages: []\n")
    manifest = load(including(folder, "manifest: a.yaml", "align: 16\n"))
    assert (manifest.align, manifest.format_version, manifest.compress, manifest.budget) == (16, None, None, None)
