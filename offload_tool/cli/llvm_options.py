"""A command line as LLVM's option library reads it, with its messages.

One dash or two; ``--name=value`` or ``--name value``; options of one letter in a group, ``-ab``; ``--`` ends the
options.  What is not known is said with the nearest option there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

__all__ = ["Given", "Option", "edit_distance", "parse"]

_BOOLEANS = {"": True, "true": True, "TRUE": True, "True": True, "1": True}
_NEGATIONS = {"false": False, "FALSE": False, "False": False, "0": False}


class Option(Enum):
    """What an option does with a value: needs one, may have one (``FLAG``), or takes none and acts at once.

    ``UNLISTED`` is a flag that LLVM's program takes but neither lists nor proposes for a word that it does not know.
    """

    VALUE = "value"
    FLAG = "flag"
    UNLISTED = "unlisted"
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
    named = {dashes + name: name for dashes in ("-", "--") for name in options if options[name] is Option.VALUE}
    rest = iter(words)
    for word in rest:
        head, equals, value = word.partition("=")
        if equals and head in named:  # what there may be thousands of
            given.values.setdefault(named[head], []).append(value)
        elif word == "--":
            given.files += rest
        elif len(word) < 2 or not word.startswith("-"):
            given.files.append(word)
        else:
            _option(word, rest, options, given, argv0)
            if given.action is not None:
                break
    return given


def _option(word: str, rest: Iterator[str], options: Mapping[str, Option], given: Given, argv0: str) -> None:
    argument = word[2:] if word.startswith("--") else word[1:]
    is_known = argument.partition("=")[0] in options
    if not is_known:
        argument, is_known = _grouped(argument, options, given)
    if is_known:
        _known(argument, rest, options, given)
    else:
        given.faults += _unknown(word, argument, options, argv0)


def _grouped(argument: str, options: Mapping[str, Option], given: Given) -> tuple[str, bool]:
    """Takes flags of one letter from the front of ``argument``; gives what is left, and whether that is an option."""
    while argument[:1] in options and argument[1:2] not in ("", "="):
        if options[argument[0]] is Option.VALUE:
            given.faults.append(f"for the -{argument[0]} option: may not occur within a group!")
            return argument[0], False
        _flag(argument[0], "", given)
        argument = argument[1:]
    return argument, argument[:1] in options


def _known(argument: str, rest: Iterator[str], options: Mapping[str, Option], given: Given) -> None:
    name, equals, value = argument.partition("=")
    kind = options[name]
    if kind is Option.VALUE:
        _value(name, value if equals else next(rest, None), given)
    elif kind is not Option.ACTION:
        _flag(name, value, given)
    elif equals:
        given.faults.append(f"for the {_dashed(name)} option: does not allow a value! '{value}' specified.")
    else:
        given.action = name


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


def _unknown(word: str, argument: str, options: Mapping[str, Option], argv0: str) -> list[str]:
    """What is said of ``word``, and the option nearest to its part ``argument``."""
    faults = [f"Unknown command line argument '{word}'.  Try: '{argv0} --help'"]
    if argument:
        faults.append(f"Did you mean '{_nearest(argument, options)}'?")
    return faults


def _nearest(argument: str, options: Mapping[str, Option]) -> str:
    name, _, value = argument.partition("=")

    def distance(option: str) -> int:
        return edit_distance(option, argument if options[option] is Option.ACTION else name)

    best = min((option for option in options if options[option] is not Option.UNLISTED), key=distance)
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
