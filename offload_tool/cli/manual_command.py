"""``offload-tool manual``: pages for man, made of the same text as ``--help``."""

from __future__ import annotations

from collections.abc import Iterator

from ..version import __version__
from .arguments import CommandParser
from .main import COMMANDS, PROGRAM
from .parsers import Argument, arguments_of, parser_of
from .printing import say_lines

__all__ = ["command_parser", "run"]

_STATUS = "0: done.  1: the input is at fault, or there is nothing to do what was asked with.  2: wrong use."


def run(arguments: list[str]) -> int:
    """Prints one page."""
    command = command_parser().parse(arguments).command
    say_lines("\n".join(_program() if command is None else _command(command)))
    return 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "manual",
        description="Prints a page for man: that of a command, or of the program; 'make man' in a checkout writes all.",
        example="offload-tool manual pack | man -l -",
    )
    parser.add_argument("command", nargs="?", choices=tuple(COMMANDS), metavar="COMMAND", help="the command")
    return parser


def _program() -> Iterator[str]:
    yield from _head(PROGRAM, "device images in, fat binaries out")
    yield from (".SH SYNOPSIS", f".B {_escaped(PROGRAM)}", ".I COMMAND", _escaped("..."), ".SH COMMANDS")
    for name, what in COMMANDS.items():
        yield from (".TP", f".B {_escaped(name)}", _escaped(what))
    yield from (".SH EXIT STATUS", _escaped(_STATUS), ".SH SEE ALSO")
    yield ", ".join(f"\\%\\fB{_escaped(f'{PROGRAM}-{name}')}\\fR(1)" for name in COMMANDS)


def _command(command: str) -> Iterator[str]:
    parser = parser_of(command)
    arguments = list(arguments_of(parser))
    yield from _head(f"{PROGRAM}-{command}", COMMANDS[command])
    usage = " ".join(parser.of_argparse().format_usage().removeprefix("usage: ").split())
    yield from (".SH SYNOPSIS", _escaped(usage), ".SH DESCRIPTION", _escaped(parser.description), ".SH OPTIONS")
    for one in arguments:
        if one.names or one.help:
            yield from (".TP", _name_of(one), _escaped(one.help or "."))
    # diff has its own meanings, and says so where it describes itself.
    if "Exit status" not in parser.description:
        yield from (".SH EXIT STATUS", _escaped(_STATUS))
    yield from (
        ".SH EXAMPLE",
        ".nf",
        _escaped(parser.example),
        ".fi",
        ".SH SEE ALSO",
        f"\\fB{_escaped(PROGRAM)}\\fR(1)",
    )


def _head(name: str, what: str) -> Iterator[str]:
    yield f'.TH {name.upper().replace("-", chr(92) + "-")} 1 "" "{PROGRAM} {__version__}" "User Commands"'
    yield from (".SH NAME", f"{_escaped(name)} \\- {_escaped(what)}")


def _name_of(one: Argument) -> str:
    value = f" \\fI{_escaped(one.value)}\\fR" if one.value else ""
    if not one.names:
        return value.strip()
    return ", ".join(f"\\fB{_escaped(name)}\\fR{value}" for name in one.names)


def _escaped(text: str) -> str:
    r"""Text that roff prints as it is: backslashes and hyphens escaped, no line that begins as a request does.

    >>> _escaped(".so --all")
    '\\&.so \\-\\-all'
    """
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
