"""A kill or a full disk at any moment: the old output, the new one or none, never a torn one."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from ..peers import ROOT
from .interrupting import pack_in_child
from .packing import Packing

EDITS = {
    "same size": b"B" * 1000,
    "grown": b"B" * 5000,
    "shrunk": b"B" * 10,
}


@pytest.mark.parametrize("edit", EDITS)
def test_g19_killed_anywhere_leaves_the_old_output_the_new_one_or_none(edit: str, packed: Packing) -> None:
    old, outcomes, was_killed, moment = packed.out.read_bytes(), set(), True, 0
    while was_killed:
        packed.write("b", b"b" * 1000)
        assert packed.agrees() is not None
        packed.write("b", EDITS[edit])
        was_killed = pack_in_child(packed, kill_at=moment)
        found = packed.out.read_bytes() if packed.out.exists() else b""
        new = packed.full()
        assert found in (old, new, b"")
        outcomes.add({old: "old", new: "new", b"": "none"}[found])
        assert packed.agrees() is not None
        assert not packed.part.exists(), "the next pack removes what a kill left"
        moment += 1
    assert moment > 8
    assert outcomes == {"old", "new", "none"}


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (3500, 3500))


@pytest.mark.parametrize("edit", ["same size", "grown"])
def test_full_disk_leaves_none_and_the_next_pack_is_whole(edit: str, packed: Packing) -> None:
    packed.write("c", b"c" * 1000 if edit == "same size" else b"C" * 4000)
    targets = [f"file={image.file},triple=t,kind=cuda,arch={image.arch}" for image in packed.images]
    words = ["-o", str(packed.out), "--incremental", "--toolchain", "llvm-22", *(f"--image={one}" for one in targets)]
    done = subprocess.run(
        [sys.executable, "-m", "offload_tool", "pack", *words],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=_limited,
        # Bytecode that the limit cuts off would break later runs.
        env={"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    if edit == "same size":
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert done.returncode == 1
        assert done.stderr == f"offload-tool: error: output {str(packed.out)!r}: File too large\n"
        assert not packed.out.exists()
        assert not packed.part.exists()
    assert packed.agrees() is not None


def test_without_incremental_nothing_old_is_lost(packed: Packing) -> None:
    old = packed.out.read_bytes()
    packed.options = packed.options.__class__(toolchain="llvm-22")
    packed.write("b", b"B" * 5000)
    new, moment = packed.full(), 0
    while pack_in_child(packed, kill_at=moment):
        assert packed.out.read_bytes() in (old, new)
        moment += 1
    assert moment > 3
    for leftover in Path(packed.folder).glob("*.part"):
        leftover.unlink()
