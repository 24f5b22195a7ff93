"""``pack --incremental`` and ``--explain`` as they are typed."""

from __future__ import annotations

from pathlib import Path

from .running import Call, files_in


def test_second_pack_explains_on_stderr_that_nothing_changed(call: Call, manifest: Path, tmp_path: Path) -> None:
    words = ["pack", manifest, "-o", tmp_path / "out", "--incremental", "--no-check"]
    assert call(*words).err == ""
    assert files_in(tmp_path) == [".out.offload-record", "m.yaml", "one.cubin", "out", "two.cubin"]
    explained = call(*words, "--explain")
    assert explained.out == ""
    first, *images = explained.err.splitlines()
    assert first == f"offload-tool: output {str(tmp_path / 'out')!r}: untouched, no byte changed"
    assert [line.partition(": not written, ")[0] for line in images] == [
        f"offload-tool: image {str(tmp_path / name)!r}" for name in ("one.cubin", "two.cubin")
    ]


def test_the_last_of_the_two_switches_counts(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "out", "--incremental", "--no-incremental")
    assert files_in(tmp_path) == ["m.yaml", "one.cubin", "out", "two.cubin"]


def test_damaged_record_is_one_warning_and_status_0(call: Call, manifest: Path, tmp_path: Path) -> None:
    record = tmp_path / ".out.offload-record"
    record.write_bytes(b"damaged")
    packed = call("pack", manifest, "-o", tmp_path / "out", "--incremental", "--strict", "--no-check")
    assert packed.err.startswith(f"offload-tool: warning: record {str(record)!r} of the last pack is of no use: ")
    assert packed.err.count("\n") == 1


def test_explaining_a_pack_that_is_not_incremental(call: Call, manifest: Path, tmp_path: Path) -> None:
    explained = call("pack", manifest, "-o", tmp_path / "out", "--explain").err
    assert "packed in full, incremental packing is off" in explained


def test_standard_output_has_no_record(call: Call, manifest: Path, tmp_path: Path) -> None:
    assert "standard output always" in call("pack", manifest, "-o", "-", "--incremental", "--explain").err
