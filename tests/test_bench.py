"""The benchmarks run and report; no figure of theirs is judged here."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from .peers import PEAK_KIB, ROOT, peer, run

BENCH = [sys.executable, "-m", "bench"]
ROW = {"name", "work", "missing", "failed", "ours", "memory_limit_mib", "memory_met", "peers"}
RATIOS = {"wall_ratio", "processor_ratio", "memory_ratio"}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What one round of the smallest benchmark prints, and its JSON."""
    peer("llvm-offload-binary-22")
    file = tmp_path_factory.mktemp("bench") / "report.json"
    options = ["--only", "pack-tiny", "--rounds", "1", "--scale", "small", "--json", str(file)]
    return run([*BENCH, *options], cwd=ROOT).stdout, file


def report_of(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def test_list_names_every_benchmark_once_with_its_target() -> None:
    lines = run([*BENCH, "--list"], cwd=ROOT).stdout.splitlines()
    names = [line.split()[0] for line in lines]
    assert len(names) == len(set(names))
    assert {"pack-large", "list-large", "extract", "inspect-targets", "no-op-ninja", "build-scons"} <= set(names)
    assert "(<= 0.4 x LLVM 22, <= 2 x cp, <= 40 MiB)" in lines[names.index("pack-large")]


def test_report_has_figures_ratios_and_what_they_depend_on(measured: tuple[str, Path]) -> None:
    report = report_of(measured[1])
    assert {"date", "offload_tool", "scale", "rounds", "machine", "versions", "floor_mib", "benchmarks"} == set(report)
    assert {"python", "llvm-offload-binary-22"} <= set(report["versions"])
    (row,) = report["benchmarks"]
    assert set(row) == ROW
    assert row["failed"] is None
    (llvm,) = row["peers"]
    assert (llvm["name"], llvm["target"], llvm["met"]) == ("LLVM 22", 2.5, None)
    for ratio in RATIOS:
        assert llvm[ratio]["least"] <= llvm[ratio]["median"] <= llvm[ratio]["most"]
    assert len(llvm["wall_s"]) == len(row["ours"]["wall_s"]) == report["rounds"] == 1


def test_table_has_a_row_for_the_benchmark(measured: tuple[str, Path]) -> None:
    rows = [line for line in measured[0].splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert rows[2].startswith("| pack one tiny image by the drop-in | LLVM 22 |")
    assert len({len(row) for row in rows}) == 1


def test_picture_is_drawn_from_a_report(measured: tuple[str, Path], tmp_path: Path) -> None:
    picture = tmp_path / "speed.svg"
    run([*BENCH, "--picture", picture, "--from", measured[1]], cwd=ROOT)
    shapes = [element.tag.rpartition("}")[2] for element in ET.parse(picture).getroot().iter()]  # noqa: S314
    assert shapes.count("rect") == 1
    assert picture.read_text(encoding="utf-8").count('class="target"') == 1


def test_missing_peer_is_a_row_that_says_what_to_install(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    options = ["--only", "pack-tiny", "--rounds", "1", "--scale", "small", "--json", str(file)]
    said = run([*BENCH, *options], cwd=ROOT, env={"PATH": str(tmp_path)}).stdout
    assert "not measured: pack one tiny image by the drop-in, against LLVM 22: install the package llvm-22" in said
    (llvm,) = report_of(file)["benchmarks"][0]["peers"]
    assert llvm["missing"] == "install the package llvm-22"


def test_library_that_is_no_file() -> None:
    done = run([*BENCH, "--only", "inspect-targets", "--library", "/no/such"], cwd=ROOT, status=1)
    assert done.stderr == "bench: error: library '/no/such' is no file; expected a libcusparse.so\n"


def test_peak_is_that_of_the_command_alone(tmp_path: Path) -> None:
    code = (
        "held = bytearray(200 << 20)\n"
        "from bench.case import Contender\n"
        "from bench.running import once\n"
        f"peak = once(Contender(name='true', command=('/bin/true',)), {str(tmp_path)!r}, {str(tmp_path)!r}).peak_mib\n"
        f"print(peak, {PEAK_KIB} / 1024)"
    )
    peak, holder = map(float, run([sys.executable, "-c", code], cwd=ROOT).stdout.split())
    assert peak < 30
    assert holder >= 200


def test_command_that_fails_is_a_row_with_its_words(tmp_path: Path) -> None:
    code = (
        "from bench.case import BenchError, Contender\n"
        "from bench.running import once\n"
        "try:\n"
        f"    once(Contender(name='ls', command=('/bin/ls', '/no/such')), {str(tmp_path)!r}, {str(tmp_path)!r})\n"
        "except BenchError as error:\n"
        "    print(error)\n"
    )
    said = run([sys.executable, "-c", code], cwd=ROOT).stdout
    assert "ls: /bin/ls ended with status 2" in said
    assert "/no/such" in said


def test_document_gets_the_run_between_its_marks(measured: tuple[str, Path], tmp_path: Path) -> None:
    document = tmp_path / "speed.md"
    document.write_text("before\n<!-- run -->\nlast year\n<!-- end of run -->\nafter\n", encoding="utf-8")
    run([*BENCH, "--document", document, "--from", measured[1]], cwd=ROOT)
    text = document.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- run -->\n- ")
    assert "| pack one tiny image by the drop-in | LLVM 22 |" in text
    assert "last year" not in text
    assert text.endswith("<!-- end of run -->\nafter\n")


def test_document_without_marks_is_left_alone(measured: tuple[str, Path], tmp_path: Path) -> None:
    document = tmp_path / "speed.md"
    document.write_text("no marks\n", encoding="utf-8")
    done = run([*BENCH, "--document", document, "--from", measured[1]], cwd=ROOT, status=1)
    assert "has no marks '<!-- run -->'" in done.stderr
    assert document.read_text(encoding="utf-8") == "no marks\n"
