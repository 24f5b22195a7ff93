"""The report as a table in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

__all__ = ["not_measured", "summary", "table", "told_short", "with_run"]

_BEGIN, _END = "<!-- run -->\n", "<!-- end of run -->\n"

_HEAD = (
    "work", "against", "wall", "target", "met", "ours", "theirs", "memory", "peak ours", "peak theirs"
)  # fmt: skip
_RIGHT = frozenset(_HEAD[2:]) - {"met"}


def table(report: dict[str, Any]) -> str:
    """A row for each benchmark and peer: ratios as median (least to most), seconds and MiB as medians."""
    rows = [row for benchmark in report["benchmarks"] for row in _rows(benchmark)]
    widths = [max(len(row[column]) for row in [_HEAD, *rows]) for column in range(len(_HEAD))]
    rule = tuple(
        "-" * (width - 1) + ":" if name in _RIGHT else "-" * width for name, width in zip(_HEAD, widths, strict=True)
    )
    return "\n".join(_line(row, widths) for row in [_HEAD, rule, *rows])


def summary(report: dict[str, Any]) -> str:
    """What was measured, where and when, and what is missing."""
    machine, versions = report["machine"], report["versions"]
    lines = [
        f"{report['date']}, offload_tool {report['offload_tool']}, scale {report['scale']}, {report['rounds']} rounds",
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}",
        *(f"{name}: {version}" for name, version in versions.items()),
        f"A peak below {report['floor_mib']:.0f} MiB cannot be told: that is what the launcher itself holds.",
    ]
    return "\n".join(lines)


def told_short(row: dict[str, Any]) -> str:
    """The wall ratios of one benchmark, or why there are none."""
    if row["failed"] or row["missing"]:
        return str(row["failed"] or row["missing"])
    ratios = [
        f"{_spread(peer['wall_ratio'])} x {peer['name']}" if "wall_ratio" in peer else f"{peer['name']} is missing"
        for peer in row["peers"]
    ]
    return ", ".join(ratios)


def with_run(document: str, report: dict[str, Any]) -> str | None:
    """``document`` with this report between its two marks, in place of the one that is there; None without marks."""
    before, begin, rest = document.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        return None
    lines = "".join(f"- {line}\n" for line in summary(report).splitlines())
    return f"{before}{_BEGIN}{lines}\n{table(report)}\n{not_measured(report)}{end}{after}"


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    padded = [
        cell.rjust(width) if name in _RIGHT else cell.ljust(width)
        for name, cell, width in zip(_HEAD, cells, widths, strict=True)
    ]
    return f"| {' | '.join(padded)} |"


def not_measured(report: dict[str, Any]) -> str:
    """A line for each row or peer that is missing: what to install, or what went wrong."""
    told = [(row["work"], row["failed"] or row["missing"]) for row in report["benchmarks"]]
    told += [
        (f"{row['work']}, against {peer['name']}", peer["missing"])
        for row in report["benchmarks"]
        for peer in row["peers"]
    ]
    return "".join(f"\nnot measured: {what}: {why}\n" for what, why in told if why)


def _rows(benchmark: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for peer in benchmark["peers"]:
        if "wall_ratio" in peer:
            yield _cells(benchmark, peer)


def _cells(benchmark: dict[str, Any], peer: dict[str, Any]) -> tuple[str, ...]:
    ours, limit = benchmark["ours"], benchmark["memory_limit_mib"]
    met = [] if peer["met"] is None else [_yes(peer["met"])]
    met += [] if benchmark["memory_met"] is None else [f"({_yes(benchmark['memory_met'])})"]
    target = [] if peer["target"] is None else [f"{peer['target']:g}"]
    target += [] if limit is None else [f"({limit} MiB)"]
    return (
        benchmark["work"],
        peer["name"],
        _spread(peer["wall_ratio"]),
        " ".join(target),
        " ".join(met),
        _seconds(ours["wall_s"]),
        _seconds(peer["wall_s"]),
        _spread(peer["memory_ratio"]),
        _mib(ours["peak_mib"]),
        _mib(peer["peak_mib"]),
    )


def _yes(met: bool) -> str:
    return "yes" if met else "no"


def _spread(ratio: dict[str, float]) -> str:
    return f"{ratio['median']:.3g} ({ratio['least']:.3g} to {ratio['most']:.3g})"


def _seconds(values: list[float]) -> str:
    return f"{statistics.median(values):.3f} s"


def _mib(values: list[float]) -> str:
    return f"{statistics.median(values):.0f} MiB"
