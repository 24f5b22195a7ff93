"""``export``: a copy that stands alone, wherever it is moved."""

from __future__ import annotations

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
