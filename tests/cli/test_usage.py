"""What holds for every command: help, exit status, streams, and one line for a fault."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from offload_tool.cli.main import COMMANDS
from offload_tool.version import __version__

from ..peers import ROOT, offload_tool_command, run
from .running import Call

FOUR = ["pack", "list", "extract", "manifest"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(command: str) -> None:
    done = run([*offload_tool_command(), command, "--help"])
    assert done.stdout.startswith(f"usage: offload-tool {command}")
    assert f"example: offload-tool {command}" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_every_command(option: str, call: Call) -> None:
    out = call(option).out
    assert all(f"  {command} " in out for command in COMMANDS)


def test_nothing_asked_for_is_wrong_use(call: Call) -> None:
    result = call(status=2)
    assert result.out == ""
    assert result.err.startswith("usage: offload-tool COMMAND")


def test_version_and_folders(call: Call) -> None:
    assert call("--version").out == f"offload-tool {__version__}\n"
    assert call("--cmake-dir").out == f"{ROOT / 'cmake'}\n"
    assert Path(call("--scons-dir").out.strip()).name == "site_tools"
    assert call("--main-file").out == f"{ROOT / 'offload_tool' / '__main__.py'}\n"


def test_main_file_runs_its_own_package_and_nothing_beside_it(tmp_path: Path) -> None:
    """Neither a module in the working directory nor one beside the package takes the place of Python's own."""
    root = tmp_path / "root"
    shutil.copytree(ROOT / "offload_tool", root / "offload_tool", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "offload_tool" / "version.py").write_text("__version__ = 'this copy'\n")
    for folder in (root, tmp_path):
        for name in ("signal.py", "json.py", "argparse.py"):
            (folder / name).write_text("raise SystemExit('the wrong module')\n")
    words: list[str | Path] = [sys.executable, root / "offload_tool" / "__main__.py"]
    assert run([*words, "--version"], cwd=tmp_path).stdout == "offload-tool this copy\n"
    assert "usage: offload-tool pack" in run([*words, "pack", "--help"], cwd=tmp_path).stdout


@pytest.mark.parametrize("flags", [[], ["-I", "-S"]])
def test_main_file_starts_processes_that_have_its_package(flags: list[str], tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "data" / "gpu" / "cubin_sm_80.cubin", tmp_path / "a.cubin")
    words: list[str | Path] = [
        sys.executable,
        *flags,
        ROOT / "offload_tool" / "__main__.py",
        "inspect",
        tmp_path,
        "--jobs",
        "2",
    ]
    assert "1 file with device code" in run(words, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    "words",
    [
        ["no-such-command"],
        ["--no-such-option"],
        ["pack"],
        ["pack", "-o", "x"],
        ["pack", "m.yaml"],
        ["pack", "m.yaml", "-o", "x", "--alig", "8"],
        ["pack", "m.yaml", "-o", "x", "--align", "many"],
        ["pack", "m.yaml", "-o", "x", "--bind", "fft"],
        ["pack", "m.yaml", "-o", "x", "--bind", "=f"],
        ["pack", "m.yaml", "-o", "x", "-D", "a="],
        ["pack", "m.yaml", "-o", "x", "-D", "arch=b"],
        ["pack", "m.yaml", "-o", "x", "-D", "a-b=c"],
        ["list"],
        ["list", "x", "--select", "kind"],
        ["extract"],
        ["extract", "a", "b"],
        ["extract", "a", "-o", "b", "-d", "c"],
        ["extract", "a", "--archive"],
        ["extract", "a", "--index", "first"],
        ["extract", "a", "--select", "=x"],
        ["manifest"],
        ["manifest", "burn", "m.yaml"],
        ["manifest", "check"],
        ["manifest", "show"],
        ["manifest", "inputs"],
    ],
    ids=" ".join,
)
def test_wrong_use_is_one_line_and_status_2(words: list[str], call: Call) -> None:
    result = call(*words, status=2)
    assert result.out == ""
    assert result.err.startswith("offload-tool: error: ")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("command", FOUR)
def test_fault_leaves_no_traceback_and_nothing_on_stdout(command: str, tmp_path: Path) -> None:
    words = {
        "pack": ["pack", "none.yaml", "-o", "out"],
        "list": ["list", "none.bin"],
        "extract": ["extract", "none.bin", "-o", "out"],
        "manifest": ["manifest", "check", "none.yaml"],
    }[command]
    done = run([*offload_tool_command(), *words], cwd=tmp_path, status=1)
    assert done.stdout == ""
    assert done.stderr.startswith("offload-tool: error: ")
    assert "No such file or directory" in done.stderr
    assert done.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == []


def test_options_stand_before_between_and_after_files(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", "--align", "16", manifest, "--toolchain", "llvm-19", "-o", tmp_path / "out")
    assert call("list", tmp_path / "out", "--json", tmp_path / "out").out.count('"index"') == 4


@pytest.mark.parametrize("words", [["list", "--json"], ["manifest", "schema"]], ids=" ".join)
def test_reader_that_goes_away_is_no_traceback(words: list[str], call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "out")
    names = [str(tmp_path / "out")] * 2000 if words[0] == "list" else []
    with subprocess.Popen(
        [*offload_tool_command(), *words, *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait() in (0, 1)
