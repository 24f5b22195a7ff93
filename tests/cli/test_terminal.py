"""What a person sees on a terminal, and what a pipe gets instead."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ..peers import ROOT, offload_tool_command, run
from .on_terminal import shown
from .running import write_manifest

GPU = ROOT / "tests" / "data" / "gpu"
PICK = [*offload_tool_command(), "pick", "libcuda_two_lld.so", "--device", "sm_89"]
SLOW = """
import sys, time
from offload_tool.cli.progress import progress
from offload_tool.cli import progress as module
module._PATIENCE, module._INTERVAL = 0.01, 0.01
texts = []
def text():
    texts.append(1)
    return f"{len(texts)} done"
with progress("packing", text, quiet="-q" in sys.argv):
    while len(texts) < 2 and "-q" not in sys.argv and sys.stderr.isatty():
        time.sleep(0.001)
print("end")
"""


def test_table_fits_the_terminal() -> None:
    wide, narrow = shown(PICK, columns=200, cwd=GPU), shown(PICK, columns=60, cwd=GPU)
    assert max(map(len, narrow.splitlines())) <= 60 < max(map(len, wide.splitlines()))
    assert "..." in narrow
    assert "..." not in wide
    assert [line.split()[:4] for line in narrow.splitlines()] == [line.split()[:4] for line in wide.splitlines()]


def test_columns_of_the_environment_count() -> None:
    assert max(map(len, shown(PICK, columns=200, cwd=GPU, environment={"COLUMNS": "60"}).splitlines())) <= 60


def test_numbers_are_never_cut() -> None:
    command = [*offload_tool_command(), "inspect", "libcuda_two_lld.so", "--view", "objects"]
    sizes = [row.split()[-3] for row in shown(command, columns=40, cwd=GPU).splitlines()[3:]]
    assert sizes == [row.split()[-3] for row in shown(command, columns=300, cwd=GPU).splitlines()[3:]]


def test_pipe_gets_the_whole_table_whatever_columns_says() -> None:
    piped = run(PICK, cwd=GPU, env={"COLUMNS": "40"}).stdout
    assert "..." not in piped
    assert max(map(len, piped.splitlines())) > 80


def faulty(folder: Path) -> list[str]:
    write_manifest(folder, {"file": "k", "kind": "hpi"})
    return [*offload_tool_command(), "manifest", "check", "m.yaml"]


def test_fault_shows_its_line_and_colours(tmp_path: Path) -> None:
    first, source, caret = shown(faulty(tmp_path), cwd=tmp_path).splitlines()
    assert first.endswith(": \x1b[1;31merror:\x1b[0m unknown kind 'hpi'; did you mean 'hip'?")
    assert caret.endswith("\x1b[1;32m^\x1b[0m")
    assert source[caret.index("\x1b") :].startswith('"hpi"')


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colour(tmp_path: Path, name: str, value: str) -> None:
    told = shown(faulty(tmp_path), cwd=tmp_path, environment={name: value})
    assert "\x1b" not in told
    assert told.endswith("^\n")


def test_pipe_gets_one_line_a_fault_and_no_colour(tmp_path: Path) -> None:
    done = run(faulty(tmp_path), cwd=tmp_path, status=1)
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_show_source_on_a_pipe(tmp_path: Path) -> None:
    words = faulty(tmp_path)
    words[3:3] = ["--show-source"]
    lines = run(words, cwd=tmp_path, status=1).stderr.splitlines()
    assert lines[1][lines[2].index("^") :].startswith('"hpi"')


def test_progress_is_shown_and_gone_at_the_end() -> None:
    told = shown([sys.executable, "-c", SLOW], cwd=ROOT)
    assert "\r\x1b[Kpacking: 1 done" in told
    assert told.endswith("\r\x1b[Kend\n")


def test_quiet_silences_progress() -> None:
    assert shown([sys.executable, "-c", SLOW, "-q"], cwd=ROOT) == "end\n"


def test_progress_is_for_terminals_alone() -> None:
    done = run([sys.executable, "-c", SLOW], cwd=ROOT)
    assert (done.stdout, done.stderr) == ("end\n", "")


def test_pack_counts_what_it_writes(tmp_path: Path) -> None:
    probe = "from offload_tool.cli.progress import written_text; import sys; sys.stdout.write('x' * 3000000); "
    probe += "sys.stdout.flush(); sys.stderr.write(written_text())"
    assert run([sys.executable, "-c", probe], cwd=ROOT).stderr == "3 MB written"


@pytest.mark.parametrize("command", ["pack", "inspect"])
def test_long_commands_take_quiet(command: str) -> None:
    assert "-q, --quiet" in run([*offload_tool_command(), command, "--help"]).stdout
