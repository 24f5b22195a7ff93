"""Command lines that are plainly right, read from the declarations of a command without argparse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["EITHER", "Declared", "parsed"]

EITHER = "either"
"""The action of an option that also comes with ``no-`` before its name: argparse's BooleanOptionalAction."""

_FLAGS = {"store_true": True, "store_false": False, EITHER: True}
_SEVERAL = ("*", "+")


class _NotPlain(Exception):  # noqa: N818 - it never leaves this file
    """The words are for argparse."""


@frozen
class Declared:
    """One option, or what stands without one: its names and what argparse is told of it."""

    names: tuple[str, ...]
    how: dict[str, Any]
    group: str

    @property
    def is_option(self) -> bool:
        """Whether it begins with a dash."""
        return self.names[0].startswith("-")

    @property
    def dest(self) -> str:
        """The attribute that holds it, named after the first long option."""
        named = next((name for name in self.names if name.startswith("--")), self.names[0])
        return str(self.how.get("dest") or named.lstrip("-").replace("-", "_"))


def parsed(declared: Sequence[Declared], words: Sequence[str]) -> dict[str, Any] | None:
    """Every value by its attribute; None where argparse has to look, as for every fault."""
    try:
        return _Reading(declared).read(iter(words))
    except _NotPlain:
        return None


class _Reading:
    def __init__(self, declared: Sequence[Declared]) -> None:
        self._declared = declared
        self._options = {name: one for one in declared if one.is_option for name in one.names}
        self._found = {one.dest: _default(one) for one in declared}
        self._given: set[str] = set()

    def read(self, words: Iterator[str]) -> dict[str, Any]:
        files: list[str] = []
        for word in words:
            if word.startswith("-") and word != "-":
                self._option(word, words)
            else:
                files.append(word)
        self._files(files)
        if any(one.how.get("required") and one.dest not in self._given for one in self._declared):
            raise _NotPlain
        return self._found

    def _option(self, word: str, words: Iterator[str]) -> None:
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        one = self._options.get(name)
        if one is None and name.startswith("--no-"):
            one = self._options.get(f"--{name[5:]}")
            if one is None or equals or one.how.get("action") != EITHER:
                raise _NotPlain
            self._found[one.dest] = False
        elif one is None:
            raise _NotPlain
        elif one.how.get("action") in _FLAGS:
            if equals:
                raise _NotPlain
            self._found[one.dest] = _FLAGS[one.how["action"]]
        else:
            self._take(one, value if equals else next(words, ""))

    def _take(self, one: Declared, text: str) -> None:
        if not text or (text.startswith("-") and text != "-"):
            raise _NotPlain
        value = _converted(one, text)
        if one.how.get("action") == "append":
            self._found[one.dest] = [*self._found[one.dest], value]
        else:
            self._found[one.dest] = value
        self._given.add(one.dest)

    def _files(self, files: list[str]) -> None:
        """What stands without an option: one each, the last declaration may take several or none."""
        for one in self._declared:
            if one.is_option:
                continue
            count = one.how.get("nargs")
            if count in _SEVERAL:
                self._found[one.dest] = [_converted(one, file) for file in files]
                files, missing = [], count == "+" and not files
            elif files:
                self._found[one.dest] = _converted(one, files[0])
                files, missing = files[1:], False
            else:
                missing = count != "?"
            if missing:
                raise _NotPlain
        if files:
            raise _NotPlain


def _default(one: Declared) -> Any:
    action = one.how.get("action")
    return one.how.get("default", action == "store_false" if action in ("store_true", "store_false") else None)


def _converted(one: Declared, text: str) -> Any:
    if text not in one.how.get("choices", (text,)):
        raise _NotPlain
    if one.how.get("type") is None:
        return text
    if one.how["type"] is int and text.isascii() and text.isdigit():
        return int(text)
    raise _NotPlain
