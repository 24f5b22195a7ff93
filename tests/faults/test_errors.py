"""A call that fails: one line with the cause, whole outputs, nothing left, and a next run that is right."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from errno import EACCES, EDQUOT, EFBIG, EINTR, EIO, EMFILE, ENOLCK, ENOSPC, EXDEV

import pytest

from .injecting import KERNEL_COPIES, Fault, Injector, faults_told
from .scenarios import RECORD, SCENARIOS, Scenario, snapshot
from .test_killed import check_next_run, check_whole

SEED = 6
ERRORS = {
    "open": (EIO, EMFILE, EACCES),
    "read": (EIO,),
    "pread": (EIO,),
    "write": (ENOSPC, EIO, EFBIG),
    "pwrite": (ENOSPC, EIO),
    "copy_file_range": (ENOSPC, EIO, EDQUOT, EXDEV),
    "sendfile": (ENOSPC, EIO),
    "fsync": (EIO,),
    "rename": (EIO, EACCES),
    "unlink": (EIO,),
    "ftruncate": (EIO, ENOSPC),
    "close": (EIO, EDQUOT),
    "flock": (ENOLCK,),
}
NOT_MADE_AGAIN = ("close", "rename", "unlink")
"""A signal cannot interrupt these on local file systems; where one does, it is an error as any other."""
CLEANING = ("unlink", "open")
"""Where one of these fails as something is removed, it stays for the next run to remove."""
WAYS = {"copy_file_range": (), "sendfile": KERNEL_COPIES[:1], "read and write": KERNEL_COPIES}
FEW, MANY = 4, 45
"""So many faults of each scenario and way are tried in the short run, and in the long one; other ones."""


def _faults(counts: dict[str, int], refused: tuple[str, ...]) -> Iterator[Fault]:
    for call, errors in ERRORS.items():
        for at in range(0 if call in refused else counts[call]):
            for error in errors:
                yield Fault(action="fail", call=call, at=at, error=error, refused=refused)
            yield Fault(action="fail", call=call, at=at, error=EINTR, refused=refused)
            if call in ("write", "pwrite", *KERNEL_COPIES):
                yield Fault(action="short", call=call, at=at, refused=refused)


def _check(scenario: Scenario, inject: Injector, fault: Fault, old: dict[str, bytes], new: dict[str, bytes]) -> int:
    folder = inject.folder / "work"
    words = scenario.prepare(folder)
    ended = inject(*words, fault=fault)
    what = f"{fault}\n{ended.err}"
    found = snapshot(folder)
    assert ended.status in (0, 1), what
    assert "Traceback" not in ended.err, what
    if ended.status == 1:
        assert faults_told(ended.err) == 1, what
        assert os.strerror(fault.error) in ended.err, what
    assert fault.error != EINTR or fault.call in NOT_MADE_AGAIN or ended.status == 0, what
    extra = {*found} - {*old, *new}
    assert not extra or (fault.call in CLEANING and all(".part" in name for name in extra)), what
    if ended.status == 0:
        assert {**found, RECORD: b""}.items() >= {**new, RECORD: b""}.items(), what
    check_whole(scenario, old, new, found)
    check_next_run(inject, words, folder, new)
    return ended.status


def _run(name: str, way: str, inject: Injector, most: int) -> None:
    scenario, folder, refused = SCENARIOS[name], inject.folder / "work", WAYS[way]
    words = scenario.prepare(folder)
    old = snapshot(folder)
    whole = inject(*words, fault=Fault(refused=refused))
    assert whole.status == 0, whole.err
    new = snapshot(folder)
    faults = list(_faults(whole.counts, refused))
    if len(faults) > most:
        faults = random.Random(f"{SEED} {name} {way} {most}").sample(faults, most)
    statuses = [_check(scenario, inject, fault, old, new) for fault in faults]
    assert most < MANY or {0, 1} <= {*statuses}, "some faults are met, some are got over"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if not scenario.is_slow])
def test_some_of_the_calls_fail(name: str, way: str, inject: Injector) -> None:
    _run(name, way, inject, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_many_of_the_calls_fail(name: str, way: str, inject: Injector) -> None:
    _run(name, way, inject, MANY)
