"""The line of a fault and the caret below it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from offload_tool.cli.printing import printable_line
from offload_tool.errors import Fault
from offload_tool.manifest.excerpt import excerpts

from .fault_cases import CASES
from .reading import MARK, faults_of, places


def excerpt(path: Path, line: int, column: int) -> str:
    return excerpts([Fault(file=str(path), line=line, column=column, message="m")], printable_line)[0]


@pytest.mark.parametrize("name", CASES)
def test_caret_stands_below_the_place(name: str, tmp_path: Path) -> None:
    marked = CASES[name].yaml
    faults = faults_of(tmp_path, marked.replace(MARK, ""))
    for told, (line, column) in zip(excerpts(faults, printable_line), places(marked), strict=True):
        source, caret = told.split("\n")
        rest = marked.replace(MARK, "").split("\n")[line - 1][column - 1 :]
        assert source[caret.index("^") :] == printable_line(rest)


def test_tabs_and_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("\ta\x1b: b\n", encoding="utf-8")
    assert excerpt(path, 1, 5) == "   a\\x1b: b\n         ^"


def test_long_line_is_shown_around_the_place(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text("a" * 1000 + "X" + "b" * 1000, encoding="utf-8")
    source, caret = excerpt(path, 1, 1001).split("\n")
    assert source[caret.index("^")] == "X"
    assert len(source) < 120
    assert source.startswith("  ...a")
    assert source.endswith("b...")


def test_end_of_a_line_and_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("a: b\r\n", encoding="utf-8")
    assert excerpt(path, 1, 5) == "  a: b\n      ^"
    assert excerpt(path, 2, 1) == "  \n  ^"
    assert excerpt(path, 9, 1) == ""


@pytest.mark.parametrize("content", [b"a\rb", b"\xff", "a\u2028b".encode()], ids=repr)
def test_text_whose_lines_are_not_sure(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_bytes(content)
    assert excerpt(tmp_path / "m.yaml", 1, 1) == ""


def test_file_that_is_gone_and_pipe_that_was_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert excerpt(tmp_path / "none", 1, 1) == excerpt(tmp_path / "pipe", 1, 1) == ""
