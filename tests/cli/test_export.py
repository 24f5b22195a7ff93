"""``export``: a copy that stands alone, wherever it is moved."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from offload_tool.actions import image_bytes
from offload_tool.actions.copying import copy_range

from .running import Call, files_in, write_manifest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two files of one base name, one file for two targets, strings of every kind."""
    folder = tmp_path / "project"
    for name, content in (("a/k.o", b"first"), ("b/k.o", b"second"), ("{odd} name:.o", b"third")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    write_manifest(
        folder,
        {"file": "a/k.o", "arch": ["sm_80", "sm_90"], "metadata": {"note": "x=y,z"}},
        {"file": "b/k.o", "arch": "sm_80", "kind": "none", "image_kind": "object"},
        {"file": "{odd} name:.o"},
        toolchain="llvm-22",
        align=64,
        literal=True,
    )
    return folder


def test_exported_copy_packs_to_the_same_bytes_after_it_moved(call: Call, project: Path, tmp_path: Path) -> None:
    call("pack", project / "m.yaml", "-o", tmp_path / "one.bin")
    call("export", project / "m.yaml", "-d", tmp_path / "out" / "deep")
    shutil.move(tmp_path / "out" / "deep", tmp_path / "moved here")
    shutil.rmtree(project)
    call("pack", tmp_path / "moved here" / "offload.yaml", "-o", tmp_path / "two.bin")
    assert (tmp_path / "one.bin").read_bytes() == (tmp_path / "two.bin").read_bytes()


def test_g20_nothing_names_the_machine(call: Call, project: Path, tmp_path: Path) -> None:
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    assert files_in(tmp_path / "out") == ["images", "offload.yaml"]
    assert files_in(tmp_path / "out" / "images") == ["_odd__name_.o", "k-2.o", "k.o"]
    assert str(tmp_path).encode() not in (tmp_path / "out" / "offload.yaml").read_bytes()


def test_second_export_touches_nothing(call: Call, project: Path, tmp_path: Path) -> None:
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*") if path.is_file()}
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_missing_image_writes_nothing(call: Call, project: Path, tmp_path: Path) -> None:
    (project / "b" / "k.o").unlink()
    said = call("export", project / "m.yaml", "-d", tmp_path / "out", status=1).err
    assert "k.o': No such file or directory" in said
    assert not (tmp_path / "out").exists()


def test_folder_that_is_a_file(call: Call, project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"file")
    assert "folder '" in call("export", project / "m.yaml", "-d", tmp_path / "out", status=1).err


def test_image_that_changes_meanwhile_is_noticed(
    call: Call, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(source: int, offset: int, size: int, target: int) -> None:
        copy_range(source, offset, size, target)
        (project / "a" / "k.o").write_bytes(b"other bytes")

    monkeypatch.setattr(image_bytes, "copy_range", changing)
    assert "changed while it was packed" in call("export", project / "m.yaml", "-d", tmp_path / "out", status=1).err
    assert files_in(tmp_path / "out") == ["images"]


def test_g19_failure_halfway_leaves_the_old_copy(
    call: Call, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    old = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    (project / "a" / "k.o").write_bytes(b"edited")

    def changing(source: int, offset: int, size: int, target: int) -> None:
        copy_range(source, offset, size, target)
        (project / "b" / "k.o").write_bytes(b"other bytes")

    monkeypatch.setattr(image_bytes, "copy_range", changing)
    assert "changed while it was packed" in call("export", project / "m.yaml", "-d", tmp_path / "out", status=1).err
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == old
    assert files_in(tmp_path / "out") == ["images", "offload.yaml"]


def test_image_that_is_no_longer_named_is_removed(call: Call, project: Path, tmp_path: Path) -> None:
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    (tmp_path / "out" / "images" / "other.o").write_bytes(b"nobody exported this")
    write_manifest(project, {"file": "b/k.o"})
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    assert files_in(tmp_path / "out" / "images") == ["k.o", "other.o"]
    assert (tmp_path / "out" / "images" / "k.o").read_bytes() == b"second"


def test_images_of_a_manifest_that_no_export_wrote_stay(call: Call, project: Path, tmp_path: Path) -> None:
    own = tmp_path / "out" / "images" / "own.o"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"own")
    text = '{"schema": 1, "literal": true, "images": [{"file": "images/own.o", "triple": "t", "kind": "cuda"}]}\n'
    (tmp_path / "out" / "offload.yaml").write_text(text)
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    assert own.read_bytes() == b"own"


def test_export_over_its_own_source_is_refused(call: Call, project: Path, tmp_path: Path) -> None:
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    source = tmp_path / "out" / "offload.yaml"
    assert "lies in the folder that is exported to" in call("export", source, "-d", tmp_path / "out", status=1).err
    (project / "offload.yaml").write_bytes((project / "m.yaml").read_bytes())
    said = call("export", project / "offload.yaml", "-d", project, status=1).err
    assert "is what the export would write" in said


@pytest.mark.parametrize("name", ["images/../precious", "images/..", "images/", "precious", "images/a\0b"])
def test_manifest_that_names_other_files_costs_none(call: Call, project: Path, tmp_path: Path, name: str) -> None:
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    (tmp_path / "out" / "precious").write_bytes(b"kept")
    document = json.loads((tmp_path / "out" / "offload.yaml").read_bytes())
    document["images"][0]["file"] = name
    (tmp_path / "out" / "offload.yaml").write_text(json.dumps(document, indent=1) + "\n")
    write_manifest(project, {"file": "b/k.o"})
    call("export", project / "m.yaml", "-d", tmp_path / "out")
    assert (tmp_path / "out" / "precious").read_bytes() == b"kept"
