"""Golden files of every format, changed: each is refused or read, in little time and memory, and nothing else."""

from __future__ import annotations

from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.contract import breach_of
from fuzz.mutation import CHANGES, Change, changed
from fuzz.targets import TARGETS

NUMBER = st.integers(0, (1 << 16) - 1)
CHANGE: st.SearchStrategy[Change] = st.tuples(st.sampled_from([*CHANGES, "splice"]), NUMBER, NUMBER, NUMBER)


@lru_cache(maxsize=1)
def seeds_of(name: str) -> dict[str, bytes]:
    return TARGETS[name].seeds()


@pytest.mark.parametrize("name", TARGETS)
def test_golden_files_keep_the_contract(name: str) -> None:
    for label, data in seeds_of(name).items():
        breach = breach_of(TARGETS[name].check, data)
        assert breach is None, f"{label}: {breach.text}"


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_changed_files_keep_the_contract(name: str, data: st.DataObject) -> None:
    seeds = seeds_of(name)
    one, other = (data.draw(st.sampled_from(sorted(seeds))) for _ in range(2))
    changes = data.draw(st.lists(CHANGE, min_size=1, max_size=4))
    breach = breach_of(TARGETS[name].check, changed(seeds[one], changes, seeds[other]))
    assert breach is None, breach.text


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=300))
def test_arbitrary_bytes_keep_the_contract(name: str, data: bytes) -> None:
    breach = breach_of(TARGETS[name].check, data)
    assert breach is None, breach.text
