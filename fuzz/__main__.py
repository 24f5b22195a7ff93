"""``python -m fuzz TARGET --seconds N``: fuzzes one target, or replays files; ``--all`` takes every target in turn.

Exit status: 0 every input kept the promise; 1 some did not, and lie in fuzz/found; 2 wrong use.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .contract import breach_of
from .targets import TARGETS

FOLDER = Path(__file__).resolve().parent
FOUND = FOLDER / "found"
CORPUS = FOLDER / "corpus"
_COUNT = re.compile(r"stat::number_of_executed_units: +(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run: seconds on the clock and of processor time, inputs tried, kinds of breaches found."""

    target: str
    seconds: int
    cpu_seconds: int
    executions: int
    findings: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line; gives its exit status."""
    options = _parser().parse_args(arguments)
    if options.list:
        print("\n".join(TARGETS))
        return 0
    if options.replay:
        return _replay(options.target, options.replay)
    if importlib.util.find_spec("atheris") is None:
        print("fuzz: error: the package atheris is missing; pip install 'offload-tool[fuzz]'", file=sys.stderr)
        return 2
    rows = []
    for name in TARGETS if options.all else [options.target]:
        row = _fuzz(name, options.seconds)
        print(f"{row.target:<15}{row.seconds:>6} s{row.executions:>12,} inputs{row.findings:>4} findings", flush=True)
        rows.append(asdict(row))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 1 if any(row["findings"] for row in rows) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Looks for input that readers do not stand.")
    parser.add_argument("target", nargs="?", choices=TARGETS, metavar="TARGET", default="inspection")
    parser.add_argument("replay", nargs="*", type=Path, metavar="FILE", help="look at these inputs only")
    parser.add_argument("--all", action="store_true", help="every target in turn")
    parser.add_argument("--seconds", type=int, default=180, metavar="N", help="so long a target; default 180")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    parser.add_argument("--list", action="store_true", help="the names of the targets")
    return parser


def _replay(name: str, files: Sequence[Path]) -> int:
    status = 0
    for file in files:
        breach = breach_of(TARGETS[name].check, file.read_bytes())
        print(f"{file}: {'kept' if breach is None else f'{breach.kind}: {breach.text}'}")
        status = status if breach is None else 1
    return status


def _fuzz(name: str, seconds: int) -> Row:
    """One target, in a process of its own; what it wrote down is looked at again at full speed."""
    corpus = CORPUS / name
    corpus.mkdir(parents=True, exist_ok=True)
    FOUND.mkdir(exist_ok=True)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="offload-fuzz-") as folder:
        seeds = Path(folder, "seeds")
        seeds.mkdir()
        for label, data in TARGETS[name].seeds().items():
            (seeds / label).write_bytes(data)
        said = _guided(name, seconds, seeds, corpus, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    counted = _COUNT.search(said)
    if counted is None:
        print(f"fuzz: error: {name} ended early; see {FOUND / name}.log", file=sys.stderr)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Row(
        target=name, seconds=round(time.monotonic() - began), cpu_seconds=round(spent),
        executions=int(counted[1]) if counted else 0, findings=len(_confirmed(name)) or int(counted is None),
    )  # fmt: skip


def _guided(name: str, seconds: int, seeds: Path, corpus: Path, folder: str) -> str:
    command = [sys.executable, "-m", "fuzz.guided", name, str(seconds), str(seeds), str(corpus), str(FOUND)]
    path = os.pathsep.join([str(FOLDER.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "TMPDIR": folder},
    )  # fmt: skip
    said = done.stderr.decode(errors="replace")
    (FOUND / f"{name}.log").write_text(said[-20000:], encoding="utf-8")
    return said


def _confirmed(name: str) -> list[Path]:
    """The inputs that were written down and break the contract without the counting of branches; others are removed."""
    kept = []
    for file in sorted(FOUND.glob(f"{name}-*")):
        if breach_of(TARGETS[name].check, file.read_bytes()) is None:
            file.unlink()
        else:
            kept.append(file)
    return kept


if __name__ == "__main__":
    sys.exit(main())
