"""Many command lines in one process: each as if it were alone, and one depfile for all."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ..inspection.interrupting import interrupted
from ..peers import offload_tool_command, peer, run
from .running import Call, files_in, write_manifest


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Two packs, each with a depfile."""
    monkeypatch.chdir(tmp_path)
    commands = []
    for name in ("a", "b"):
        (tmp_path / f"{name} 1.img").write_bytes(name.encode())
        write_manifest(tmp_path, {"file": f"{name} 1.img", "arch": "sm_80"}, name=f"{name}.yaml")
        commands.append(["pack", f"{name}.yaml", "-o", f"{name}.bin", "--depfile", f"{name}.d"])
    return commands


def batch(folder: Path, commands: Sequence[object]) -> Path:
    (folder / "batch.jsonl").write_text("".join(f"{json.dumps(words)}\n" for words in commands))
    return folder / "batch.jsonl"


def test_same_bytes_as_one_by_one(call: Call, packs: list[list[str]], tmp_path: Path) -> None:
    for words in packs:
        call(*words)
    alone = [(tmp_path / name).read_bytes() for name in ("a.bin", "b.bin")]
    for name in ("a.bin", "b.bin"):
        (tmp_path / name).unlink()
    assert call("batch", batch(tmp_path, packs)).out == ""
    assert [(tmp_path / name).read_bytes() for name in ("a.bin", "b.bin")] == alone


def test_depfile_holds_what_each_read(call: Call, packs: list[list[str]], tmp_path: Path) -> None:
    call("batch", batch(tmp_path, packs), "--stamp", tmp_path / "all.stamp", "--depfile", tmp_path / "all.d")
    (tmp_path / "Makefile").write_text(f"{tmp_path / 'all.stamp'}: ; @echo packs\n-include all.d\n")
    make: list[str | Path] = [peer("make"), "-s"]
    assert "packs" not in run(make, cwd=tmp_path).stdout
    text = (tmp_path / "all.d").read_text()
    for name in ("batch.jsonl", "a.yaml", "b.yaml", "a\\ 1.img", "b\\ 1.img", "/writing.py"):
        assert text.count(name) == 1, name
    later = (tmp_path / "all.stamp").stat().st_mtime_ns + 10**9
    os.utime(tmp_path / "b 1.img", ns=(later, later))
    assert "packs" in run(make, cwd=tmp_path).stdout


def test_one_that_fails_stops_no_other_and_touches_no_stamp(call: Call, packs: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "a 1.img").unlink()
    words = ["batch", batch(tmp_path, packs), "--stamp", tmp_path / "stamp", "--depfile", tmp_path / "all.d"]
    said = call(*words, status=1).err
    assert "a 1.img': No such file or directory" in said
    assert said.count("\n") == 1
    assert (tmp_path / "b.bin").exists()
    assert not {"stamp", "all.d", "a.bin"} & set(files_in(tmp_path))


def test_largest_status_is_given(call: Call, packs: list[list[str]], tmp_path: Path) -> None:
    call("batch", batch(tmp_path, [["list", "missing"], ["pack"], *packs]), status=2)
    assert (tmp_path / "b.bin").exists()


def test_help_of_one_ends_it_alone(call: Call, packs: list[list[str]], tmp_path: Path) -> None:
    assert "usage: offload-tool list" in call("batch", batch(tmp_path, [["list", "--help"], *packs])).out
    assert (tmp_path / "b.bin").exists()


def test_interrupt_ends_all(packs: list[list[str]], tmp_path: Path) -> None:
    """The second command waits for its request when the first has said something."""
    path = batch(tmp_path, [["manifest", "schema"], ["inspect", "--request", "-"], *packs])
    status, told = interrupted([*offload_tool_command(), "batch", str(path)], stdin=subprocess.PIPE)
    assert (status, told) == (130, b"")
    assert not (tmp_path / "a.bin").exists()


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        ("[", 1, "line 2: no JSON text"),
        ('{"a": 1}', 1, "line 2: expected a list of words, the command first"),
        ("[]", 1, "line 2: expected a list of words"),
        ('["pack", 1]', 1, "line 2: expected a list of words"),
        ("[" * 100_000, 1, "line 2: no JSON text"),
        ("\xff", 1, "line 2: no JSON text"),
        ('["batch", "x"]', 2, "line 2: 'batch' is no command that a batch runs"),
        ('["--version"]', 2, "line 2: '--version' is no command that a batch runs"),
        ('["list", "x"]', 2, "--depfile needs one in each command; 'list x' has 0"),
    ],
)
def test_faulty_batch_does_nothing(
    line: str, status: int, told: str, call: Call, packs: list[list[str]], tmp_path: Path
) -> None:
    path = batch(tmp_path, packs[:1])
    path.write_bytes(path.read_bytes() + line.encode("latin-1") + b"\n")
    said = call("batch", path, "--depfile", tmp_path / "all.d", status=status).err
    assert told in said
    assert said.count("\n") == 1
    assert not (tmp_path / "a.bin").exists()


def test_missing_batch(call: Call, tmp_path: Path) -> None:
    assert "No such file or directory" in call("batch", tmp_path / "none", status=1).err
    assert "is no regular file" in call("batch", tmp_path, status=1).err
