"""Targets that a manifest requires, and sizes as a budget has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool.errors import ManifestError
from offload_tool.limits import REQUIRED_TARGETS
from offload_tool.manifest.load import load_manifests
from offload_tool.model import Image, OffloadKind

from .reading import check_marked, load

IMAGES = """\
schema: 1
defaults: {triple: t, kind: hip}
images:
- {file: a, arch: [gfx90a, "gfx942:xnack-:sramecc+"]}
- {file: b, arch: sm_80, kind: cuda, triple: u}
"""


@pytest.mark.parametrize(
    "require",
    [
        "{arch: gfx90a}",
        "{arch: [gfx90a, 'gfx942:sramecc+:xnack-', sm_80]}",
        "{triple: t, arch: [gfx90a], kind: hip}",
        "{triple: [t, u]}",
        "{kind: [hip, cuda]}",
    ],
)
def test_g12_required_targets_are_there(require: str, tmp_path: Path) -> None:
    assert len(load(tmp_path, f"{IMAGES}require: [{require}]\n").images) == 3


@pytest.mark.parametrize(
    ("require", "missing"),
    [
        ("{arch: [sm_80, sm_86]}", "sm_86"),
        ("{arch: [gfx942]}", "gfx942"),
        ("{triple: [t, u], kind: [hip, cuda]}", "t cuda, u hip"),
        ("{kind: sycl, arch: [gfx90a, sm_80]}", "gfx90a sycl, sm_80 sycl"),
        ("{arch: gfx90a, triple: u}", "u gfx90a"),
    ],
)
def test_g12_missing_targets_are_named_with_the_place(require: str, missing: str, tmp_path: Path) -> None:
    marked = f"{IMAGES}require:\n- {{kind: hip}}\n- §{require}\n"
    check_marked(tmp_path, marked, [f"no image for {missing}; declare it"])


def test_images_of_all_manifests_and_of_the_caller_count(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("schema: 1\nimages: []\nrequire: [{arch: [gfx90a, x]}]\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text(IMAGES, encoding="utf-8")
    paths = [str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")]
    with pytest.raises(ManifestError, match="no image for x; "):
        load_manifests(paths)
    load_manifests(paths, others=[Image(file="f", triple="t", kind=OffloadKind.HIP, arch="x")])


def test_required_targets_may_be_included_ones(tmp_path: Path) -> None:
    (tmp_path / "lib.yaml").write_text(IMAGES, encoding="utf-8")
    include = "schema: 1\ninclude: [{manifest: lib.yaml, select: {kind: %s}}]\nrequire: [{arch: gfx90a}]\n"
    assert len(load(tmp_path, include % "hip").images) == 2
    with pytest.raises(ManifestError, match=r"m.yaml:3:11: error: no image for gfx90a; "):
        load(tmp_path, include % "cuda")


def test_what_an_included_manifest_requires_is_asked_of_its_own_images(tmp_path: Path) -> None:
    (tmp_path / "lib.yaml").write_text(IMAGES + "require: [{arch: gfx90a}, {arch: x}]\n", encoding="utf-8")
    text = "schema: 1\ninclude: [{manifest: lib.yaml, select: {kind: cuda}}]\n"
    text += "images: [{file: x, arch: x, triple: t, kind: hip}]\n"
    with pytest.raises(ManifestError) as raised:
        load(tmp_path, text)
    (fault,) = raised.value.faults
    assert (Path(fault.file).name, fault.message.split(";")[0]) == ("lib.yaml", "no image for x")


def test_too_many_targets_are_refused_before_they_are_made(tmp_path: Path) -> None:
    words = ", ".join(f"a{number}" for number in range(300))
    marked = f"schema: 1\nimages: []\nrequire:\n- §{{arch: [{words}], triple: [{words}]}}\n"
    check_marked(tmp_path, marked, [f"more than {REQUIRED_TARGETS} targets in 'require'"])


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("1000000", 1_000_000),
        ("12 B", 12),
        ("500MB", 500_000_000),
        ("1.9GiB", 2_040_109_465),
        ("1.5 KiB", 1536),
        ("0.1kB", 100),
        ("0.0001kB", 0),
        ("2TiB", 1 << 41),
    ],
)
def test_budget_is_a_count_of_bytes(text: str, size: int, tmp_path: Path) -> None:
    budget = load(tmp_path, f"schema: 1\nimages: []\nbudget: {text}\n").budget
    assert budget is not None
    assert (budget.text, budget.size) == (text, size)


@pytest.mark.parametrize("text", ["-1", "1.5", "GiB", "1e9", "1.GiB", "1,5GiB", "1 gib", "1_0", "\u0661GiB", "9" * 19])
def test_budget_that_is_no_size(text: str, tmp_path: Path) -> None:
    check_marked(tmp_path, f"schema: 1\nimages: []\nbudget: §'{text}'\n", ["expected a size such as 1.9GiB"])


def test_smallest_budget_of_several_manifests_counts(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.yaml", "b.yaml", "c.yaml")]
    for path, budget in zip(paths, ("budget: 2kB", "budget: 1KiB", ""), strict=True):
        path.write_text(f"schema: 1\nimages: []\n{budget}\n", encoding="utf-8")
    manifest = load_manifests([str(path) for path in paths])
    assert manifest.budget is not None
    assert (manifest.budget.text, manifest.budget.declared.file) == ("1KiB", str(paths[1]))
