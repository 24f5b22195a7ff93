"""Files of a pack that are in each other's place, or have names beyond ASCII."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..peers import offload_tool_command, run
from .running import Call, write_manifest


def test_locale_changes_nothing_for_files(tmp_path: Path) -> None:
    (tmp_path / "é.o").write_bytes(b"x")
    write_manifest(tmp_path, {"file": "é.o"}, toolchain="llvm-22")
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run([*offload_tool_command(), "pack", "m.yaml", "-o", "out"], cwd=tmp_path, env=env)


@pytest.mark.parametrize("name", ["k.o", "m.yaml"])
def test_output_that_is_an_input_is_refused(name: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "k.o").write_bytes(b"x")
    path = write_manifest(tmp_path, {"file": "k.o"}, toolchain="llvm-22")
    before = (tmp_path / name).read_bytes()
    call("pack", path, "-o", tmp_path / name, status=1)
    assert (tmp_path / name).read_bytes() == before


def test_depfile_that_is_the_output_is_refused(call: Call, manifest: Path, tmp_path: Path) -> None:
    assert call("pack", manifest, "-o", tmp_path / "out", "--depfile", tmp_path / "out", status=None).status != 0
