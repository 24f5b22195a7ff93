"""Options that several commands share, and a parser that speaks as the rest of the program does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["CommandParser", "add_depfile_options", "add_manifest_options", "add_quiet_option", "pairs"]


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose faults are UsageErrors and whose options cannot be cut short."""

    def __init__(self, command: str, *, description: str, example: str) -> None:
        self._is_told = False
        super().__init__(
            prog=f"offload-tool {command}", description=description, epilog=f"example: {example}", allow_abbrev=False
        )

    def format_help(self) -> str:
        """As argparse has it."""
        self._is_told = True
        return super().format_help()

    def format_usage(self) -> str:
        """As argparse has it."""
        self._is_told = True
        return super().format_usage()

    def _get_formatter(self) -> argparse.HelpFormatter:
        """One of any width where nothing is told: argparse asks for one at each option, and a terminal's costs much."""
        return super()._get_formatter() if self._is_told else argparse.HelpFormatter(self.prog, width=80)

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """The options, which may stand before, between and after the files."""
        if not any(word == "--help" or (word[:1] == "-" != word[1:2] and "h" in word) for word in arguments):
            self.usage = ""  # else argparse composes the whole usage first, which here only help shows
        return self.parse_intermixed_args(arguments)

    def error(self, message: str) -> NoReturn:
        """What the command line got wrong, as this program's own error."""
        raise UsageError(f"{message}; see {self.prog} --help")


def add_manifest_options(parser: argparse.ArgumentParser) -> None:
    """The options with which a manifest is read."""
    parser.add_argument("--bind", action="append", default=[], metavar="NAME=FILE", help="the file of an 'input: NAME'")
    parser.add_argument(
        "-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="a variable's value"
    )
    parser.add_argument(
        "-I", dest="search", action="append", default=[], metavar="DIR", help="where to look for included manifests"
    )


def add_depfile_options(parser: argparse.ArgumentParser, output: str) -> None:
    """The options that tell make and ninja what was read."""
    parser.add_argument("--depfile", metavar="FILE", help="write what was read, for make and ninja")
    parser.add_argument("--depfile-target", metavar="PATH", help=f"what the depfile calls built, if not {output}")
    parser.add_argument("--stamp", metavar="FILE", help="touch FILE after each success; the depfile calls it built")


def add_quiet_option(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """The option for long work that somebody watches."""
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress on the terminal")


def pairs(texts: Sequence[str], option: str) -> list[tuple[str, str]]:
    """Texts ``NAME=VALUE`` as pairs; raises UsageError for one without ``=``."""
    split = [text.partition("=") for text in texts]
    for (name, equals, value), text in zip(split, texts, strict=True):
        if not name or not equals or not value:
            raise UsageError(f"{option} {text!r} is no pair; expected NAME=VALUE")
    return [(name, value) for name, _, value in split]
