"""Declarations as a parser of argparse: for help, for faults, and for whatever is not plainly right."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any, NoReturn

from ..errors import UsageError
from .plain_words import EITHER, Declared

__all__ = ["full_parser"]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """What the command line got wrong, as this program's own error."""
        raise UsageError(f"{message}; see {self.prog} --help")


def full_parser(prog: str, description: str, example: str, declared: Iterable[Declared]) -> argparse.ArgumentParser:
    """The parser that takes what ``declared`` says, under the titles that stand there."""
    parser = _Parser(prog=prog, description=description, epilog=f"example: {example}", allow_abbrev=False)
    groups: dict[str, Any] = {"": parser}
    for one in declared:
        if one.group not in groups:
            groups[one.group] = parser.add_argument_group(one.group)
        how = one.how if one.how.get("action") != EITHER else {**one.how, "action": argparse.BooleanOptionalAction}
        groups[one.group].add_argument(*one.names, **how)
    return parser
