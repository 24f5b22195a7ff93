"""Every command's parser as data, for what is made of them: completions and manual pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ..frozen import frozen
from .arguments import CommandParser

__all__ = ["Argument", "arguments_of", "parser_of"]


@frozen
class Argument:
    """One option, or what stands without one (``names`` is empty then).

    ``value`` is what stands for its value, empty where it takes none; ``choices`` are all values there are, if the
    parser knows them.
    """

    names: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    help: str
    is_repeated: bool


def parser_of(command: str) -> CommandParser:
    """The parser of a command; its module is loaded."""
    module: Any = import_module(f".{command}_command", __package__)
    parser: CommandParser = module.command_parser()
    return parser


def arguments_of(parser: CommandParser) -> Iterator[Argument]:
    """What a parser takes, in the order in which it was told so, ``--help`` first."""
    for action in parser.of_argparse()._actions:  # noqa: SLF001 - argparse has no other way to them
        takes = action.nargs != 0
        yield Argument(
            names=tuple(action.option_strings),
            value=str(action.metavar or action.dest.upper()) if takes else "",
            choices=tuple(map(str, action.choices or ())),
            help=_help_of(action),
            is_repeated=action.nargs in ("*", "+") or type(action).__name__ == "_AppendAction",
        )


def _help_of(action: argparse.Action) -> str:
    """The text without what argparse fills in; this program's own texts have no such."""
    text = action.help or ""
    return "" if text == argparse.SUPPRESS else text
