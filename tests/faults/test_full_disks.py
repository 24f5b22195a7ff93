"""Full disks, size limits and folders that nobody may write: one line with the cause, the old output, nothing left."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from errno import ENOSPC
from pathlib import Path

import pytest

from ..peers import offload_tool_command, run
from .injecting import Fault, Injector, faults_told
from .scenarios import SCENARIOS, snapshot
from .test_killed import check_whole

SMALL = 20_000
LARGE = 100_000


@pytest.fixture
def small_disk(inject: Injector) -> Iterator[Path]:
    """A file system of 64 KiB, of memory; where that takes rights that nobody has, a folder, and no call can write."""
    folder = inject.folder / "disk"
    folder.mkdir()
    mounted = (
        os.getuid() == 0
        and not run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], status=None).returncode
    )
    yield folder
    if mounted:
        run(["umount", folder])


def _fault(small_disk: Path, call: str) -> Fault:
    full = Fault(action="fail", call=call, error=ENOSPC, always=True)
    return Fault() if os.path.ismount(small_disk) else full


@pytest.mark.parametrize(
    "more",
    [[], ["--archive"], ["--write-if-changed"], ["--incremental"], ["--format-version", "3", "--compress", "zlib:0"]],
    ids=["binary", "archive", "if changed", "incremental", "compressed"],
)
def test_pack_onto_a_full_disk(more: list[str], small_disk: Path, inject: Injector) -> None:
    image, out = inject.folder / "k", small_disk / "out"
    image.write_bytes(os.urandom(SMALL))
    words: list[str | Path] = [
        "pack",
        "-o",
        out,
        "--toolchain",
        "llvm-24",
        "--image",
        f"file={image},triple=t,kind=none",
        *more,
    ]
    assert inject(*words).status == 0
    before = snapshot(small_disk)
    image.write_bytes(os.urandom(LARGE))
    ended = inject(*words, fault=_fault(small_disk, "copy_file_range"))
    assert ended.status == 1
    assert ended.err == f"offload-tool: error: output {str(out)!r}: No space left on device\n"
    assert snapshot(small_disk) == before
    image.write_bytes(os.urandom(SMALL + 1))
    assert inject(*words).status == 0
    assert {*snapshot(small_disk)} == {*before}


@pytest.mark.parametrize("more", [["-o", "out"], ["-d", "."], ["--archive", "-o", "out"]])
def test_extract_onto_a_full_disk(more: list[str], small_disk: Path, inject: Injector) -> None:
    image, fat = inject.folder / "k", inject.folder / "fat"
    image.write_bytes(os.urandom(LARGE))
    assert inject("pack", "-o", fat, "--image", f"file={image},triple=t,kind=none").status == 0
    (small_disk / "out").write_bytes(b"old")
    ended = inject("extract", fat, *more, folder=small_disk, fault=_fault(small_disk, "copy_file_range"))
    assert ended.status == 1
    assert ended.err.endswith("': No space left on device\n")
    assert faults_told(ended.err) == 1
    assert snapshot(small_disk) == {"out": b"old"}


def test_export_onto_a_full_disk(small_disk: Path, inject: Injector) -> None:
    SCENARIOS["export"].prepare(inject.folder / "work")
    for name in "abc":
        (inject.folder / "work" / name).write_bytes(os.urandom(LARGE // 3))
    words: list[str | Path] = ["export", inject.folder / "work" / "m.yaml", "-d", small_disk / "copy"]
    ended = inject(*words, fault=_fault(small_disk, "copy_file_range"))
    assert ended.status == 1
    assert "No space left on device\n" in ended.err
    assert snapshot(small_disk) == {}


def test_full_folder_for_temporary_files_is_told_as_such(small_disk: Path, inject: Injector) -> None:
    image, out = inject.folder / "k", inject.folder / "out"
    image.write_bytes(os.urandom(LARGE))
    words = ["--toolchain", "llvm-24", "--format-version", "3", "--compress", "zlib:0"]
    ended = inject(
        "pack", "-o", out, "--image", f"file={image},triple=t,kind=none", *words,
        environment={"TMPDIR": str(small_disk)}, fault=_fault(small_disk, "copy_file_range"),
    )  # fmt: skip
    assert ended.status == 1
    assert "No space left on device" in ended.err
    if os.path.ismount(small_disk):
        assert ended.err == f"offload-tool: error: temporary file in {str(small_disk)!r}: No space left on device\n"
    assert not out.exists()
    assert snapshot(small_disk) == {}


@pytest.mark.parametrize("command", ["list", "extract", "inspect"])
def test_temporary_files_of_readers_on_a_full_disk(command: str, small_disk: Path, inject: Injector) -> None:
    """A body of more than a mebibyte is inflated into a file."""
    image, fat = inject.folder / "k", inject.folder / "fat"
    image.write_bytes(bytes(2 << 20))
    words = ["--toolchain", "llvm-24", "--format-version", "3", "--compress", "zlib"]
    assert inject("pack", "-o", fat, "--image", f"file={image},triple=t,kind=none", *words).status == 0
    more = ["-o", str(inject.folder / "out")] if command == "extract" else []
    ended = inject(command, fat, *more, environment={"TMPDIR": str(small_disk)}, fault=_fault(small_disk, "write"))
    if command != "inspect":  # which decodes no more than it needs
        assert ended.status == 1
        assert ended.err.endswith("No space left on device\n")
    assert faults_told(ended.err) <= 1
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if name != "pack zstd"])
@pytest.mark.parametrize("size", [0, 100, 2500])
def test_limit_of_file_sizes(name: str, size: int, inject: Injector) -> None:
    scenario, folder = SCENARIOS[name], inject.folder / "work"
    words = scenario.prepare(folder)
    old = snapshot(folder)
    ended = inject(*words, file_size=size)
    found = snapshot(folder)
    assert ended.status in (0, 1)
    assert ended.status == 0 or "File too large" in ended.err or scenario.is_slow
    assert "Traceback" not in ended.err
    assert {*found} <= {*old}
    again = inject(*words)
    assert (again.status, again.err) == (0, "")
    check_whole(scenario, old, snapshot(folder), found)


@pytest.mark.parametrize("more", [[], ["--json"]])
@pytest.mark.parametrize("program", ["offload-tool", "llvm-offload-binary-23"])
def test_standard_output_that_is_full(program: str, more: list[str], tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(b"k")
    run([*offload_tool_command(), "pack", "-o", "fat", "--image", "file=k,triple=t,kind=none"], cwd=tmp_path)
    words = [*offload_tool_command(), "list", "fat", *more]
    if program != "offload-tool":
        drop_in = f"import sys; from offload_tool.cli.offload_binary import main; sys.exit(main(['{program}', 'fat']))"
        words = [sys.executable, "-c", drop_in]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(words, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("No space left on device\n")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_are_closed(closed: str, tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(b"k" * 100)
    run([*offload_tool_command(), "pack", "-o", "fat", "--image", "file=k,triple=t,kind=none"], cwd=tmp_path)
    tool = " ".join(offload_tool_command())
    run(["sh", "-c", f"{tool} list fat {closed} && {tool} extract fat -o copy {closed}"], cwd=tmp_path)
    assert (tmp_path / "copy").read_bytes() == b"k" * 100
    done = run(["sh", "-c", f"{tool} list none {closed}"], cwd=tmp_path, status=1)
    assert done.stdout == ""
