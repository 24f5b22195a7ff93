from __future__ import annotations

from pathlib import Path

import pytest

from .packing import Packing


@pytest.fixture
def packing(tmp_path: Path) -> Packing:
    """Three images, not packed yet."""
    packing = Packing(tmp_path)
    for index, letter in enumerate("abc"):
        packing.add(letter, letter.encode() * 1000, arch=f"sm_{index}0")
    return packing


@pytest.fixture
def packed(packing: Packing) -> Packing:
    """The same, packed once."""
    packing.agrees()
    return packing
