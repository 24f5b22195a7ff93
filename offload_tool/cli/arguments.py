"""What a command line may be, and a parser that speaks as the rest of the program does.

Command lines are argparse's.  To load it and to build a parser costs more than a small command does, so a line that is
plainly right is read without it, from the same declarations: known options spelled out, each with its value, and the
files.  Anything else, faults and ``--help`` among it, is left to argparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from ..errors import UsageError
from .plain_words import Declared, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = [
    "CommandParser", "Options", "add_depfile_options", "add_manifest_options", "add_quiet_option", "pairs",
]  # fmt: skip

Options = SimpleNamespace
"""What a command line says, an attribute for each declaration."""


class CommandParser:
    """A parser whose faults are UsageErrors and whose options cannot be cut short."""

    def __init__(self, command: str, *, description: str, example: str) -> None:
        self.prog = f"offload-tool {command}"
        self.description = description
        self.example = example
        self._declared: list[Declared] = []

    def add_argument(self, *names: str, group: str = "", **how: Any) -> None:
        """As argparse has it; ``group`` is the title under which help shows it."""
        self._declared.append(Declared(names=names, how=how, group=group))

    def parse(self, arguments: list[str]) -> Options:
        """The options, which may stand before, between and after the files."""
        found = parsed(self._declared, arguments)
        return Options(**(vars(self._parsed_in_full(arguments)) if found is None else found))

    def _parsed_in_full(self, arguments: list[str]) -> argparse.Namespace:
        parser = self.of_argparse()
        if "-h" not in arguments and "--help" not in arguments:
            parser.usage = ""  # else argparse composes the whole usage first, which here only help shows
        return parser.parse_intermixed_args(arguments)

    def of_argparse(self) -> argparse.ArgumentParser:
        """The same as argparse's own."""
        from .full_parser import full_parser

        return full_parser(self.prog, self.description, self.example, self._declared)


def add_manifest_options(parser: CommandParser) -> None:
    """The options with which a manifest is read."""
    parser.add_argument("--bind", action="append", default=[], metavar="NAME=FILE", help="the file of an 'input: NAME'")
    parser.add_argument(
        "-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="a variable's value"
    )
    parser.add_argument(
        "-I", dest="search", action="append", default=[], metavar="DIR", help="where to look for included manifests"
    )


def add_depfile_options(parser: CommandParser, output: str) -> None:
    """The options that tell make and ninja what was read."""
    parser.add_argument("--depfile", metavar="FILE", help="write what was read, for make and ninja")
    parser.add_argument("--depfile-target", metavar="PATH", help=f"what the depfile calls built, if not {output}")
    parser.add_argument("--stamp", metavar="FILE", help="touch FILE after each success; the depfile calls it built")


def add_quiet_option(parser: CommandParser, *, group: str = "") -> None:
    """The option for long work that somebody watches."""
    parser.add_argument("-q", "--quiet", group=group, action="store_true", help="no progress on the terminal")


def pairs(texts: Sequence[str], option: str) -> list[tuple[str, str]]:
    """Texts ``NAME=VALUE`` as pairs; raises UsageError for one without ``=``."""
    split = [text.partition("=") for text in texts]
    for (name, equals, value), text in zip(split, texts, strict=True):
        if not name or not equals or not value:
            raise UsageError(f"{option} {text!r} is no pair; expected NAME=VALUE")
    return [(name, value) for name, _, value in split]
