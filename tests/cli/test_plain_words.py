"""Command lines read without argparse mean what they mean to argparse, and nothing that it refuses is taken."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offload_tool.cli.arguments import CommandParser
from offload_tool.cli.main import COMMANDS
from offload_tool.cli.parsers import parser_of
from offload_tool.cli.plain_words import parsed
from offload_tool.errors import UsageError

VALUES = [
    "a",
    "a.yaml",
    "-",
    "--",
    "-x",
    "",
    "8",
    "+8",
    "-1",
    "1_0",
    "a=b",
    "bash",
    "check",
    "keep",
    "targets",
    "-h",
    "--help",
]
PLAIN = {
    "pack": ["m", "-o", "out", "--incremental", "--depfile=d", "--stamp=s", "--align", "8", "-D", "a=b", "-D", "c=d"],
    "list": ["one", "--json", "two", "--select", "arch=a"],
    "extract": ["fat", "-o", "out"],
    "pick": ["fat", "--device", "sm_80"],
    "inspect": ["lib.so", "--view", "objects", "--limit", "9", "-q"],
    "mcp": [],
    "report": ["a", "-o", "out"],
    "diff": ["a", "b", "--json"],
    "verify": ["fat", "--manifest", "m.yaml", "--manifest=n.yaml"],
    "embed": ["fat", "-o", "out", "--mode", "keep", "--symbol", "s"],
    "manifest": ["check", "m.yaml", "--each"],
    "export": ["m.yaml", "-d", "folder"],
    "batch": ["packs.jsonl", "--stamp", "s", "--depfile=d"],
    "toolchain": ["--cc", "clang-22"],
    "completion": ["zsh"],
    "manual": ["pack"],
}  # fmt: skip


def _in_full(parser: CommandParser, words: list[str]) -> dict[str, Any] | None:
    try:
        return vars(parser._parsed_in_full(words))
    except (UsageError, SystemExit):
        return None


def _plainly(parser: CommandParser, words: list[str]) -> dict[str, Any] | None:
    return parsed(parser._declared, words)


@pytest.mark.parametrize("command", COMMANDS)
def test_plain_lines_are_read_without_argparse(command: str) -> None:
    parser = parser_of(command)
    found = _plainly(parser, PLAIN[command])
    assert found is not None
    assert found == _in_full(parser, PLAIN[command])


@pytest.mark.parametrize("command", COMMANDS)
def test_any_line_means_the_same_or_is_left_to_argparse(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = parser_of(command)
    names = [name for one in parser._declared if one.is_option for name in one.names]
    words = [*names, *(f"--no-{name[2:]}" for name in names), *(f"{name}=v" for name in names), *VALUES]

    @settings(max_examples=150, deadline=None)
    @given(st.lists(st.sampled_from(words), max_size=6))
    def check(line: list[str]) -> None:
        found = _plainly(parser, line)
        if found is not None:
            assert found == _in_full(parser, line), line

    check()
    capsys.readouterr()
