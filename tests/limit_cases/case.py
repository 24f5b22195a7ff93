"""What shows that a limit holds: a small input that is taken, and refused as soon as the limit is lowered below it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from offload_tool.errors import OffloadError

from ..peers import ROOT

GPU = ROOT / "tests" / "data" / "gpu"
FUZZ = ROOT / "tests" / "data" / "fuzz"
GOLDEN = ROOT / "tests" / "data" / "offload-binary"


@dataclass(frozen=True, kw_only=True)
class Case:
    """``feed`` gives what is told of the input, or raises it; ``told`` is in it only where the limit is ``lowered``.

    ``module`` is that of the package in which the limit is asked for.
    """

    module: str
    lowered: int
    feed: Callable[[Path], object]
    told: str

    def words(self, folder: Path) -> str:
        try:
            return str(self.feed(folder))
        except OffloadError as error:
            return str(error)


def held(path: Path) -> memoryview:
    return memoryview(path.read_bytes())
