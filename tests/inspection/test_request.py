"""Requests as JSON: what is asked for, pages, digests, and what is refused."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from offload_tool import OffloadError, UsageError, inspect_file, inspect_gpu_code_objects
from offload_tool.actions.inspection.query import FIXED_OBJECT_FIELDS, field_names
from offload_tool.actions.inspection.rows import COVERAGES
from offload_tool.gpu.consistency import CONSISTENCIES
from offload_tool.gpu.payload import CODES

from ..peers import ROOT

GPU = ROOT / "tests" / "data" / "gpu"
FATBIN = str(GPU / "fatbin_default_cuda13.fatbin")
SHA256 = hashlib.sha256(Path(FATBIN).read_bytes()).hexdigest()


def ask(path: str = FATBIN, **view: Any) -> dict[str, Any]:
    return inspect_gpu_code_objects({"path": path, "view": view})


def command(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "offload_tool", "inspect", *arguments]
    return subprocess.run(words, input=stdin, capture_output=True, text=True, check=False)


def test_the_answer_has_exactly_these_keys() -> None:
    assert list(ask()) == ["file", "sha256", "collection", "coverage", "rows", "next_cursor"]


def test_targets_are_the_default_and_cost_no_digest() -> None:
    found = inspect_gpu_code_objects({"path": FATBIN})
    assert (found["collection"], found["sha256"]) == ("targets", None)
    assert [row["target"] for row in found["rows"]] == ["compute_100f", "sm_80", "sm_90a", "sm_100f"]
    assert {row["kernel_analysis"] for row in found["rows"]} == {"not-requested"}


def test_kernels_can_be_counted_in_targets() -> None:
    rows = ask(collection="targets", kernels=True)["rows"]
    assert [(row["kernels"], row["kernel_analysis"]) for row in rows] == [(2, "complete")] * 4


def test_partial_kernel_analysis(tmp_path: Path) -> None:
    rows = ask(str(GPU / "fatbin_ltoir.fatbin"), kernels=True)["rows"]
    assert {row["target"]: row["kernel_analysis"] for row in rows} == {
        "lto_80": "partial", "lto_90a": "partial", "sm_90a": "complete"
    }  # fmt: skip


@pytest.mark.parametrize("collection", ["objects", "kernels"])
def test_where_ids_are_delivered_the_digest_is(collection: str) -> None:
    assert ask(collection=collection)["sha256"] == SHA256


def test_digest_in_targets_when_asked_for() -> None:
    assert ask(digest=True)["sha256"] == SHA256


def test_payload_digests_are_of_the_decoded_bytes() -> None:
    rows = ask(collection="objects", digest=True)["rows"]
    cubin = (GPU / "cubin_sm_80.cubin").read_bytes()
    assert rows[0]["payload_sha256"] == hashlib.sha256(cubin).hexdigest()
    assert all(row["payload_sha256"] for row in rows)
    assert ask(collection="objects")["rows"][0]["payload_sha256"] is None


def test_a_bitcode_payload_keeps_id_range_and_digest() -> None:
    path = GPU / "offload_binary_two.bin"
    row = ask(str(path), collection="objects", digest=True)["rows"][0]
    content = path.read_bytes()[row["encoded_offset"] :][: row["encoded_size"]]
    assert (row["id"], row["kind"], row["coverage"]) == ("0", "bitcode", "unsupported")
    assert row["payload_sha256"] == hashlib.sha256(content).hexdigest()


def test_fields_narrow_and_objects_keep_what_they_are_known_by() -> None:
    assert ask(fields=["target"])["rows"][0] == {"target": "compute_100f"}
    row = ask(collection="objects", fields=["encoded_size"])["rows"][0]
    assert list(row) == [*FIXED_OBJECT_FIELDS, "encoded_size"]


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({"kind": "ptx"}, ["3"]),
        ({"kind": ["ptx", "cubin"], "target": "sm_80"}, ["0"]),
        ({"encoded_size": 4968}, ["0"]),
        ({"fault": None}, ["0", "1", "2", "3"]),
        ({"target": "sm_8"}, []),
    ],
)
def test_filters_are_exact(filters: dict[str, Any], ids: list[str]) -> None:
    assert [row["id"] for row in ask(collection="objects", filters=filters)["rows"]] == ids


def test_filter_on_a_list_finds_one_of_it() -> None:
    assert len(ask(filters={"kinds": "cubin"})["rows"]) == 3


def test_pages_are_the_whole_and_the_same_again() -> None:
    whole = ask(collection="kernels")["rows"]
    pages, cursor = [], None
    while True:
        page = ask(collection="kernels", limit=3, cursor=cursor)
        assert page == ask(collection="kernels", limit=3, cursor=cursor)
        pages += page["rows"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert pages == whole
    assert len(whole) == 8


def test_a_cursor_of_other_rows_is_refused() -> None:
    cursor = ask(collection="objects", limit=1)["next_cursor"]
    for view in ({"collection": "kernels"}, {"collection": "objects", "filters": {"kind": "cubin"}}):
        with pytest.raises(UsageError, match="does not belong to these rows"):
            ask(**view, limit=1, cursor=cursor)
    with pytest.raises(UsageError, match="does not belong"):
        ask(collection="objects", cursor="!")


def test_selected_objects_need_the_digest_of_their_inventory() -> None:
    with pytest.raises(UsageError, match="give the SHA-256"):
        ask(collection="objects", object_ids=["1"])
    found = ask(collection="kernels", object_ids=["1", "3"], expected_sha256=SHA256.upper())
    assert {row["object_id"] for row in found["rows"]} == {"1", "3"}


def test_an_id_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no object with id '9'"):
        ask(collection="objects", object_ids=["9"], expected_sha256=SHA256)


def test_a_changed_file_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "damaged.fatbin"
    path.write_bytes(Path(FATBIN).read_bytes()[:100])
    with pytest.raises(OffloadError, match="has changed: its SHA-256 is"):
        ask(str(path), collection="objects", expected_sha256=SHA256)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({}, "names no file"),
        ({"path": 1}, "'path' is 1; expected a text"),
        ({"path": "a", "view": []}, "'view' is"),
        (
            {"path": "a", "view": {"colection": "x"}},
            "unknown key 'colection' in the request; did you mean 'collection'",
        ),
        ({"path": "a", "limit": 1, "view": {"limit": 2}}, "'limit' stands in the view and beside it"),
        ({"path": "a", "view": {"collection": "files"}}, "unknown collection 'files'"),
        ({"path": "a", "view": {"fields": ["sise"]}}, "targets have no field 'sise'"),
        ({"path": "a", "view": {"fields": "size"}}, "expected a list of texts"),
        ({"path": "a", "view": {"filters": ["x"]}}, "expected an object"),
        ({"path": "a", "view": {"filters": {"target": {}}}}, "filter 'target' is {}"),
        ({"path": "a", "view": {"filters": {"nope": "1"}}}, "targets have no field 'nope'"),
        ({"path": "a", "limit": 0}, "limit 0 is less than 1"),
        ({"path": "a", "limit": True}, "'limit' is True; expected a number"),
        ({"path": "a", "kernels": "yes"}, "expected true or false"),
    ],
)
def test_what_cannot_be_meant(request_: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        inspect_gpu_code_objects(request_)
    assert message in str(caught.value)


def test_keys_may_stand_beside_the_view() -> None:
    assert inspect_gpu_code_objects({"path": FATBIN, "collection": "objects"}) == ask(collection="objects")


def test_request_from_stdin_and_file(tmp_path: Path) -> None:
    request = json.dumps({"path": FATBIN, "view": {"collection": "targets"}})
    (tmp_path / "request.json").write_text(request)
    from_stdin, from_file = (
        command("--request", "-", stdin=request),
        command("--request", str(tmp_path / "request.json")),
    )
    assert json.loads(from_stdin.stdout) == json.loads(from_file.stdout) == ask()
    assert command("--request", "-", stdin="[]").returncode == 2
    assert "is no JSON" in command("--request", "-", stdin="{").stderr


def test_command_line_and_request_say_the_same() -> None:
    done = command(FATBIN, "--view", "objects", "--fields", "section", "--filter", "kind=ptx", "--json")
    assert json.loads(done.stdout) == ask(collection="objects", fields=["section"], filters={"kind": "ptx"})


def test_json_lines_are_rows_with_their_file() -> None:
    lines = [json.loads(line) for line in command(FATBIN, "--json-lines").stdout.splitlines()]
    assert lines == [{"file": FATBIN, **row} for row in ask()["rows"]]


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    out = command(str(GPU / "bad_ccob_v3_hash_mismatch.hipfb"), "--view", "objects").stdout
    assert "bad-payload: " in out
    assert "coverage partial" in out


def test_exit_status() -> None:
    assert command(FATBIN).returncode == 0
    assert command(str(GPU / "bad_fatbin_payload_size_wraps.fatbin")).returncode == 1
    assert command("/nonexistent").returncode == 1
    assert command(FATBIN, "--fields", "nope").returncode == 2
    assert command().returncode == 2


def test_two_runs_give_the_same() -> None:
    assert inspect_file(FATBIN, kernels=True) == inspect_file(FATBIN, kernels=True)


def test_field_names_of_the_documentation() -> None:
    text = (ROOT / "docs" / "inspect.md").read_text(encoding="utf-8")
    for collection in ("targets", "objects", "kernels"):
        for name in field_names(collection):
            assert f"`{name}`" in text, (collection, name)


def test_fault_codes_of_the_documentation() -> None:
    text = (ROOT / "docs" / "inspect.md").read_text(encoding="utf-8")
    for word, meaning in CODES.items():
        assert f"| `{word}` | {meaning} |" in text
    for word in (*CONSISTENCIES, *COVERAGES):
        assert f"`{word}`" in text
