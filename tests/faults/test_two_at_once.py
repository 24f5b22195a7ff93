"""Two packs of one output at once: one stands still at each of its calls in turn while the other runs as a whole."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .injecting import Fault, Injector, faults_told
from .scenarios import snapshot

PAIRS = {
    "both full": ([], []),
    "both if changed": (["--write-if-changed"], ["--write-if-changed"]),
    "full, incremental": ([], ["--incremental"]),
    "incremental, full": (["--incremental"], []),
    "both incremental": (["--incremental"], ["--incremental"]),
    "incremental, if changed": (["--incremental", "--write-if-changed"], ["--write-if-changed"]),
}
MOMENTS = 3
"""So many moments of each pair in the short run."""


def _prepared(inject: Injector, folder: Path, first: list[str]) -> tuple[list[str], list[str]]:
    """Words for two packs that differ in an image; the old output is of neither."""
    for name in "abc":
        (folder / name).write_bytes(name.encode() * 3000)
    image = "file={},triple=t,kind=none,arch={}"
    common = ["pack", "-o", str(folder / "out"), "--toolchain", "llvm-22", "--image", image.format(folder / "a", "a")]
    assert inject(*common, "--image", image.format(folder / "c", "x"), *first).status == 0
    one, other = (["--image", image.format(folder / name, "x")] for name in "bc")
    (folder / "c").write_bytes(b"C" * 3000)
    return [*common, *one], [*common, *other]


def _results(inject: Injector, words: list[str], folder: Path) -> bytes:
    words = [word if word != str(folder / "out") else str(folder / "full") for word in words]
    assert inject(*words).status == 0
    content = (folder / "full").read_bytes()
    (folder / "full").unlink()
    return content


def _check(inject: Injector, pair: str, at: int) -> bool:
    folder = inject.folder / "work"
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    mine, theirs = PAIRS[pair]
    one, other = _prepared(inject, folder, mine)
    results = [_results(inject, words, folder) for words in (one, other)]
    stopped = inject(*one, *mine, fault=Fault(action="stop", at=at))
    if stopped.status is not None:
        return False
    ended = inject(*other, *theirs)
    assert (ended.status, ended.err) == (0, "")
    assert (folder / "out").read_bytes() == results[1]
    resumed = inject.resume(stopped)
    assert resumed.status in (0, 1), resumed.err
    assert faults_told(resumed.err) == resumed.status
    assert (folder / "out").read_bytes() in results
    for words, more, result in ((one, mine, results[0]), (other, theirs, results[1])):
        again = inject(*words, *more)
        assert (again.status, again.err) == (0, "")
        assert (folder / "out").read_bytes() == result
        record = [".out.offload-record"] if "--incremental" in more else []
        assert sorted(snapshot(folder)) == [*record, "a", "b", "c", "out"]
    return True


@pytest.mark.parametrize("pair", PAIRS)
def test_some_moments(pair: str, inject: Injector) -> None:
    for at in random.Random(pair).sample(range(40), MOMENTS):
        _check(inject, pair, at)


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
def test_each_moment(pair: str, inject: Injector) -> None:
    at = 0
    while _check(inject, pair, at):
        at += 1
    assert at > 20
