"""Which of several images would be loaded: order, conflicts, damaged ones."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.actions.pick import Pick, pick, told_target
from offload_tool.errors import UsageError
from offload_tool.gpu.payload import PayloadFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    id: str
    kind: str = "cubin"
    target: str | None = None
    payload_target: str | None = None
    coverage: str = "complete"
    fault: PayloadFault | None = None


def order(found: Pick) -> list[str]:
    return [candidate.image.id for candidate in found.candidates]


def chosen(found: Pick) -> str | None:
    return None if found.chosen is None else found.chosen.image.id


def test_best_first_then_those_that_do_not_run() -> None:
    rows = [
        Row(id="old", target="sm_70"),
        Row(id="ptx", kind="ptx", target="compute_80"),
        Row(id="minor", target="sm_80"),
        Row(id="exact", target="sm_86"),
        Row(id="lto", kind="lto-ir", target="lto_86"),
    ]
    found = pick(rows, "sm_86")
    assert order(found) == ["exact", "minor", "ptx", "old", "lto"]
    assert chosen(found) == "exact"
    assert found.absence() == ""


def test_equals_stay_in_order() -> None:
    rows = [Row(id=str(number), target="sm_80") for number in range(5)]
    assert order(pick(rows, "sm_86")) == list("01234")
    assert order(pick(rows, "sm_90")) == list("01234")


def test_what_the_bytes_say_counts() -> None:
    rows = [Row(id="liar", target="sm_80", payload_target="sm_86"), Row(id="ptx", kind="ptx", target="compute_75")]
    found = pick(rows, "sm_80")
    assert chosen(found) == "ptx"
    assert found.candidates[1].target == "sm_86"
    assert found.candidates[1].verdict.reason == (
        "declared 'sm_80', but its bytes are for 'sm_86': a cubin for 8.6 is newer than the device, 8.0"
    )
    other = pick(rows, "sm_86")
    assert chosen(other) == "liar"
    assert other.chosen is not None
    assert "but its bytes are for 'sm_86'" in other.chosen.verdict.reason


@pytest.mark.parametrize(
    ("kind", "declared", "told", "expected"),
    [
        ("cubin", "sm_90a", "sm_90", "sm_90a"),
        ("cubin", "sm_90", "sm_90a", "sm_90a"),
        ("cubin", "sm_90a", "sm_80", "sm_80"),
        ("ptx", "compute_90a", "compute_90", "compute_90"),
        ("ptx", "sm_80", "compute_80", "compute_80"),
        ("code-object", "gfx90a", "gfx90a:xnack+", "gfx90a:xnack+"),
        ("cubin", None, "sm_80", "sm_80"),
        ("cubin", "sm_80", None, "sm_80"),
        ("cubin", None, None, None),
        ("cubin", "nonsense", "sm_80", "sm_80"),
    ],
)
def test_target_to_go_by(kind: str, declared: str | None, told: str | None, expected: str | None) -> None:
    assert told_target(kind, declared, told) == expected


def test_spelling_is_no_conflict() -> None:
    rows = [
        Row(id="ptx", kind="ptx", target="sm_80", payload_target="compute_80"),
        Row(id="amd", kind="code-object", target="gfx942:xnack-:sramecc+", payload_target="gfx942:sramecc+:xnack-"),
    ]
    for device in ("sm_80", "gfx942:sramecc+:xnack-"):
        assert not any("declared" in candidate.verdict.reason for candidate in pick(rows, device).candidates)


def test_damaged_image_is_never_chosen() -> None:
    fault = PayloadFault(code="truncated", offset=7, text="the section table ends early")
    rows = [
        Row(id="damaged", target="sm_80", coverage="malformed", fault=fault),
        Row(id="b", kind="ptx", target="compute_50"),
    ]
    found = pick(rows, "sm_80")
    assert chosen(found) == "b"
    assert found.candidates[1].verdict.reason == "its bytes are damaged: the section table ends early"
    assert chosen(pick([Row(id="x", target="sm_80", coverage="malformed")], "sm_80")) is None


def test_partial_image_may_be_chosen() -> None:
    fault = PayloadFault(code="unknown-compression", offset=7, text="codec 9")
    assert chosen(pick([Row(id="x", target="sm_80", coverage="unsupported", fault=fault)], "sm_80")) == "x"


def test_nothing_there() -> None:
    assert pick([], "sm_80").absence() == "there is no device image that could run on sm_80"


def test_reasons_are_told_once() -> None:
    rows = [Row(id=str(number), target="sm_80") for number in range(100)]
    reason = "a cubin runs on its own major version alone: 8, and the device is of 9.0"
    assert pick(rows, "sm_90").absence() == f"no image would run on sm_90: {reason}"
    many = [Row(id=str(number), target=f"sm_{number}a") for number in range(50, 60)]
    assert pick(many, "sm_90").absence().endswith("; and 7 reasons more")


def test_device_is_checked_without_images() -> None:
    with pytest.raises(UsageError, match="is no device"):
        pick([], "gpu")


targets = st.sampled_from(["sm_75", "sm_80", "sm_86", "sm_90", "sm_90a", "compute_75", "compute_90", "gfx90a", None])
rows_of = st.lists(
    st.builds(Row, id=st.uuids().map(str), kind=st.sampled_from(["cubin", "ptx", "lto-ir"]), target=targets)
)


@given(rows=rows_of, device=st.sampled_from(["7.5", "8.6", "9.0", "gfx90a"]))
def test_every_image_is_a_candidate_with_a_reason(rows: list[Row], device: str) -> None:
    found = pick(rows, device)
    assert sorted(order(found)) == sorted(row.id for row in rows)
    assert all(candidate.verdict.reason for candidate in found.candidates)
    running = [candidate.verdict.runs for candidate in found.candidates]
    assert running == sorted(running, reverse=True)
    ranks = [candidate.verdict.rank for candidate in found.candidates]
    assert ranks == sorted(ranks, reverse=True)
    assert (found.chosen is None) is not any(running)
