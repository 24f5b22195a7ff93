"""``inspect`` of trees and lists: a row a file and target, as that file alone would give, and no file ends it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from offload_tool.actions.inspection.query import Query
from offload_tool.actions.inspection.request import InspectionRequest
from offload_tool.actions.inspection.work import Job, rows_of

from ..cli.running import Call
from .interrupting import interrupted
from .trees import GPU, caller, lines, small_tree


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)


def rows(name: str, collection: str = "targets", **view: Any) -> tuple[dict[str, Any], ...]:
    kernels = collection == "kernels"
    query = Query(collection=collection, **view)
    return rows_of(Job(name=name, request=InspectionRequest(path=str(GPU / name), query=query, kernels=kernels))).rows


@pytest.mark.parametrize("view", ["targets", "objects", "kernels"])
def test_each_file_has_the_rows_that_it_has_alone(view: str, call: Call) -> None:
    found = lines(call("inspect", GPU, "--json-lines", "--view", view, status=1).out)
    alone: list[dict[str, Any]] = []
    for path in sorted(GPU.iterdir()):
        alone += lines(call("inspect", path, "--json-lines", "--view", view, status=None).out)
    if view == "kernels":
        faulty = [row for row in found if row["name"] is None]
        assert all(row["fault"] for row in faulty)
        found = [row for row in found if row not in faulty]
    beside = (
        {"sha256", "fault"}
        if view == "targets"
        else {"sha256"}
        if view == "objects"
        else {"sha256", "fault", "coverage"}
    )
    assert [{key: row[key] for key in row.keys() - beside} for row in found] == alone


def test_a_broken_file_is_a_row_with_its_fault_and_not_the_end(tmp_path: Path, call: Call) -> None:
    tree = small_tree(tmp_path)
    found = lines(call("inspect", tree, "--json-lines", status=1).out)
    names = [(row["file"].removeprefix(f"{tree}/"), row["target"], row["coverage"]) for row in found]
    assert names == [
        ("app.bin", "sm_80", "complete"),
        ("lib/bad.hipfb", None, "malformed"),
        ("libtwo.so", "compute_90", "complete"),
        ("libtwo.so", "sm_80", "complete"),
        ("libtwo.so", "sm_90a", "complete"),
    ]
    assert [row["fault"] and row["fault"]["code"] for row in found] == [None, "truncated", None, None, None]


def test_a_sound_tree_is_status_0_and_one_without_device_code_has_no_rows(tmp_path: Path, call: Call) -> None:
    tree = small_tree(tmp_path)
    (tree / "lib" / "bad.hipfb").unlink()
    assert len(lines(call("inspect", tree, "--json-lines").out)) == 4
    assert call("inspect", tree / "lib", "--json-lines").out == ""
    assert call("inspect", tree / "lib").out == "0 files with device code\n"


def test_a_list_of_files_some_of_which_are_not_there(tmp_path: Path, call: Call) -> None:
    tree = small_tree(tmp_path)
    found = call("inspect", tree / "libtwo.so", tmp_path / "gone", tree / "app.bin", "--json-lines", status=1)
    told = lines(found.out)
    assert [Path(row["file"]).name for row in told] == ["libtwo.so"] * 3 + ["gone", "app.bin"]
    assert told[3]["fault"]["code"] == "unreadable"
    assert found.err == ""


def test_targets_of_a_damaged_file_have_the_fault_of_their_own_payload() -> None:
    found = {row["target"]: row["fault"] and row["fault"]["code"] for row in rows("bad_fatbin_usize_too_small.fatbin")}
    assert found.pop("sm_80") == "bad-compression"
    assert set(found.values()) == {None}


def test_a_payload_without_kernels_for_its_fault_is_a_row_without_a_name() -> None:
    found = rows("bad_fatbin_usize_too_small.fatbin", "kernels")
    (faulty,) = (row for row in found if row["fault"])
    assert (faulty["name"], faulty["target"], faulty["coverage"]) == (None, "sm_80", "malformed")
    assert [row["object_id"] for row in found] == sorted(row["object_id"] for row in found)
    assert rows("bad_fatbin_usize_too_small.fatbin", "kernels", filters={"target": ("sm_90a",)})[0]["name"] is not None


def test_filters_and_fields(tmp_path: Path, call: Call) -> None:
    tree = small_tree(tmp_path)
    words = ["--json-lines", "--filter", "target=sm_80", "--fields", "kinds,objects"]
    found = lines(call("inspect", tree, *words, status=1).out)
    assert [list(row) for row in found] == [["file", "sha256", "kinds", "objects", "coverage", "fault"]] * 2
    assert [row["objects"] for row in found] == [1, 2]


def test_kernels_and_digests(tmp_path: Path, call: Call) -> None:
    tree = small_tree(tmp_path)
    (tree / "lib" / "bad.hipfb").unlink()
    counted = lines(call("inspect", tree, "--json-lines", "--kernels").out)
    assert [row["kernel_analysis"] for row in counted] == ["complete"] * 4
    assert [row["sha256"] for row in counted] == [None] * 4
    digests = lines(call("inspect", tree, "--json-lines", "--view", "objects", "--digest", "--jobs", "1").out)
    assert all(len(row["sha256"]) == len(row["payload_sha256"]) == 64 for row in digests)


def test_objects_keep_their_fixed_fields(tmp_path: Path, call: Call) -> None:
    tree = small_tree(tmp_path)
    found = lines(
        call("inspect", tree / "app.bin", "--jobs", "1", "--json-lines", "--view", "objects", "--fields", "triple").out
    )
    fixed = ["id", "kind", "target", "payload_target", "target_consistency", "coverage"]
    assert [list(row) for row in found] == [["file", "sha256", *fixed, "triple", "fault"]]


def test_the_table_comes_at_the_end(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    small_tree(tmp_path)
    monkeypatch.chdir(tmp_path / "tree")
    shown = call("inspect", ".", status=1).out.splitlines()
    assert shown[0] == "2 files with device code, and 1 of which nothing could be read"
    columns = ["file", "vendor", "target", "kinds", "objects", "encoded bytes", "decoded bytes", "coverage", "fault"]
    assert re.split(" {2,}", shown[1].strip()) == columns
    assert [line.split()[0] for line in shown[2:]] == ["./app.bin", "./lib/bad.hipfb", *["./libtwo.so"] * 3]
    assert "truncated: " in shown[3]


def test_an_interrupt_ends_it_without_a_traceback(tmp_path: Path) -> None:
    for number in range(400):  # more lines than a pipe holds, so that it cannot be done before
        shutil.copy(GPU / "cubin_sm_80.cubin", tmp_path / f"{number}")
    # With more processes than processors some still load their modules when the first line comes.
    words = [sys.executable, "-m", "offload_tool", "inspect", str(tmp_path), "--json-lines", "--jobs", "6"]
    assert interrupted(words) == (130, b"")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--json"], "--json is for one file; for several use --json-lines"),
        (["--limit", "1"], "--limit is for one file"),
        (["--cursor", "x"], "--cursor is for one file"),
        (["--ids", "0"], "--ids is for one file"),
        (["--expect-sha256", "00"], "--expect-sha256 is for one file"),
        (["--jobs", "0"], "0 jobs; expected 1 to 1024"),
        (["--shard", "2/1"], "shard '2/1' is no part"),
        (["--scheduler", "host"], "scheduler 'host' is no address; expected tcp://HOST:PORT"),
        (["--scheduler", "tcp://h:1", "--jobs", "2"], "leave one of them out"),
        (["--fields", "arch"], "targets have no field 'arch'"),
    ],
)
def test_what_cannot_be_asked_of_a_tree(words: list[str], fault: str, tmp_path: Path, call: Call) -> None:
    found = call("inspect", tmp_path, *words, status=2)
    assert found.out == ""
    assert fault in found.err
    assert len(found.err.splitlines()) == 1


def test_one_file_is_still_one_file(tmp_path: Path, call: Call) -> None:
    shutil.copy(GPU / "cubin_sm_80.cubin", tmp_path / "a.cubin")
    assert json.loads(call("inspect", tmp_path / "a.cubin", "--json").out)["rows"][0]["target"] == "sm_80"
    assert "sha256" not in lines(call("inspect", tmp_path / "a.cubin", "--json-lines").out)[0]
