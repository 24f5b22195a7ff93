"""A command line as LLVM's option library reads it, with its messages.

One dash or two; ``--name=value`` or ``--name value``; ``--`` ends the options.  What is not known is said with the
nearest option there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

__all__ = ["Given", "Option", "edit_distance", "parse"]

_BOOLEANS = {"": True, "true": True, "TRUE": True, "True": True, "1": True}
_NEGATIONS = {"false": False, "FALSE": False, "False": False, "0": False}


class Option(Enum):
    """What an option does with a value: needs one, may have one (``FLAG``), or takes none and acts at once."""

    VALUE = "value"
    FLAG = "flag"
    ACTION = "action"


class Given:
    """What a command line says: values by option name, files, and an action to take instead of all else.

    ``faults`` are the messages, without the program's name, for which nothing is to be done.
    """

    __slots__ = ("action", "faults", "files", "flags", "values")

    def __init__(self) -> None:
        self.values: dict[str, list[str]] = {}
        self.flags: dict[str, bool] = {}
        self.files: list[str] = []
        self.action: str | None = None
        self.faults: list[str] = []


def parse(words: Sequence[str], options: Mapping[str, Option], argv0: str) -> Given:
    """Reads ``words``, in which response files are expanded already."""
    given = Given()
    rest = iter(words)
    for word in rest:
        if word == "--":
            given.files += rest
        elif len(word) < 2 or not word.startswith("-"):
            given.files.append(word)
        else:
            _option(word, rest, options, given, argv0)
        if given.action is not None:
            break
    return given


def _option(word: str, rest: Iterator[str], options: Mapping[str, Option], given: Given, argv0: str) -> None:
    name, equals, value = (word[2:] if word.startswith("--") else word[1:]).partition("=")
    kind = options.get(name)
    if kind is None:
        given.faults += _unknown(word, name, options, argv0)
    elif kind is Option.ACTION:
        if equals:
            given.faults.append(f"for the {_dashed(name)} option: does not allow a value! '{value}' specified.")
        else:
            given.action = name
    elif kind is Option.FLAG:
        _flag(name, value, given)
    else:
        _value(name, value if equals else next(rest, None), given)


def _flag(name: str, value: str, given: Given) -> None:
    if value in _BOOLEANS or value in _NEGATIONS:
        given.flags[name] = value in _BOOLEANS
    else:
        what = f"'{value}' is invalid value for boolean argument! Try 0 or 1"
        given.faults.append(f"for the {_dashed(name)} option: {what}")


def _value(name: str, value: str | None, given: Given) -> None:
    if value is None:
        given.faults.append(f"for the {_dashed(name)} option: requires a value!")
    else:
        given.values.setdefault(name, []).append(value)


def _unknown(word: str, name: str, options: Mapping[str, Option], argv0: str) -> list[str]:
    faults = []
    if name[:1] in options and options[name[:1]] is Option.VALUE:
        faults.append(f"for the -{name[0]} option: may not occur within a group!")
    faults.append(f"Unknown command line argument '{word}'.  Try: '{argv0} --help'")
    argument = word[2:] if word.startswith("--") else word[1:]
    if argument:
        faults.append(f"Did you mean '{_nearest(argument, options)}'?")
    return faults


def _nearest(argument: str, options: Mapping[str, Option]) -> str:
    name, _, value = argument.partition("=")

    def distance(option: str) -> int:
        return edit_distance(option, argument if options[option] is Option.ACTION else name)

    best = min(options, key=distance)
    return _dashed(f"{best}={value}" if value and options[best] is not Option.ACTION else best)


def edit_distance(one: str, other: str) -> int:
    """The number of characters to insert, delete or replace to make one text of the other.

    >>> edit_distance("imag", "image")
    1
    """
    row = list(range(len(other) + 1))
    for count, character in enumerate(one, 1):
        corner, row[0] = row[0], count
        for index, wanted in enumerate(other, 1):
            best = min(row[index] + 1, row[index - 1] + 1, corner + (character != wanted))
            corner, row[index] = row[index], best
    return row[-1]


def _dashed(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name}"
