"""Where outputs stand: other people's folders, links, other file systems; as somebody without rights where need be."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from errno import EXDEV
from pathlib import Path

import pytest

from ..peers import peer
from .injecting import Fault, Injector, faults_told
from .scenarios import SCENARIOS, snapshot

NOBODY = 65534
as_root = pytest.mark.skipif(os.getuid() != 0, reason="only root may become somebody else")


@pytest.fixture
def anybodys(inject: Injector) -> Iterator[Path]:
    """A folder that everybody may reach and write: those of pytest are closed to others."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


def _as_nobody(inject: Injector, folder: Path, *words: str | Path) -> str:
    """What is said by a command that fails, run by somebody without rights."""
    (folder / "tmp").mkdir(exist_ok=True)
    (folder / "tmp").chmod(0o777)
    ended = inject(*words, folder=folder, uid=NOBODY, environment={"TMPDIR": str(folder / "tmp")})
    assert ended.status == 1, ended.err
    assert faults_told(ended.err) == 1
    assert "Permission denied" in ended.err
    return ended.err


@as_root
@pytest.mark.parametrize("name", ["pack", "pack archive", "incremental", "export"])
def test_image_that_may_not_be_read(name: str, inject: Injector, anybodys: Path) -> None:
    work = anybodys / "work"
    words = SCENARIOS[name].prepare(work)
    for path in [work, *work.rglob("*")]:
        path.chmod(0o777)
    (work / "b").chmod(0)
    before = snapshot(work)
    assert f"image {str(work / 'b')!r}: Permission denied" in _as_nobody(inject, anybodys, *words)
    assert snapshot(work) == before


@as_root
@pytest.mark.parametrize("name", SCENARIOS)
def test_folder_that_may_not_be_written(name: str, inject: Injector, anybodys: Path) -> None:
    work = anybodys / "work"
    words = SCENARIOS[name].prepare(work)
    for path in work.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    work.chmod(0o555)
    before = snapshot(work)
    _as_nobody(inject, anybodys, *words)
    assert snapshot(work) == before
    ended = inject(*words)
    assert (ended.status, ended.err) == (0, "")


@as_root
def test_old_output_that_may_not_be_written_is_replaced_in_a_folder_that_may(inject: Injector, anybodys: Path) -> None:
    work = anybodys / "work"
    words = SCENARIOS["pack"].prepare(work)
    work.chmod(0o777)
    (work / "out").chmod(0o444)
    ended = inject(*words, uid=NOBODY, environment={"TMPDIR": str(anybodys)})
    assert (ended.status, ended.err) == (0, "")
    assert (work / "out").stat().st_uid == NOBODY


@as_root
def test_what_a_killed_process_of_somebody_else_left_is_in_nobodys_way(inject: Injector, anybodys: Path) -> None:
    work = anybodys / "work"
    words = SCENARIOS["pack"].prepare(work)
    work.chmod(0o1777)
    (work / "out").unlink()
    (work / "out.d").unlink()
    left = work / ".out.offload-0.part"
    left.write_bytes(b"half")
    ended = inject(*words, uid=NOBODY, environment={"TMPDIR": str(anybodys)})
    assert (ended.status, ended.err) == (0, "")
    assert left.read_bytes() == b"half"
    assert not left.with_name(".out.offload-1.part").exists()


@pytest.mark.parametrize("name", SCENARIOS)
def test_temporary_files_on_another_file_system(name: str, inject: Injector) -> None:
    shared = Path("/dev/shm")  # noqa: S108  # the one that is there
    if not shared.is_dir() or shared.stat().st_dev == inject.folder.stat().st_dev:
        pytest.skip("there is no other file system")
    words = SCENARIOS[name].prepare(inject.folder / "work")
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        ended = inject(*words, environment={"TMPDIR": folder}, fault=Fault(refused=("copy_file_range",)))
        assert (ended.status, ended.err) == (0, "")
        assert os.listdir(folder) == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_output_is_renamed_across_file_systems(name: str, inject: Injector) -> None:
    """The hidden file stands beside the output: a rename that fails with EXDEV is told, and nothing else is tried."""
    words = SCENARIOS[name].prepare(inject.folder / "work")
    before = snapshot(inject.folder / "work")
    ended = inject(*words, fault=Fault(action="fail", call="rename", error=EXDEV, always=True))
    assert ended.status == 1
    assert "Invalid cross-device link" in ended.err
    after = snapshot(inject.folder / "work")
    assert all(after[name] == before[name] for name in after)


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if name != "export"])
@pytest.mark.parametrize("link", ["symbolic", "hard"])
def test_output_that_is_a_link(link: str, name: str, inject: Injector) -> None:
    """It is replaced; what it led to keeps its bytes."""
    work = inject.folder / "work"
    words = SCENARIOS[name].prepare(work)
    outputs = [work / "out"] if (work / "out").exists() else sorted((work / "dir").iterdir())
    assert outputs
    kept = {}
    for number, output in enumerate(outputs):
        other = inject.folder / f"other{number}"
        output.rename(other)
        if link == "symbolic":
            output.symlink_to(other)
        else:
            output.hardlink_to(other)
        kept[other] = other.read_bytes()
    ended = inject(*words)
    assert (ended.status, ended.err) == (0, "")
    assert {path: path.read_bytes() for path in kept} == kept
    assert not any(output.is_symlink() for output in outputs)
    assert any(output.read_bytes() != content for output, content in zip(outputs, kept.values(), strict=True))


def test_hidden_name_that_is_taken_is_left_alone(inject: Injector) -> None:
    """Links and folders of somebody else under the names that a pack writes to first."""
    work = inject.folder / "work"
    words = SCENARIOS["pack if changed"].prepare(work)
    victim = inject.folder / "victim"
    victim.write_bytes(b"victim")
    (work / ".out.offload-0.part").symlink_to(victim)
    (work / ".out.offload-1.part").symlink_to(inject.folder / "nowhere")
    (work / ".out.offload-2.part").hardlink_to(victim)
    ended = inject(*words)
    assert (ended.status, ended.err) == (0, "")
    assert victim.read_bytes() == b"victim"
    assert not (inject.folder / "nowhere").exists()
    assert not (work / ".out.offload-2.part").exists(), "a file that nobody holds is taken for one left behind"


def test_every_hidden_name_taken_is_told(inject: Injector) -> None:
    work = inject.folder / "work"
    words = SCENARIOS["pack archive"].prepare(work)
    for number in range(64):
        (work / f".out.offload-{number}.part").symlink_to("nowhere")
    before = (work / "out").read_bytes()
    ended = inject(*words)
    assert ended.status == 1
    assert "64 files such as" in ended.err
    assert "remove them" in ended.err
    assert (work / "out").read_bytes() == before


def test_compiler_that_is_killed_leaves_the_old_output(inject: Injector) -> None:
    work = inject.folder / "work"
    words = SCENARIOS["embed keep"].prepare(work)
    compiler = work / "compiler"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *-c*) {peer("gcc")} "$@"; kill -9 $$;; esac\n', encoding="utf-8")
    compiler.chmod(0o755)
    before = snapshot(work)
    ended = inject(*words, "--cc", compiler)
    assert ended.status == 1
    assert "failed with status -9" in ended.err
    assert snapshot(work) == before
