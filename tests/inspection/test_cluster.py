"""The same work by a Dask cluster: two workers on this machine, as processes of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from offload_tool.actions.inspection.cluster import Cluster
from offload_tool.actions.inspection.query import Query
from offload_tool.actions.inspection.request import InspectionRequest
from offload_tool.actions.inspection.work import Job
from offload_tool.actions.inspection.workers import in_order
from offload_tool.errors import OffloadError

from ..cli.running import Call, caller
from ..peers import missing
from .dying import rows_or_death
from .trees import GPU, lines, small_tree

pytestmark = pytest.mark.filterwarnings("ignore:.*surprisingly long time:UserWarning")  # distributed, on a busy machine


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a scheduler that gives up a file as soon as one worker has died of it."""
    try:
        import dask
        from distributed import LocalCluster
    except ImportError:
        missing("distributed", "pip install 'offload-tool[cluster]'")
    make: Any = LocalCluster
    settings = {"distributed.scheduler.allowed-failures": 0}
    with (
        dask.config.set(settings),
        make(processes=True, n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        yield cluster.scheduler_address


def job(name: str, path: Path) -> Job:
    return Job(name=name, request=InspectionRequest(path=str(path), query=Query()))


@pytest.mark.slow
def test_the_lines_are_those_of_this_machine(
    scheduler: str, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small_tree(tmp_path).parent)
    here = call("inspect", "tree", str(GPU), "--json-lines", "--view", "objects", status=1).out
    there = call("inspect", "tree", str(GPU), "--json-lines", "--view", "objects", "--scheduler", scheduler, status=1)
    assert there.out == here
    assert there.err == ""
    assert len(lines(here)) > 100


@pytest.mark.slow
def test_a_file_that_a_worker_does_not_see_is_a_row(scheduler: str, tmp_path: Path) -> None:
    jobs = [job("unseen", tmp_path / "unseen"), job("seen", GPU / "cubin_sm_80.cubin")]
    unseen, seen = in_order(jobs, Cluster(scheduler))
    assert unseen.rows[0]["fault"]["code"] == "unreadable"
    assert "No such file or directory (at worker tcp://" in unseen.rows[0]["fault"]["text"]
    assert seen.rows[0]["target"] == "sm_80"


@pytest.mark.slow
def test_a_worker_that_dies_is_a_row_of_its_file(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("offload_tool.actions.inspection.cluster.rows_at_worker", rows_or_death)
    jobs = [job(name, GPU / "cubin_sm_80.cubin") for name in ("deadly", "a", "b")]
    found = list(in_order(jobs, Cluster(scheduler)))
    assert [one.rows[0]["fault"] and one.rows[0]["fault"]["code"] for one in found] == ["worker-died", None, None]


@pytest.mark.slow
def test_a_worker_that_cannot_do_the_work_is_a_row(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("offload_tool.actions.inspection.cluster.rows_at_worker", int)
    (found,) = in_order([job("a", GPU / "cubin_sm_80.cubin")], Cluster(scheduler))
    assert found.rows[0]["fault"]["code"] == "failed"


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer(tmp_path: Path, call: Call) -> None:
    found = call("inspect", small_tree(tmp_path), "--scheduler", "tcp://127.0.0.1:1", status=1)
    assert found.err.startswith("offload-tool: error: scheduler 'tcp://127.0.0.1:1' does not answer: ")
    assert len(found.err.splitlines()) == 1


def test_the_package_is_missing(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = call("inspect", tmp_path, "--scheduler", "tcp://127.0.0.1:8786", status=1)
    assert "--scheduler needs the package distributed: pip install 'offload-tool[cluster]'" in found.err
    assert len(found.err.splitlines()) == 1


def test_the_missing_package_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(OffloadError, match="pip install"):
        Cluster("tcp://127.0.0.1:8786")
