"""Every file of the corpus gives the inventory that its makers' own tools printed of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from offload_tool import inspect_file

from ..peers import ROOT

GPU = ROOT / "tests" / "data" / "gpu"
INVENTORY: dict[str, list[dict[str, Any]]] = json.loads((GPU / "inventory.json").read_text(encoding="utf-8"))
UNREAD = {"bitcode", "spirv", "assembly"}
SCRAMBLED = {"fatbin_ltoir.fatbin"}

FAULTS = {
    "bad_fatbin_truncated_last_entry.fatbin": ({"truncated"}, "partial", 3),
    "bad_fatbin_payload_size_wraps.fatbin": ({"truncated", "bad-size"}, "malformed", 0),
    "bad_fatbin_outer_size_cuts_last.fatbin": ({"truncated"}, "partial", 3),
    "bad_fatbin_usize_too_small.fatbin": ({"bad-compression", "bad-size"}, "partial", 3),
    "bad_bundle_truncated_last_entry.hipfb": ({"truncated"}, "partial", 1),
    "bad_bundle_huge_count.hipfb": ({"bad-header"}, "partial", 2),
    "bad_bundle_overlapping_entries.hipfb": ({"overlap"}, "malformed", 0),
    "bad_ccob_v3_filesize_beyond_eof.hipfb": ({"truncated"}, "partial", 3),
    "bad_ccob_v3_hash_mismatch.hipfb": ({"bad-payload"}, "partial", 3),
    "bad_ccob_v3_method_7.hipfb": ({"unknown-compression"}, "unsupported", 0),
    "bad_ccob_version_9.hipfb": ({"unknown-version"}, "unsupported", 0),
    "bad_ccob_v3_truncated.hipfb": ({"truncated"}, "malformed", 0),
    "bad_ccob_v3_bomb_64MiB_claims_4096.hipfb": ({"bad-size", "bad-compression"}, "malformed", 0),
}
"""The codes that a damaged file may have, how far it can be read, and how many sound payloads are left."""


def test_every_file_is_expected_to_be_something() -> None:
    files = {path.name for path in GPU.iterdir()} - {"README.md", "inventory.json"}
    assert files == INVENTORY.keys() | FAULTS.keys()


@pytest.mark.parametrize("kernels", [False, True], ids=["heads", "whole"])
@pytest.mark.parametrize("name", INVENTORY)
def test_objects(name: str, kernels: bool) -> None:
    found = [asdict(row) for row in inspect_file(str(GPU / name), kernels=kernels).objects]
    expected = [{key: value for key, value in row.items() if key != "kernels"} for row in INVENTORY[name]]
    told = [{key: row[key] for key in wanted} for row, wanted in zip(found, expected, strict=True)]
    assert told == expected
    if name not in SCRAMBLED:
        assert [row["fault"] for row in found] == [None] * len(found)


@pytest.mark.parametrize("name", INVENTORY)
def test_kernels(name: str) -> None:
    inspection = inspect_file(str(GPU / name), kernels=True)
    assert inspection.kernels is not None
    for row, wanted in zip(inspection.objects, INVENTORY[name], strict=True):
        assert sorted(kernel.name for kernel in inspection.kernels if kernel.object_id == row.id) == wanted["kernels"]


@pytest.mark.parametrize("name", INVENTORY)
def test_declared_and_observed_agree(name: str) -> None:
    for row in inspect_file(str(GPU / name), kernels=True).objects:
        if row.kind in UNREAD or row.fault is not None:
            assert row.target_consistency == "unexamined"
            assert row.coverage == "unsupported"
        elif row.target is None:
            assert row.target_consistency == "single-source"
        else:
            assert (row.target_consistency, row.payload_target) == ("match", row.target)


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("kernels", [False, True], ids=["heads", "whole"])
def test_damaged(name: str, kernels: bool) -> None:
    codes, coverage, sound = FAULTS[name]
    inspection = inspect_file(str(GPU / name), kernels=kernels)
    faulty = [row for row in inspection.objects if row.fault is not None]
    assert {row.fault.code for row in faulty if row.fault} <= codes
    assert faulty
    assert (inspection.coverage, len(inspection.objects) - len(faulty)) == (coverage, sound)


@pytest.mark.parametrize("name", [*INVENTORY, *FAULTS])
def test_ids_are_the_same_however_much_is_read(name: str) -> None:
    heads, whole = (inspect_file(str(GPU / name), kernels=kernels).objects for kernels in (False, True))
    assert [(row.id, row.kind, row.encoded_offset) for row in heads] == [
        (row.id, row.kind, row.encoded_offset) for row in whole
    ]


@pytest.mark.parametrize("name", ["bitcode_raw.bc", "bitcode_wrapper.bc"])
def test_bare_bitcode_has_no_rows_and_is_unsupported(name: str) -> None:
    inspection = inspect_file(str(GPU / name))
    assert (inspection.objects, inspection.targets, inspection.coverage) == ((), (), "unsupported")


def test_a_text_file_is_unsupported(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see")
    assert inspect_file(str(tmp_path / "notes.txt")).coverage == "unsupported"


def test_an_empty_file_is_complete(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert inspect_file(str(tmp_path / "empty")).coverage == "complete"
