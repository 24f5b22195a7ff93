"""Every input that once broke the contract keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.contract import breach_of
from fuzz.targets import TARGETS

from ..peers import ROOT

FOUND = ROOT / "tests" / "data" / "found"
FILES = sorted(file for file in FOUND.glob("*/*") if file.is_file())


@pytest.mark.parametrize("file", FILES, ids=lambda file: "-".join(file.relative_to(FOUND).parts))
def test_contract_is_kept(file: Path) -> None:
    breach = breach_of(TARGETS[file.parent.name].check, file.read_bytes())
    assert breach is None, breach.text


def test_origins_are_told() -> None:
    told = (FOUND / "README.md").read_text(encoding="utf-8")
    assert [file.name for file in FILES if f"`{file.parent.name}/{file.name}`" not in told] == []
