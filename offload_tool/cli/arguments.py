"""Options that several commands share, and a parser that speaks as the rest of the program does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from ..errors import UsageError

__all__ = ["CommandParser", "add_depfile_options", "add_manifest_options", "pairs"]


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose faults are UsageErrors and whose options cannot be cut short."""

    def __init__(self, command: str, *, description: str, example: str) -> None:
        super().__init__(
            prog=f"offload-tool {command}", description=description, epilog=f"example: {example}", allow_abbrev=False
        )

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        """The options, which may stand before, between and after the files."""
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


def pairs(texts: Sequence[str], option: str) -> list[tuple[str, str]]:
    """Texts ``NAME=VALUE`` as pairs; raises UsageError for one without ``=``."""
    split = [text.partition("=") for text in texts]
    for (name, equals, value), text in zip(split, texts, strict=True):
        if not name or not equals or not value:
            raise UsageError(f"{option} {text!r} is no pair; expected NAME=VALUE")
    return [(name, value) for name, _, value in split]
