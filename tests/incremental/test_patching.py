"""What is written, what stays, and when a pack is a full one."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from offload_tool.actions import incremental, patch_plan
from offload_tool.deps.beside import beside
from offload_tool.deps.record import Record
from offload_tool.errors import OffloadError

from .packing import Packing, written_bytes

MIB = 1 << 20
NEWEST = "llvm-24"
"""A toolchain that reads every format version."""


def _same_file(before: os.stat_result, path: Path) -> bool:
    after = path.stat()
    return (before.st_ino, before.st_mtime_ns, before.st_ctime_ns) == (
        after.st_ino,
        after.st_mtime_ns,
        after.st_ctime_ns,
    )


@pytest.mark.parametrize(
    ("count", "size"), [(100, MIB // 16), pytest.param(1000, MIB, marks=pytest.mark.slow)], ids=["100", "1000"]
)
def test_one_changed_image_of_many_is_all_that_is_written(count: int, size: int, tmp_path: Path) -> None:
    packing = Packing(tmp_path)
    for index in range(count):
        packing.add(f"k{index}", b"", arch=f"sm_{index}")
        os.truncate(tmp_path / f"k{index}", size)
    start = written_bytes()
    packing.pack()
    assert written_bytes() - start > count * size, "the counter sees what a full pack writes"
    packing.write(f"k{count // 2}", b"\xff" * size)
    start = written_bytes()
    packing.pack(explain=False)
    assert size <= written_bytes() - start < 2 * size
    packing.write(f"k{count * 9 // 10}", b"\xff" * (size + 8))
    start = written_bytes()
    packing.pack(explain=False)
    assert written_bytes() - start < count * size // 9
    with packing.out.open("rb") as out:
        assert out.read() == packing.full()


def test_unchanged_images_leave_the_output_untouched(packed: Packing) -> None:
    before = packed.out.stat()
    assert packed.pack().explanations[0] == f"output {str(packed.out)!r}: untouched, no byte changed"
    assert _same_file(before, packed.out)


def test_new_times_and_the_same_bytes_leave_the_output_untouched(packed: Packing) -> None:
    before = packed.out.stat()
    packed.write("a", b"a" * 1000)
    os.utime(packed.folder / "b", ns=(1, 1))
    packed.agrees()
    assert _same_file(before, packed.out)


def test_image_with_old_times_but_other_bytes_is_written(packed: Packing) -> None:
    status = (packed.folder / "a").stat()
    packed.write("a", b"A" * 1000)
    os.utime(packed.folder / "a", ns=(status.st_atime_ns, status.st_mtime_ns))
    packed.agrees()


def test_patched_output_is_the_same_file_with_its_mode(packed: Packing) -> None:
    packed.out.chmod(0o640)
    packed.agrees()
    before = packed.out.stat()
    packed.write("b", b"B" * 1000)
    assert "patched, 1 of 3 images and 1000 of" in packed.agrees().explanations[0]
    after = packed.out.stat()
    assert (after.st_ino, stat.S_IMODE(after.st_mode)) == (before.st_ino, 0o640)
    assert after.st_mtime_ns > before.st_mtime_ns
    assert packed.names() == [".out.bin.offload-record", "a", "b", "c", "out.bin", "reference"]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_each_format_version_is_patched(version: int, packing: Packing) -> None:
    packing.options = replace(packing.options, toolchain=NEWEST, format_version=version)
    for content in (b"b" * 1000, b"B" * 1000, b"B" * 990, b"B" * 1010, b""):
        packing.write("b", content)
        packing.agrees()
    packing.write("b", b"B")
    assert "patched, 2 of 3 images" in packing.agrees().explanations[0]


def test_image_that_changed_within_two_seconds_is_compared(packed: Packing, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "changed within 2 s of the last pack, compared: the same bytes"
    assert [line.partition(", ")[2] for line in packed.pack().explanations[1:]] == [reason] * 3
    monkeypatch.setattr(patch_plan, "_RECENT", 0)
    assert [line.partition(", ")[2] for line in packed.pack().explanations[1:]] == ["untouched since the last pack"] * 3


def test_other_name_of_a_hard_linked_output_keeps_its_bytes(packed: Packing) -> None:
    other = packed.folder / "other"
    old = packed.out.read_bytes()
    other.hardlink_to(packed.out)
    packed.write("a", b"A" * 1000)
    packed.agrees()
    assert other.read_bytes() == old
    other.unlink()
    other.hardlink_to(packed.out)
    packed.pack(write_if_changed=True)  # the record is of a file with two names now
    packed.write("a", b"a" * 1000)
    assert "one file with 2 names" in packed.agrees().explanations[0]
    assert other.read_bytes() != packed.out.read_bytes()


def test_symbolic_link_is_replaced_and_then_patched(packing: Packing) -> None:
    (packing.folder / "elsewhere").write_bytes(b"old")
    packing.out.symlink_to("elsewhere")
    packing.agrees()
    assert not packing.out.is_symlink()
    assert (packing.folder / "elsewhere").read_bytes() == b"old"
    packing.write("a", b"A" * 1000)
    assert "patched" in packing.agrees().explanations[0]


def test_device_and_pipe_have_no_record(packing: Packing) -> None:
    packing.out.symlink_to("/dev/null")
    packing.pack()
    assert packing.names() == ["a", "b", "c", "out.bin"]
    assert not os.path.lexists("/dev/.null.offload-record")


def test_archive_and_plain_pack_leave_no_record(packed: Packing) -> None:
    explained = packed.pack(archive=True, toolchain=None).explanations
    assert "archives and standard output always are" in explained[0]
    assert not packed.record.exists()
    packed.pack()
    assert packed.record.exists()
    assert "incremental packing is off" in packed.pack(incremental=False).explanations[0]
    assert not packed.record.exists()


def test_compressed_output_is_packed_in_full_and_back(packing: Packing) -> None:
    for compress in ("zlib", "zlib", None, None):
        packing.options = replace(packing.options, toolchain=NEWEST, format_version=3, compress=compress)
        packing.write("a", (compress or "plain").encode() * 100)
        packing.agrees()
        assert packing.record.exists()


def test_explanations_are_given_only_when_asked_for(packed: Packing) -> None:
    assert packed.pack(explain=False).explanations == ()


def test_missing_image_costs_nothing(packed: Packing) -> None:
    before = packed.out.stat()
    packed.write("a", b"A" * 1000)
    (packed.folder / "c").unlink()
    with pytest.raises(OffloadError, match="No such file"):
        packed.pack()
    assert _same_file(before, packed.out)


@pytest.mark.parametrize("fault", ["gone", "changed"])
def test_image_lost_after_it_was_looked_at_costs_nothing(
    fault: str, packed: Packing, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = patch_plan.verdicts_of

    def verdicts(*arguments: Any) -> Sequence[patch_plan.Verdict]:
        found = judge(*arguments)
        (packed.folder / "c").unlink() if fault == "gone" else packed.write("c", b"other")
        return found

    monkeypatch.setattr(incremental, "verdicts_of", verdicts)
    before = packed.out.stat()
    packed.write("c", b"C" * 1000)
    with pytest.raises(OffloadError, match="No such file" if fault == "gone" else "changed while it was packed"):
        packed.pack()
    assert _same_file(before, packed.out)


def test_own_files_of_the_output_are_no_inputs(packed: Packing) -> None:
    for path in (packed.record, packed.part):
        packed.add(path.name, b"image")
        with pytest.raises(OffloadError, match="is one of its own inputs"):
            packed.pack()
        packed.images.pop()


def test_part_of_a_killed_pack_is_removed_unless_it_is_in_use(packed: Packing) -> None:
    packed.write(packed.part.name, b"torn")
    with packed.part.open("rb") as part:
        fcntl.flock(part, fcntl.LOCK_EX)
        packed.agrees()
        assert packed.part.exists()
    packed.agrees()
    assert not packed.part.exists()


def test_output_that_another_process_patches_is_packed_in_full(packed: Packing) -> None:
    packed.write("a", b"A" * 1000)
    with packed.out.open("rb") as out:
        fcntl.flock(out, fcntl.LOCK_EX)
        assert "cannot be locked" in packed.agrees().explanations[0]


@pytest.mark.parametrize("how", ["overwritten", "replaced", "touched"])
def test_output_that_somebody_changed_is_packed_in_full(how: str, packed: Packing) -> None:
    status = packed.out.stat()
    if how == "overwritten":
        with packed.out.open("r+b") as out:
            out.write(b"x")
    elif how == "replaced":
        content = packed.out.read_bytes()
        packed.out.unlink()
        packed.out.write_bytes(content[::-1])
    os.utime(packed.out, ns=(status.st_atime_ns, status.st_mtime_ns))
    packed.write("a", b"A" * 1000)
    assert "the old output is not that of the last pack" in packed.agrees().explanations[0]


def test_file_system_with_a_coarse_clock_is_never_patched(packing: Packing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("offload_tool.actions.recording._TRIES", 0)
    packing.agrees()
    packing.write("a", b"A" * 1000)
    assert "the old output is not that of the last pack" in packing.agrees().explanations[0]


def test_output_with_a_long_name(packing: Packing) -> None:
    record = Path(beside(str(packing.folder / ("e" * 255)), "record"))
    assert len(record.name) <= 255
    assert record.name != Path(beside(str(packing.folder / ("e" * 254)), "record")).name


@pytest.mark.parametrize("damage", ["cut", "flipped", "grown"])
def test_damaged_record_is_one_warning_and_a_full_pack(damage: str, packed: Packing) -> None:
    content = packed.record.read_bytes()
    for at in range(0, len(content), 7):
        flipped = bytes([content[at] ^ 0x10])
        packed.record.write_bytes(
            {"cut": content[:at], "flipped": content[:at] + flipped + content[at + 1 :], "grown": content + b"x" * at}[
                damage
            ]
        )
        if damage != "grown" or at:
            explained = packed.agrees()
            assert len(explained.warnings) == 1
            assert "of the last pack is of no use" in explained.warnings[0]
            assert "the record of the last pack is damaged" in explained.explanations[0]


def test_record_that_cannot_be_read_or_written_costs_a_full_pack(packed: Packing) -> None:
    packed.record.unlink()
    packed.record.mkdir()
    warnings = packed.agrees().warnings
    assert [warning[:9] for warning in warnings] == ["record '/", "no record"]


def test_record_comes_back_as_it_was(packed: Packing) -> None:
    content = packed.record.read_bytes()
    record = Record.decoded(content)
    assert record.encoded() == content
    assert [place.path for place in record.places] == [image.file for image in packed.images]
    assert all(packed.out.read_bytes()[place.offset :][: place.file.size] for place in record.places)
