"""Work that is spread: the order of its results, how much is under way, and what a lost worker costs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from offload_tool.actions.inspection import work
from offload_tool.actions.inspection.many import inspect_many
from offload_tool.actions.inspection.processes import Processes
from offload_tool.actions.inspection.query import Query, field_names
from offload_tool.actions.inspection.request import InspectionRequest
from offload_tool.actions.inspection.work import FileRows, Job, rows_of, unread
from offload_tool.actions.inspection.workers import in_order
from offload_tool.errors import UsageError

from .dying import rows_or_death
from .trees import GPU


def job(name: str, path: Path | None = None, **view: Any) -> Job:
    return Job(name=name, request=InspectionRequest(path=str(path or name), query=Query(**view)))


class Slow:
    """Workers whose results are there when they are asked for, or at once."""

    window = 4

    def __init__(self, *, at_once: bool) -> None:
        self.at_once = at_once
        self.under_way = self.most = 0
        self.is_closed = False

    def submit(self, job: Job) -> Future[FileRows]:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        future: Future[FileRows] = Future()
        if self.at_once:
            future.set_result(FileRows(file=job.name, coverage="complete", rows=()))
        return future

    def result(self, job: Job, _future: Future[FileRows]) -> FileRows:
        self.under_way -= 1
        return FileRows(file=job.name, coverage="complete", rows=())

    def close(self) -> None:
        self.is_closed = True


def test_results_come_in_the_order_of_the_files_and_few_are_under_way() -> None:
    slow = Slow(at_once=False)
    items = [job(str(number)) if number % 3 else unread(job(str(number)), "unreadable", "") for number in range(40)]
    assert [found.file for found in in_order(items, slow)] == [str(number) for number in range(40)]
    assert slow.most <= slow.window
    assert slow.is_closed


def test_a_result_that_is_there_does_not_wait_for_the_next_file() -> None:
    asked = []

    def items() -> Iterator[Job]:
        for number in range(9):
            asked.append(number)
            yield job(str(number))

    found = in_order(items(), Slow(at_once=True))
    assert next(found).file == "0"
    assert asked == [0]


def test_workers_are_closed_where_nobody_wants_the_rest() -> None:
    slow = Slow(at_once=True)
    found = in_order([job("a"), job("b")], slow)
    next(found)
    found.close()
    assert slow.is_closed


def test_a_process_that_is_killed_is_a_row_of_its_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("offload_tool.actions.inspection.processes.rows_of", rows_or_death)
    cubin = GPU / "cubin_sm_80.cubin"
    names = ["a", "deadly-1", *(f"b{number}" for number in range(40)), "deadly-2", "z"]
    found = list(in_order([job(name, cubin) for name in names], Processes(2)))
    assert [one.file for one in found] == names
    dead = [one for one in found if one.is_broken]
    assert [one.file for one in dead] == ["deadly-1", "deadly-2"]
    text = "'deadly-1': the process that inspected it ended before it was done"
    assert dead[0].rows[0]["fault"] == {"code": "worker-died", "offset": None, "text": text}
    assert all(one.rows[0]["target"] == "sm_80" for one in found if not one.is_broken)


@pytest.mark.parametrize("count", [0, -1, 100_000])
def test_a_number_of_processes_that_cannot_be_meant(count: int) -> None:
    with pytest.raises(UsageError, match="expected 1 to 1024"):
        Processes(count)


@pytest.mark.parametrize("collection", ["targets", "objects", "kernels"])
def test_a_file_that_is_gone_is_a_row_whatever_is_filtered(collection: str, tmp_path: Path) -> None:
    gone = job("gone", tmp_path / "gone", collection=collection, filters={"target": ("sm_80",)})
    (row,) = rows_of(gone, " (there)").rows
    text = f"{str(tmp_path / 'gone')!r}: No such file or directory (there)"
    assert row["fault"] == {"code": "unreadable", "offset": None, "text": text}
    assert (row["file"], row["coverage"]) == ("gone", "unexamined")
    told = {name: value for name, value in row.items() if name not in ("file", "coverage", "fault")}
    assert told == dict.fromkeys(["sha256", *(name for name in field_names(collection) if name in told)])
    assert row.keys() == {"file", "sha256", *field_names(collection), "coverage", "fault"}


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("a fault of ours")])
def test_a_file_that_this_program_fails_on_is_a_row(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_request: InspectionRequest) -> None:
        raise error

    monkeypatch.setattr(work, "inspected", fail)
    found = rows_of(job("x"))
    assert found.is_broken
    assert found.rows[0]["fault"]["code"] == "failed"
    assert type(error).__name__ in found.rows[0]["fault"]["text"]


def test_codes_of_files_are_documented() -> None:
    document = (GPU.parent.parent.parent / "docs" / "inspect.md").read_text(encoding="utf-8")
    for code, meaning in work.FILE_CODES.items():
        assert f"| `{code}` | {meaning} |" in document


def test_a_query_that_cannot_be_meant_is_told_before_any_work() -> None:
    with pytest.raises(UsageError, match="no field 'arch'"):
        inspect_many([str(GPU)], Query(fields=("arch",)))
