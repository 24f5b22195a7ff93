"""Images and hosts that change while they are copied: an error, never a torn image; and the old output stays."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ..peers import peer
from .injecting import KERNEL_COPIES, Fault, Injector, faults_told
from .scenarios import MANY, SCENARIOS, snapshot

WAYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "copy_file_range": ("copy_file_range", ()),
    "sendfile": ("sendfile", KERNEL_COPIES[:1]),
    "read and write": ("pread", KERNEL_COPIES),
}
SLOW = pytest.mark.slow
LONG_AGO = 1_000_000_000_000_000_000


def _rewritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"?")


def _grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def _shrunk(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 9)


def _emptied(path: Path) -> None:
    os.truncate(path, 0)


CHANGES: dict[str, Callable[[Path], None]] = {
    "rewritten": _rewritten,
    "grown": _grown,
    "shrunk": _shrunk,
    "emptied": _emptied,
}
INPUT = {"pack": "b", "pack if changed": "b", "pack zstd": "b", "pack archive": "b", "incremental": "b",
         "incremental grown": "b", "export": "b", "extract": "fat", "extract to folder": "fat",
         "extract to archive": "fat"}  # fmt: skip
"""The file that is copied, in each way to write an output that copies at all."""


def _others(folder: Path, but: str) -> dict[str, bytes]:
    return {name: content for name, content in snapshot(folder).items() if name != but}


@pytest.mark.parametrize(
    "change", ["rewritten", "shrunk", *(pytest.param(one, marks=SLOW) for one in ("grown", "emptied"))]
)
@pytest.mark.parametrize("way", ["copy_file_range", "read and write", pytest.param("sendfile", marks=SLOW)])
@pytest.mark.parametrize("name", INPUT)
def test_input_that_changes_while_it_is_copied(name: str, way: str, change: str, inject: Injector) -> None:
    """It changes right before each of the calls that copy; those from the file itself are met, whichever they are."""
    call, refused = WAYS[way]
    scenario, folder = SCENARIOS[name], inject.folder / "work"
    at, met = 0, 0
    while True:
        words = scenario.prepare(folder)
        source = folder / INPUT[name]
        os.utime(source, ns=(LONG_AGO, LONG_AGO))
        before = _others(folder, INPUT[name])
        stopped = inject(*words, fault=Fault(action="stop", call=call, at=at, refused=refused))
        if stopped.status is not None:
            break
        CHANGES[change](source)
        ended = inject.resume(stopped)
        at += 1
        after = _others(folder, INPUT[name])
        if ended.status == 0:
            continue  # every byte of this file was copied before, or none is
        met += 1
        assert faults_told(ended.err) == 1, ended.err
        assert "run again" in ended.err
        assert repr(str(source)) in ended.err
        lost = {*before} - {*after}
        assert lost <= ({"out", ".out.offload-record"} if scenario.may_vanish else set())
        assert name in ("export", "extract to folder") or all(before[name] == after[name] for name in after)
    assert met


@pytest.mark.parametrize("mode", ["link", "keep"])
@pytest.mark.parametrize("change", [*CHANGES, "gone", "replaced"])
def test_fat_binary_that_changes_while_it_is_embedded(mode: str, change: str, inject: Injector) -> None:
    """The assembler reads it: here a compiler that changes it before that."""
    folder = inject.folder / "work"
    SCENARIOS["embed keep"].prepare(folder)
    fat = folder / "fat"
    if mode == "link":
        (folder / "b.bc").write_bytes(b"BC\xc0\xde" + bytes(100))
        pack = ["pack", "--toolchain", "llvm-22", "--image", f"file={folder / 'b.bc'},triple=t,kind=openmp"]
        assert inject(*pack, "-o", fat).status == 0
    os.utime(fat, ns=(LONG_AGO, LONG_AGO))
    old = (folder / "out").read_bytes()
    edits = {
        "rewritten": f"printf '?' | dd of={fat} conv=notrunc status=none",
        "grown": f"printf more >>{fat}",
        "shrunk": f"truncate -s -9 {fat}",
        "emptied": f"truncate -s 0 {fat}",
        "gone": f"mv {fat} {fat}.moved",
        "replaced": f"cp {fat} {fat}.other && printf '?' >>{fat}.other && mv {fat}.other {fat}",
    }
    compiler = folder / "compiler"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *-c*) {edits[change]};; esac\nexec {peer("gcc")} "$@"\n')
    compiler.chmod(0o755)
    ended = inject("embed", fat, "-o", folder / "out", "--mode", mode, "--cc", compiler)
    assert ended.status == 1
    assert "changed while it was read; run again" in ended.err or change == "gone"
    assert (folder / "out").read_bytes() == old


@pytest.mark.parametrize("call", ["open", "copy_file_range"])
def test_image_that_is_replaced_meanwhile_is_whole(call: str, inject: Injector) -> None:
    """A new file takes the name: what is packed is one of the two, or nothing."""
    folder = inject.folder / "work"
    scenario = SCENARIOS["pack"]
    at = 0
    while True:
        words = scenario.prepare(folder)
        old = (folder / "out").read_bytes()
        stopped = inject(*words, fault=Fault(action="stop", call=call, at=at))
        if stopped.status is not None:
            break
        (folder / "other").write_bytes(b"X" * 3000)
        (folder / "other").rename(folder / "b")
        ended = inject.resume(stopped)
        found = (folder / "out").read_bytes()
        assert ended.status in (0, 1), ended.err
        if ended.status == 0:
            assert found in (old.replace(b"b" * 3000, byte * 3000) for byte in (b"B", b"X"))
        else:
            assert "changed while it was packed; run again" in ended.err
            assert found == old
        at += 1
    assert at > 2


@pytest.mark.parametrize("name", ["pack", "pack archive", "incremental", "export"])
def test_image_that_vanishes(name: str, inject: Injector) -> None:
    """At each call that opens a file: an error with its name, or all of it was read before."""
    folder = inject.folder / "work"
    scenario = SCENARIOS[name]
    at, told = 0, 0
    while True:
        words = scenario.prepare(folder)
        before = snapshot(folder)
        stopped = inject(*words, fault=Fault(action="stop", call="open", at=at))
        if stopped.status is not None:
            break
        (folder / "b").unlink()
        ended = inject.resume(stopped)
        after = snapshot(folder)
        if ended.status == 1:
            told += 1
            assert faults_told(ended.err) == 1
            assert f"image {str(folder / 'b')!r}: No such file or directory" in ended.err
            assert name == "export" or {**after, "b": before["b"]} == before or scenario.may_vanish
        at += 1
    assert told


@pytest.mark.parametrize("number", [0, 50, MANY - 1])
def test_one_of_many_images_that_changes_before_it_is_read(number: int, inject: Injector) -> None:
    """Small ones of many are read whole, in order, when they are looked at."""
    folder = inject.folder / "work"
    words = SCENARIOS["pack many"].prepare(folder)
    image = folder / f"k{number}"
    os.utime(image, ns=(LONG_AGO, LONG_AGO))
    before = (folder / "out").read_bytes()
    stopped = inject(*words, fault=Fault(action="stop", call="pread", at=number))
    assert stopped.status is None
    _rewritten(image)
    ended = inject.resume(stopped)
    assert ended.status == 1
    assert f"image {str(image)!r} changed while it was" in ended.err
    assert faults_told(ended.err) == 1
    assert (folder / "out").read_bytes() == before


@pytest.mark.parametrize(("size", "call"), [(3000, "pread"), (100_000, "copy_file_range")])
def test_drop_in_notices_an_image_that_changes(size: int, call: str, inject: Injector) -> None:
    """Small ones are read at once, others are copied by the kernel."""
    image = inject.folder / "k"
    image.write_bytes(b"k" * size)
    os.utime(image, ns=(LONG_AGO, LONG_AGO))
    words = ["llvm-offload-binary-22", "-o", str(inject.folder / "out"), f"--image=file={image},triple=t"]
    stopped = inject(*words, fault=Fault(action="stop", call=call))
    _grown(image)
    ended = inject.resume(stopped)
    assert (ended.status, ended.err) == (1, f"{words[0]}: error: {str(image)!r} changed while it was read; run again\n")
    assert not (inject.folder / "out").exists()
