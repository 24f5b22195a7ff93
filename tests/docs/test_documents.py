"""Runs what the documents show: files are written, commands run in order, their output compared."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ..peers import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(
    r"^(?:<!-- (?P<key>in|file): (?P<value>.*?) -->\n)|^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(slots=True)
class Step:
    """One command and what it is to print."""

    command: str
    expected: list[str] = field(default_factory=list)


def steps_of(block: str) -> list[Step]:
    steps: list[Step] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        else:
            steps[-1].expected.append(line)
    return steps


def environment() -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path}


def run(step: Step, folder: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    printed = done.stdout.replace(f"{folder}/", "").splitlines()
    printed += [f"[status {done.returncode}]"] if done.returncode else []
    pattern = ".*".join(map(re.escape, "\n".join(step.expected).split("...")))
    assert re.fullmatch(pattern, "\n".join(printed), re.DOTALL), f"$ {step.command}\n" + "\n".join(printed)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_is_shown_works(document: Path, tmp_path: Path) -> None:
    folder, name = tmp_path, ""
    for match in FENCE.finditer(document.read_text(encoding="utf-8")):
        if match["key"] == "in":
            folder = tmp_path / Path(match["value"]).name
            ignored = shutil.ignore_patterns("build", ".scon*")
            shutil.copytree(ROOT / match["value"], folder, dirs_exist_ok=True, ignore=ignored)
        elif match["key"] == "file":
            name = match["value"]
        elif name:
            (folder / name).write_text(match["text"], encoding="utf-8")
            name = ""
        elif match["language"] == "console":
            for step in steps_of(match["text"]):
                run(step, folder)


def test_links_lead_somewhere() -> None:
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
            assert target.startswith("http") or (document.parent / target).exists(), f"{document.name}: {target}"
