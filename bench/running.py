"""Runs contenders in turn, several rounds, and reckons the ratios of each round."""

from __future__ import annotations

import filecmp
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .case import OURS, BenchError, Benchmark, Case, Contender, Missing, Workplace

__all__ = ["Cost", "measure", "once", "unmeasured"]

_LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launcher.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one run of a command cost: seconds, and the most memory of its largest process."""

    wall: float
    processor: float
    peak_mib: float


def once(contender: Contender, folder: str, scratch: str) -> Cost:
    """Runs one contender in ``folder``; raises BenchError with what it said if it fails."""
    contender.before()
    report, said = os.path.join(scratch, "cost"), os.path.join(scratch, "said")
    with open(said, "wb") as errors:
        subprocess.run(
            [sys.executable, "-I", "-S", _LAUNCHER, report, *contender.command],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, check=True,
        )  # fmt: skip
    with open(report, encoding="ascii") as file:
        status, wall, processor, peak = file.read().split()
    if status != "0":
        with open(said, encoding="utf-8", errors="replace") as file:
            words = " ".join(file.read(2000).split()) or "it said nothing on stderr"
        raise BenchError(f"{contender.name}: {contender.command[0]} ended with status {status}: {words}")
    return Cost(wall=int(wall) / 1e9, processor=float(processor), peak_mib=int(peak) / 1024)


def measure(benchmark: Benchmark, place: Workplace, rounds: int) -> dict[str, Any]:
    """One benchmark as a row of the report: an unmeasured run of everybody, then ``rounds`` rounds in turn."""
    os.makedirs(place.folder)
    scratch = f"{place.folder}.scratch"
    os.makedirs(scratch)
    try:
        case = benchmark.prepare(place)
        costs = _costs(case, scratch, rounds)
    finally:
        shutil.rmtree(place.folder)
        shutil.rmtree(scratch)
    return _row(benchmark, case, costs, is_small=place.is_small)


def _costs(case: Case, scratch: str, rounds: int) -> dict[str, list[Cost]]:
    if isinstance(case.ours, Missing):
        return {}
    everybody = [case.ours, *(peer for peer in case.peers if isinstance(peer, Contender))]
    for contender in everybody:
        once(contender, case.folder, scratch)
    _check_same_bytes(case.same_bytes)
    costs: dict[str, list[Cost]] = {contender.name: [] for contender in everybody}
    for _ in range(rounds):
        for contender in everybody:
            costs[contender.name].append(once(contender, case.folder, scratch))
    return costs


def _check_same_bytes(files: Sequence[str]) -> None:
    there = [file for file in files if os.path.exists(file)]
    for other in there[1:]:
        if not filecmp.cmp(there[0], other, shallow=False):
            raise BenchError(f"{there[0]} and {other} differ; expected the same bytes from both")


def unmeasured(benchmark: Benchmark, *, missing: str | None = None, failed: str | None = None) -> dict[str, Any]:
    """The row of a benchmark that could not be run, and why: something is missing, or a command failed."""
    return {
        "name": benchmark.name,
        "work": benchmark.work,
        "missing": missing,
        "failed": failed,
        "ours": None,
        "memory_limit_mib": benchmark.memory_mib,
        "memory_met": None,
        "peers": [],
    }


def _row(benchmark: Benchmark, case: Case, costs: dict[str, list[Cost]], *, is_small: bool) -> dict[str, Any]:
    if isinstance(case.ours, Missing):
        return unmeasured(benchmark, missing=case.ours.advice)
    peak = statistics.median(cost.peak_mib for cost in costs[OURS])
    limit = None if is_small else benchmark.memory_mib
    peers = [_peer(peer, benchmark.targets.get(peer.name), costs) for peer in case.peers]
    if is_small:  # the targets are for the full scale
        peers = [{**peer, "met": None} for peer in peers]
    return {
        **unmeasured(benchmark),
        "ours": _figures(costs[OURS]),
        "memory_met": None if limit is None else peak <= limit,
        "peers": peers,
    }


def _peer(peer: Contender | Missing, target: float | None, costs: dict[str, list[Cost]]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": peer.name, "missing": None, "target": target, "met": None}
    if isinstance(peer, Missing):
        return {**found, "missing": peer.advice}
    pairs = list(zip(costs[OURS], costs[peer.name], strict=True))
    wall = _spread([ours.wall / theirs.wall for ours, theirs in pairs])
    return {
        **found,
        "met": None if target is None else wall["median"] <= target,
        **_figures(costs[peer.name]),
        "wall_ratio": wall,
        "processor_ratio": _spread([ours.processor / max(theirs.processor, 1e-6) for ours, theirs in pairs]),
        "memory_ratio": _spread([ours.peak_mib / theirs.peak_mib for ours, theirs in pairs]),
    }


def _figures(costs: Sequence[Cost]) -> dict[str, Any]:
    return {
        "wall_s": [round(cost.wall, 5) for cost in costs],
        "processor_s": [round(cost.processor, 5) for cost in costs],
        "peak_mib": [round(cost.peak_mib, 1) for cost in costs],
    }


def _spread(ratios: Sequence[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(ratios), 4),
        "least": round(min(ratios), 4),
        "most": round(max(ratios), 4),
    }
