"""Random lives of an output: after every step it has the bytes that a full pack gives."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from offload_tool.actions import patch_plan
from offload_tool.model import OffloadKind

from .interrupting import pack_in_child
from .packing import Packing

STEPS = 100
SEEDS = 6
FORMS: tuple[dict[str, Any], ...] = (
    {"toolchain": "llvm-22"},
    {"toolchain": "llvm-19"},
    {"toolchain": "llvm-24", "format_version": 1, "align": 256},
    {"toolchain": "llvm-24", "format_version": 2},
    {"toolchain": "llvm-24", "format_version": 3},
    {"toolchain": "llvm-24", "format_version": 3, "compress": "zlib"},
)


class Life:
    """One output and what happens to it; every choice is of ``chance``."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.packing = Packing(folder)
        self.chance = random.Random(seed)
        self.made = 0
        for _ in range(8):
            self.add()

    def step(self) -> str:
        """Does one thing; gives its name."""
        edits = (
            self.change, self.change, self.change, self.resize, self.resize, self.add, self.remove, self.reorder,
            self.swap_files, self.describe, self.touch, self.rename, self.reform, self.corrupt_record, self.lose_record,
            self.overwrite_output, self.lose_output, self.kill, self.kill, self.nothing, self.nothing,
        )  # fmt: skip
        edit = self.chance.choice(edits)
        edit()
        return edit.__name__

    def _any(self) -> tuple[int, Path]:
        index = self.chance.randrange(len(self.packing.images))
        return index, Path(self.packing.images[index].file)

    def _bytes(self, size: int) -> bytes:
        return self.chance.choice((b"\0", b"x", b"")) * size or self.chance.randbytes(size)

    def change(self) -> None:
        _, path = self._any()
        path.write_bytes(self._bytes(path.stat().st_size))

    def resize(self) -> None:
        _, path = self._any()
        path.write_bytes(self._bytes(max(0, path.stat().st_size + self.chance.choice((-300, -8, -1, 1, 7, 400)))))

    def add(self) -> None:
        self.made += 1
        self.packing.add(f"k{self.made}", self._bytes(self.chance.randrange(3000)), arch=f"sm_{self.made}")
        self.reorder()

    def remove(self) -> None:
        if len(self.packing.images) > 1:
            index, path = self._any()
            del self.packing.images[index]
            path.unlink()

    def reorder(self) -> None:
        index, _ = self._any()
        self.packing.images.append(self.packing.images.pop(index))

    def swap_files(self) -> None:
        (_, one), (_, other) = self._any(), self._any()
        spare = one.with_name("spare")
        one.rename(spare)
        if other.exists():
            other.rename(one)
        spare.rename(other)

    def describe(self) -> None:
        index, _ = self._any()
        text = "m" * self.chance.randrange(12)
        kind = self.chance.choice((OffloadKind.CUDA, OffloadKind.HIP, OffloadKind.NONE))
        self.packing.images[index] = replace(self.packing.images[index], kind=kind, metadata=(("key", text),))

    def touch(self) -> None:
        _, path = self._any()
        os.utime(path, ns=(0, self.chance.randrange(10**18)))

    def rename(self) -> None:
        index, path = self._any()
        self.made += 1
        new = path.rename(path.with_name(f"k{self.made}"))
        self.packing.images[index] = replace(self.packing.images[index], file=str(new))

    def reform(self) -> None:
        self.packing.options = replace(
            self.packing.options,
            **{"format_version": None, "align": None, "compress": None, **self.chance.choice(FORMS)},
        )

    def corrupt_record(self) -> None:
        content = bytearray(self.packing.record.read_bytes())
        content[self.chance.randrange(len(content))] ^= 1 << self.chance.randrange(8)
        self.packing.record.write_bytes(content[: self.chance.randrange(len(content) + 1)])

    def lose_record(self) -> None:
        self.packing.record.unlink()

    def overwrite_output(self) -> None:
        status = self.packing.out.stat()
        with self.packing.out.open("r+b") as out:
            out.seek(self.chance.randrange(status.st_size))
            out.write(b"!")
        os.utime(self.packing.out, ns=(status.st_atime_ns, status.st_mtime_ns))

    def lose_output(self) -> None:
        self.packing.out.unlink()

    def kill(self) -> None:
        self.change()
        old, new = self.packing.out.read_bytes(), self.packing.full()
        pack_in_child(self.packing, kill_at=self.chance.randrange(20))
        assert not self.packing.out.exists() or self.packing.out.read_bytes() in (old, new)

    def nothing(self) -> None:
        pass


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_step_of_a_life_ends_in_the_bytes_of_a_full_pack(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two seconds would hold for all of a life: no image would ever be trusted.  20 ms are a tick of any kernel's clock.
    monkeypatch.setattr(patch_plan, "_RECENT", 20_000_000)
    life = Life(tmp_path, seed)
    life.packing.agrees()
    steps: list[str] = []
    told: list[str] = []
    for _ in range(STEPS):
        steps.append(life.step())
        packed = life.packing.pack()
        told += packed.explanations
        assert life.packing.out.read_bytes() == life.packing.full(), steps
        assert not life.packing.part.exists()
    assert any("untouched since the last pack" in line for line in told), "some images were trusted"
    assert any(": patched, " in line for line in told)
