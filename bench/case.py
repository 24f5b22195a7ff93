"""What a benchmark is: one piece of work, done by us and by peers, with the ratio that is aimed at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["OURS", "BenchError", "Benchmark", "Case", "Contender", "Missing", "Scale", "Workplace"]

OURS = "offload_tool"


class BenchError(Exception):
    """A benchmark cannot be run as asked; the message is for a person."""


class Scale(NamedTuple):
    """How large the inputs of ``--scale full`` and of ``--scale small`` are."""

    full: int
    small: int


def _nothing() -> None:
    """What most contenders need before they run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One way to do the work: a command, and what has to be done before each run of it, unmeasured."""

    name: str
    command: tuple[str, ...]
    before: Callable[[], None] = _nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A peer that is not on this machine, and what to do about it."""

    name: str
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A benchmark with its inputs made: commands run in ``folder``.

    The files ``same_bytes`` must come out equal.
    """

    ours: Contender | Missing
    peers: tuple[Contender | Missing, ...]
    folder: str
    same_bytes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """Where a benchmark makes its inputs, how large, and which commands of ours it runs.

    ``offload_tool`` and ``llvm_offload_binary`` are scripts that do what the installed console scripts do.
    """

    folder: str
    is_small: bool
    offload_tool: str
    llvm_offload_binary: str
    library: str | Missing

    def sized(self, scale: Scale) -> int:
        """The number of the scale in force."""
        return scale.small if self.is_small else scale.full


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One row: ``targets`` maps a peer's name to the wall ratio aimed at, ``memory_mib`` is our most memory."""

    name: str
    work: str
    prepare: Callable[[Workplace], Case]
    targets: Mapping[str, float] = field(default_factory=dict)
    memory_mib: int | None = None
