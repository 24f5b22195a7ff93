"""Several processes that share one file: the same rows in the same order, whatever becomes of the others."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from offload_tool.actions.inspection import parts, report
from offload_tool.actions.inspection.payload_rows import PayloadRows, Wanted, payload_rows
from offload_tool.actions.inspection.processes import process_pool
from offload_tool.actions.inspection.report import Inspection, inspect_file
from offload_tool.errors import OffloadError

from ..limit_cases.case import GPU
from .interrupting import interrupted

DYING = """
import os, signal, sys
from offload_tool.actions.inspection import parts, report
report._LARGE = 0
if __name__ == "__main__":
    print(len(report.inspect_file(sys.argv[1], kernels=True, jobs=2).kernels))
else:
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Payloads of several kinds, one after the other."""
    contents = [path.read_bytes() for path in sorted(GPU.glob("fatbin_*.fatbin"))]
    (tmp_path / "all.fatbin").write_bytes(b"".join(content + bytes(-len(content) % 8) for content in contents))
    return tmp_path / "all.fatbin"


def test_other_processes_take_their_parts(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pools, taken = [], []

    def pool(count: int) -> ProcessPoolExecutor:
        pools.append(count)
        return process_pool(count)

    def own(data: memoryview, path: str, wanted: Wanted) -> Iterator[PayloadRows]:
        taken.append((wanted.part, wanted.parts))
        return payload_rows(data, path, wanted)

    monkeypatch.setattr(parts, "process_pool", pool)
    monkeypatch.setattr(parts, "payload_rows", own)
    assert _shared(library, 3, monkeypatch).kernels
    assert (pools, taken) == ([2], [(0, 3)])


def _shared(path: Path, jobs: int | None, monkeypatch: pytest.MonkeyPatch) -> Inspection:
    with monkeypatch.context() as patch:
        patch.setattr(report, "_LARGE", 0)
        return inspect_file(str(path), kernels=True, jobs=jobs)


@pytest.mark.parametrize("jobs", [2, 3, None])
def test_rows_are_those_of_one_process(jobs: int | None, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = inspect_file(str(library), kernels=True)
    assert len(alone.objects) > 8
    assert alone.kernels
    assert _shared(library, jobs, monkeypatch) == alone


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_parts_are_the_whole(count: int, library: Path) -> None:
    data = memoryview(library.read_bytes())
    whole = list(payload_rows(data, "x", Wanted(kernels=True)))
    dealt = [list(payload_rows(data, "x", Wanted(part=part, parts=count, kernels=True))) for part in range(count)]
    assert [dealt[number % count][number // count] for number in range(len(whole))] == whole
    assert sum(map(len, dealt)) == len(whole)


def test_small_files_are_for_one_process(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(parts, "rows_in_parts")
    assert inspect_file(str(library), kernels=True, jobs=None).kernels


def test_file_that_changed_before_the_others_opened_it(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(count: int) -> ProcessPoolExecutor:
        os.utime(library, ns=(1, 1))
        return process_pool(count)

    monkeypatch.setattr(parts, "process_pool", late)
    with pytest.raises(OffloadError, match="changed while it was read"):
        _shared(library, 2, monkeypatch)


def test_process_that_dies_costs_nothing_but_time(library: Path, tmp_path: Path) -> None:
    (tmp_path / "dying.py").write_text(DYING)
    done = subprocess.run([sys.executable, tmp_path / "dying.py", library], capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(inspect_file(str(library), kernels=True).kernels or ())
    assert done.stderr == ""


def test_system_without_processes(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_count: int) -> ProcessPoolExecutor:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(parts, "process_pool", none)
    assert _shared(library, 2, monkeypatch) == inspect_file(str(library), kernels=True)


def test_an_interrupt_ends_all_of_them_without_a_traceback(library: Path) -> None:
    code = (
        "from offload_tool.actions.inspection import parts, report; report._LARGE = 0; real = parts.payload_rows\n"
        "def slow(*arguments):\n print('begun', flush=True); import time; time.sleep(60)\n"
        "parts.payload_rows = slow\n"
        "from offload_tool.cli.main import main; import sys; sys.exit(main())"
    )
    words = [sys.executable, "-c", code, "inspect", str(library), "--kernels"]
    assert interrupted(words) == (130, b"")
