"""SIGKILL at 200 random moments: whole outputs, and a next run that is right and leaves nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from .injecting import Fault, Injector
from .scenarios import RECORD, SCENARIOS, Scenario, snapshot

SEED = 6
LEFT = (".part", ".offload-part")
"""How the names of hidden files end that a killed process may leave beside an output."""


def check_whole(scenario: Scenario, old: dict[str, bytes], new: dict[str, bytes], found: dict[str, bytes]) -> None:
    """Every output has its old or its new bytes; those that are new need not be there yet."""
    for name in {*old, *new}:
        allowed = [contents[name] for contents in (old, new) if name in contents]
        may_lack = name not in old or (scenario.may_vanish and name in ("out", RECORD))
        assert found.get(name, b"" if may_lack else None) in ([*allowed, b""] if may_lack else allowed), name


def check_next_run(inject: Injector, words: list[str], folder: Path, new: dict[str, bytes]) -> None:
    again = inject(*words)
    assert (again.status, again.err) == (0, "")
    assert snapshot(folder) == new, "the next build is right, and what was left is gone"


@pytest.mark.parametrize("name", SCENARIOS)
def test_g19_killed_at_a_random_moment(name: str, inject: Injector) -> None:
    scenario, folder = SCENARIOS[name], inject.folder / "work"
    words = scenario.prepare(folder)
    old = snapshot(folder)
    whole = inject(*words)
    assert whole.status == 0, whole.err
    new = snapshot(folder)
    assert new != old
    moments = random.Random(f"{SEED} {name}").sample(range(whole.calls), min(scenario.kills, whole.calls))
    moments += [whole.calls - 1] * (scenario.kills - len(moments))
    for moment in moments:
        words = scenario.prepare(folder)
        assert snapshot(folder) == old
        killed = inject(*words, fault=Fault(action="kill", at=moment))
        assert killed.status == -9, killed.err
        found = snapshot(folder)
        check_whole(scenario, old, new, found)
        assert all(extra.endswith(LEFT) for extra in {*found} - {*old, *new})
        check_next_run(inject, words, folder, new)
