"""``export`` as build files call it: depfiles, selection, copies that include others, manifests resolved in place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .running import Call, files_in, write_manifest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """``top.yaml`` includes ``core/core.yaml``, whose second image is an input."""
    for name in ("one.o", "two.o", "core/three.o"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    images = ({"file": "three.o", "arch": "sm_70"}, {"input": "i", "arch": "sm_80"})
    write_manifest(tmp_path / "core", *images, name="core.yaml", toolchain="llvm-22")
    write_manifest(tmp_path, {"file": "one.o"}, name="top.yaml", include=[{"manifest": "core/core.yaml"}])
    return tmp_path


def _read(path: Path) -> Any:
    return json.loads(path.read_text())


def _bound(project: Path) -> str:
    return f"--bind=i={project / 'two.o'}"


def test_copy_that_includes_another_lacks_its_images(call: Call, project: Path) -> None:
    bound, out = _bound(project), project / "out"
    call("export", project / "core" / "core.yaml", bound, "-d", out / "core")
    call(
        "export",
        project / "top.yaml",
        bound,
        f"--include=../core/offload.yaml={project}/core/core.yaml",
        "-d",
        out / "top",
    )
    assert files_in(out / "top" / "images") == ["one.o"]
    call("pack", out / "top" / "offload.yaml", out / "core" / "offload.yaml", "-o", project / "both.bin")
    call("pack", project / "top.yaml", bound, "-o", project / "direct.bin")
    assert (project / "both.bin").read_bytes() == (project / "direct.bin").read_bytes()


def test_image_that_goes_out_of_a_copy_with_includes_is_removed(call: Call, project: Path) -> None:
    words = ["export", project / "top.yaml", _bound(project), f"--include=no/such.yaml={project}/core/core.yaml"]
    call(*words, "-d", project / "out")
    (project / "one.o").rename(project / "other.o")
    write_manifest(project, {"file": "other.o"}, name="top.yaml", include=[{"manifest": "core/core.yaml"}])
    call(*words, "-d", project / "out")
    assert files_in(project / "out" / "images") == ["other.o"]


def test_selected_images_are_exported(call: Call, project: Path) -> None:
    call("export", project / "top.yaml", _bound(project), "--select=arch=sm_80", "-d", project / "out")
    assert files_in(project / "out" / "images") == ["two.o"]


def test_depfile_names_what_a_copy_is_made_from(call: Call, project: Path) -> None:
    included = f"--include=x={project}/core/core.yaml"
    depfile = ["--depfile", project / "d", "--depfile-target", "stamp"]
    call("export", project / "top.yaml", _bound(project), included, "-d", project / "out", *depfile)
    words = (project / "d").read_text().replace("\\\n", "").split()
    inputs = {str(project / name) for name in ("top.yaml", "core/core.yaml", "one.o")}
    assert words[0] == "stamp:"
    assert {word for word in words[1:] if word.startswith(str(project))} == inputs
    assert any(word.endswith("actions/export.py") for word in words)


def test_resolved_manifest_packs_to_the_same_images(call: Call, project: Path) -> None:
    depfile = ["--depfile", project / "d"]
    call("export", project / "top.yaml", _bound(project), "-o", project / "resolved.yaml", *depfile)
    assert [image["file"] for image in _read(project / "resolved.yaml")["images"]] == [
        str(project / name) for name in ("one.o", "core/three.o", "two.o")
    ]
    assert "toolchain" not in _read(project / "resolved.yaml")
    assert f"{project}/core/core.yaml" in (project / "d").read_text()
    assert f"{project}/one.o" not in (project / "d").read_text()
    call("pack", project / "resolved.yaml", "--toolchain=llvm-22", "-o", project / "one.bin")
    call("pack", project / "top.yaml", _bound(project), "-o", project / "two.bin")
    assert (project / "one.bin").read_bytes() == (project / "two.bin").read_bytes()


def test_resolved_manifest_of_images_to_come_stays_untouched(call: Call, project: Path) -> None:
    (project / "one.o").unlink()
    words = ["export", project / "top.yaml", _bound(project), "-o", project / "resolved.yaml"]
    call(*words)
    before = (project / "resolved.yaml").stat().st_mtime_ns
    call(*words)
    assert (project / "resolved.yaml").stat().st_mtime_ns == before


def test_resolved_manifest_leaves_requirements_and_toolchains_to_who_packs_it(call: Call, project: Path) -> None:
    write_manifest(project, name="more.yaml", toolchain="llvm-19", require=[{"arch": "sm_99"}])
    call("export", project / "top.yaml", project / "more.yaml", _bound(project), "-o", project / "resolved.yaml")
    assert len(_read(project / "resolved.yaml")["images"]) == 3


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ([], "name either the folder of a copy with -d or the file of a manifest with -o"),
        (["-d", "d", "-o", "o"], "name either the folder of a copy with -d"),
        (["-o", "o", "--include=a=b"], "--include belongs to a copy; give -d instead of -o"),
        (["-d", "d", "--include=a"], "--include 'a' is no pair"),
    ],
)
def test_refused(call: Call, project: Path, words: list[str], fault: str) -> None:
    assert fault in call("export", project / "top.yaml", _bound(project), *words, status=2).err


def test_toolchain_of_a_manifest_counts_before_those_that_another_one_includes(call: Call, project: Path) -> None:
    own = write_manifest(project, {"file": "two.o", "kind": "hip"}, name="own.yaml", toolchain="llvm-19")
    call("pack", own, project / "top.yaml", _bound(project), "-o", project / "one.bin")
    call("pack", own, project / "top.yaml", _bound(project), "--toolchain=llvm-19", "-o", project / "two.bin")
    assert (project / "one.bin").read_bytes() == (project / "two.bin").read_bytes()
