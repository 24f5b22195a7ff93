"""The hook for pre-commit and the workflow for GitHub: what they run does what they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..cli.running import write_manifest
from ..peers import ROOT, offload_tool_command, run

HOOK: dict[str, Any] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
WORKFLOW = ROOT / "examples" / "github-actions" / "offload.yml"


def entry(*files: Path, status: int) -> str:
    program, *words = shlex.split(HOOK["entry"])
    assert program == "offload-tool"
    return run([*offload_tool_command(), *words, *files], status=status).stderr


def test_hook_takes_good_manifests_that_would_not_go_into_one_pack(tmp_path: Path) -> None:
    one = write_manifest(tmp_path, {"file": "k"}, name="offload.yaml", toolchain="llvm-22")
    other = write_manifest(tmp_path, {"file": "k"}, name="images.yml", toolchain="llvm-19")
    assert entry(one, other, status=0) == ""


def test_hook_tells_the_faults_of_every_manifest_with_their_lines(tmp_path: Path) -> None:
    one = write_manifest(tmp_path, {"file": "k", "kind": "hpi"}, name="offload.yaml")
    good = write_manifest(tmp_path, {"file": "k"}, name="images.yaml")
    other = write_manifest(tmp_path, {"file": "k", "arhc": "x"}, name="images.yml")
    told = entry(one, good, other, status=1)
    assert f"{one}:1:" in told
    assert f"{other}:1:" in told
    assert f"{good}:" not in told
    assert len(re.findall(r"^ +\^$", told, re.MULTILINE)) == 2


@pytest.mark.parametrize(
    ("name", "is_taken"),
    [("offload.yaml", True), ("a/images.yml", True), ("myimages.yaml", False), ("images.json", False)],
)
def test_files_that_the_hook_takes_by_itself(name: str, is_taken: bool) -> None:
    assert (re.search(HOOK["files"], name) is not None) == is_taken


def test_each_belongs_to_check(tmp_path: Path) -> None:
    one = write_manifest(tmp_path, {"file": "k"})
    done = run([*offload_tool_command(), "manifest", "show", "--each", one], status=2)
    assert done.stderr.startswith("offload-tool: error: --each belongs to check")


def test_workflow_runs_on_a_project(tmp_path: Path) -> None:
    """Its own steps, in order, but for those that fetch."""
    (tmp_path / "k.ptx").write_text(".version 7.0\n.target sm_80\n.address_size 64\n", encoding="utf-8")
    write_manifest(tmp_path, {"file": "k.ptx", "arch": "sm_80"}, name="kernels.yaml", toolchain="llvm-22")
    tool = tmp_path / "bin" / "offload-tool"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec {shlex.join(offload_tool_command())} "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    steps = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["pack"]["steps"]
    commands = [step["run"] for step in steps if "run" in step and not step["run"].startswith("pip ")]
    assert len(commands) == 4
    summary = tmp_path / "summary"
    environment = {"PATH": f"{tool.parent}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(summary)}
    for command in commands:
        run(["bash", "-e", "-c", command], cwd=tmp_path, env=environment)
    assert "compute_80" in summary.read_text(encoding="utf-8")
