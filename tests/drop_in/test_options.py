"""Options beside LLVM 22: ``-h`` is a boolean that is looked at after parsing, ``--color`` is taken, letters group."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool.cli.llvm_options import Option, parse

from ..peers import peer
from .beside import both

HELP = [
    ["-h"], ["--h"], ["-h=0"], ["-h=1"], ["-h="], ["-h=TRUE"], ["-h=x"], ["-h=x", "--version"], ["-h", "-h=0"],
    ["-h", "--foo"], ["--foo", "-h"], ["-h", "-o"], ["-o", "-h"], ["-h", "-o="], ["-h", "-o", "out"], ["-h", "a", "b"],
    ["a", "b", "-h", "--foo"], ["-h", "none-such"], ["none-such", "-h"], ["none-such", "-h=0"], ["-h", "--", "a"],
    ["-h", "-h=0", "-o", "out"], ["-h=0", "-h", "-o", "out"], ["-h=false", "-o", "out"], ["-h=false", "-o"],
    ["-h", "-o", "out", "in"], ["-h=0", "-o", "out", "in"], ["--", "-h"], ["-h", "--image=triple=t", "-o", "out"],
    ["-h", "--version"], ["--version", "-h"], ["-h", "--help"], ["--help", "-h"], ["-h", "--help-hidden"],
    ["-h", "--version", "--foo"], ["-h", "--foo", "--version"], ["-h", "--archive"], ["-h", "--archive=x"],
]  # fmt: skip
GROUPS = [
    ["-hh"], ["--hh"], ["-hh=0"], ["-hh=x"], ["-ho"], ["-ho", "out"], ["-ho=out"], ["--ho=out"], ["-hho="], ["-hoz"],
    ["-oarchive"], ["-oimage=x"], ["-ozz=1"], ["-harchive"], ["-himag=3"], ["-hx"], ["-hfoo"], ["-hz=3"], ["-h-"],
    ["-xh"], ["--gh"], ["-hversion"], ["-hcolor"],
]  # fmt: skip
COLOR = [
    ["--color"], ["-color"], ["--color=false"], ["--color="], ["--color=x"], ["--color", "none-such"],
    ["--color=0", "none-such"], ["--color", "--foo"], ["--color", "-o", "out"], ["--color", "--version"], ["--colr"],
    ["--colo=1"], ["--color", "out", "-o", "out"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", [*HELP, *GROUPS, *COLOR], ids=" ".join)
def test_options_do_what_llvms_do(arguments: list[str], work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    theirs, ours = both(peer("llvm-offload-binary-22"), arguments, work, capfd)
    assert ours == theirs


@pytest.mark.parametrize("word", ["-h", "--color"])
def test_letters_and_color_beside_an_extraction(
    word: str, inputs: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    theirs, ours = both(
        peer("llvm-offload-binary-22"), [word, str(inputs / "two"), "--image=file=out,triple=t"], work, capfd
    )
    assert ours == theirs
    assert bool(ours.files) == (word == "--color")


def test_flag_in_a_group_counts_also_where_the_group_ends_badly() -> None:
    given = parse(["-hx"], {"h": Option.UNLISTED, "o": Option.VALUE}, "program")
    assert given.flags == {"h": True}
    assert given.faults == ["Unknown command line argument '-hx'.  Try: 'program --help'", "Did you mean '-o'?"]
