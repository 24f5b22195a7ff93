"""``python -m bench``: every benchmark, or those named by ``--only``; prints the table.

Exit status: 0 done; 1 a benchmark could not be run; 2 wrong use.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from offload_tool.version import __version__

from . import building, inspecting, listing, packing
from .case import BenchError, Benchmark, Contender, Workplace
from .environment import settle_environment
from .inputs import console_script
from .picture import picture
from .report import not_measured, summary, table, told_short, with_run
from .running import measure, once, unmeasured
from .tools import machine, versions

BENCHMARKS: tuple[Benchmark, ...] = (
    *packing.BENCHMARKS, *listing.BENCHMARKS, *inspecting.BENCHMARKS, *building.BENCHMARKS
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line; gives its exit status."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))  # so that the inputs are removed
    if options.list:
        for benchmark in BENCHMARKS:
            print(f"{benchmark.name:<22}{benchmark.work}{_aims(benchmark)}")
        return 0
    try:
        report = _read(options.read) if options.read else _measured(options)
        _deliver(report, options)
    except BenchError as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 1
    return 1 if any(row["failed"] for row in report["benchmarks"]) else 0


def _deliver(report: dict[str, Any], options: argparse.Namespace) -> None:
    if options.picture:
        _write(options.picture, picture(report))
    if options.document:
        _into_document(options.document, report)
    if not options.picture and not options.document:
        print(f"{summary(report)}\n\n{table(report)}\n{not_measured(report)}", end="")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measures offload_tool beside the native tools."
    )
    parser.add_argument("--list", action="store_true", help="the benchmarks and what is aimed at")
    parser.add_argument(
        "--only", action="append", metavar="NAME", choices=[one.name for one in BENCHMARKS], help="may be given again"
    )
    parser.add_argument("--rounds", type=_at_least_one, default=7, metavar="N", help="rounds of everybody in turn (7)")
    parser.add_argument("--scale", choices=("full", "small"), default="full", help="small: all of it in a minute")
    parser.add_argument("--json", metavar="FILE", help="write the report, with every single figure, as JSON")
    parser.add_argument("--library", metavar="PATH", help="the CUDA library to inspect")
    parser.add_argument("--download", action="store_true", help="fetch that library from PyPI into the user's cache")
    parser.add_argument("--folder", metavar="DIR", help="where inputs are made, for a while; 4 GiB at full scale")
    parser.add_argument("--from", dest="read", metavar="FILE", help="measure nothing: the report of an earlier --json")
    parser.add_argument("--picture", metavar="FILE", help="write the report as SVG instead of printing it")
    parser.add_argument("--document", metavar="FILE", help="put it between the marks of FILE instead of printing it")
    return parser


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _aims(benchmark: Benchmark) -> str:
    aims = [f"<= {ratio:g} x {peer}" for peer, ratio in benchmark.targets.items()]
    if benchmark.memory_mib is not None:
        aims.append(f"<= {benchmark.memory_mib} MiB")
    return f" ({', '.join(aims)})" if aims else ""


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    library = inspecting.library(options.library, download=options.download)
    chosen = [one for one in BENCHMARKS if not options.only or one.name in options.only]
    folder = tempfile.mkdtemp(prefix="offload-bench-", dir=options.folder)
    try:
        settle_environment(folder)
        scripts = {
            "offload_tool": console_script(folder, "offload-tool", "main"),
            "llvm_offload_binary": console_script(folder, "llvm-offload-binary", "offload_binary"),
        }
        report = _empty_report(options, folder)
        for one in chosen:
            place = Workplace(
                folder=os.path.join(folder, one.name), is_small=options.scale == "small", library=library, **scripts
            )
            report["benchmarks"].append(_row(one, place, options.rounds))
            print(f"{one.name}: {told_short(report['benchmarks'][-1])}", file=sys.stderr, flush=True)
            if options.json:  # so that what was measured stays if the rest is broken off
                _write(options.json, json.dumps(report, indent=1) + "\n")
    finally:
        shutil.rmtree(folder)
    return report


def _empty_report(options: argparse.Namespace, folder: str) -> dict[str, Any]:
    nothing = Contender(name="nothing", command=(shutil.which("true") or "/bin/true",))
    return {
        "date": dt.datetime.now(dt.timezone.utc).date().isoformat(),
        "offload_tool": __version__,
        "scale": options.scale,
        "rounds": options.rounds,
        "machine": machine(),
        "versions": versions(),
        "floor_mib": round(once(nothing, folder, folder).peak_mib, 1),
        "benchmarks": [],
    }


def _row(benchmark: Benchmark, place: Workplace, rounds: int) -> dict[str, Any]:
    try:
        return measure(benchmark, place, rounds)
    except (BenchError, subprocess.CalledProcessError, OSError) as error:
        return unmeasured(benchmark, failed=str(error))


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            report: dict[str, Any] = json.load(file)
    except (OSError, ValueError) as error:
        raise BenchError(f"{path!r} is no report of --json: {error}") from None
    return report


def _into_document(path: str, report: dict[str, Any]) -> None:
    with open(path, encoding="utf-8") as file:
        text = with_run(file.read(), report)
    if text is None:
        raise BenchError(f"{path!r} has no marks '<!-- run -->' and '<!-- end of run -->' with a line end behind each")
    _write(path, text)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    raise SystemExit(main())
