"""Ten thousand mutated files of every format, given to the command line: no traceback, and each is cheap."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from ..peers import ROOT
from .mutants import CPU_SECONDS

MUTANTS = 10_000
PROCESSES = 2


def results(count: int) -> list[dict[str, Any]]:
    """What the processes tell, each of its share."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.mutants", str(first), str(PROCESSES), str(count)],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for first in range(PROCESSES)
    ]  # fmt: skip
    return [json.loads(process.communicate()[1]) for process in running]


def check(count: int) -> None:
    told = results(count)
    assert "\n".join(line for result in told for line in result["broken"]) == ""
    assert sum(result["tried"] for result in told) == count
    assert max(result["worst"] for result in told) < CPU_SECONDS


@pytest.mark.slow
def test_ten_thousand_mutants_end_in_an_answer_or_one_fault() -> None:
    check(MUTANTS)


def test_some_mutants_end_in_an_answer_or_one_fault() -> None:
    check(200)
