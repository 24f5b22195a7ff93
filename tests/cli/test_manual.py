"""Manual pages: roff takes them without a word, and they say what ``--help`` says."""

from __future__ import annotations

import re
import subprocess

import pytest

from offload_tool.cli.main import COMMANDS
from offload_tool.cli.parsers import arguments_of, parser_of

from ..peers import offload_tool_command, peer, run


def page(*command: str) -> str:
    source = run([*offload_tool_command(), "manual", *command]).stdout
    words = [peer("groff"), "-man", "-ww", "-Tascii", "-P-cbou", "-rLL=200n"]
    done = subprocess.run(words, input=source, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_page_of_a_command_tells_all_that_help_tells(command: str) -> None:
    told = " ".join(page(command).split())
    parser = parser_of(command)
    texts = [text for one in arguments_of(parser) for text in (*one.names, one.help)]
    for text in (f"offload-tool-{command} - {COMMANDS[command]}", parser.description, parser.example, *texts):
        assert " ".join(text.split()) in told
    assert re.search(r"Exit status|EXIT STATUS", told)


def test_page_of_the_program_names_every_command() -> None:
    told = " ".join(page().split())
    assert all(f"offload-tool-{command}(1)" in told and what in told for command, what in COMMANDS.items())
