"""Taking images out, beside LLVM 22: random command lines over inputs of every kind, and those that once differed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ..peers import peer
from .beside import both

LINES = 150
NAMES = ["all.tar.bin", "all.tar.bin", "two", ".one", "nest.bin", "fat.o", "lib.a", "thin.a", "host.bc", "host.o",
         "cut", "claims-3", "junk-behind", "junk-before", "empty", "text", "none-such"]  # fmt: skip
VALUES = {
    "triple": ["t", "t", "nv", "sub/x", "", "zz"],
    "arch": ["x", "x", "y", "sm_80", "", "none-such"],
    "kind": ["cuda", "hip", "openmp", "sycl", "none", "bogus", ""],
    "feature": ["a", ""],
    "file": ["out", "out", "l.a", "", "sub/o", "nodir/o", ".", "-", "sub"],
    "": [""],
}
KEYS = [*VALUES, "triple", "arch", "kind", "file"]
ARCHIVE = ["--archive", "--archive", "--archive", "-archive=1", "--archive=false", "--archive=x"]
FOUND = [
    ["all.tar.bin", "--image=arch=none-such", "--archive"],
    ["all.tar.bin", "--image=arch=none-such", "--image=arch=x", "--archive"],
    ["two", "--image=file=nodir/o"],
    ["two", "--image=file=-", "--archive"],
    [".one", "--image=arch=x"],
    ["lib.a", "--image=file=l.a,kind=cuda", "--archive"],
    ["thin.a", "--image=file=l.a", "--archive"],
    *([name, "--image=arch=x"] for name in ("cut", "cut-in-header", "cut-in-entry", "cut-in-first", "cut-in-second",
                                            "claims-3")),
]  # fmt: skip


def random_image(source: random.Random) -> str:
    pairs = []
    for key in source.choices(KEYS, k=source.choice([0, 1, 1, 1, 2, 2, 3])):
        value = source.choice(VALUES[key])
        pairs.append(source.choice([*[f"{key}={value}"] * 8, f"{key}=={value}", key]))
    return "--image=" + ",".join(pairs)


def random_line(source: random.Random, inputs: Path) -> list[str]:
    """One input, up to three selections, with or without --archive, in any order."""
    words = [str(inputs / source.choice(NAMES)), *(random_image(source) for _ in range(source.choice([0, 1, 1, 2, 3])))]
    if source.random() < 0.4:
        words.append(source.choice(ARCHIVE))
    source.shuffle(words)
    return words


def test_random_extractions_equal_llvm(inputs: Path, work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program, written = peer("llvm-offload-binary-22"), 0
    for seed in range(LINES):
        arguments = random_line(random.Random(seed), inputs)
        theirs, ours = both(program, arguments, work, capfd)
        assert ours == theirs, f"seed {seed}: {arguments}"
        written += bool(theirs.files)
    assert written > LINES // 10


@pytest.mark.parametrize("arguments", FOUND, ids=" ".join)
def test_extraction_that_once_differed(
    inputs: Path, work: Path, capfd: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    name, *words = arguments
    theirs, ours = both(peer("llvm-offload-binary-22"), [str(inputs / name), *words], work, capfd)
    assert ours == theirs
