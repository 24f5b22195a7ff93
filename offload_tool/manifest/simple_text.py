"""Manifests in the simple YAML that people write, read without a YAML library: to load one takes longer than to pack.

Simple is ASCII text of block mappings and lists, a pair or an item a line, whose values are words, quoted texts without
escapes, or mappings and lists in brackets that end on their line; and comments.  Of anything else, faults among it,
``parse_simple_plain`` says nothing: the library is asked then.
"""

from __future__ import annotations

import re

from ..limits import MANIFEST_DEPTH
from .tree import NULLS, Plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn, TypeAlias

    _Token: TypeAlias = tuple[str | Any, ...]
    """A bracket or comma, a key, a scalar: one of the three, the others are empty."""

__all__ = ["parse_simple_plain"]

_KEY = r"[A-Za-z_][A-Za-z0-9_-]{0,99}"
_SCALAR = r"""[A-Za-z0-9_./][A-Za-z0-9_./+-]*|~|"[ !#-\[\]-~]*"|'[ -&(-~]*'"""
_BRACKETED = r"""[\[{][ !"$-~]*[\]}]"""
_BLANKS = " *(?! )"
"""All of them: a pattern that could share blanks among its parts would try every way to do so."""
_COMMENT = r"(?:(?:^|(?<= ))\#.*)?"
_LINE = rf"({_BLANKS})(- {_BLANKS})?(?:({_KEY}):(?= |$){_BLANKS})?({_SCALAR}|{_BRACKETED})?{_BLANKS}{_COMMENT}"
_PAIR = rf" *({_KEY}): +({_SCALAR}) *[,}}]"
_FLAT = rf"\{{(?: *{_KEY}: +(?:{_SCALAR}) *,)* *{_KEY}: +(?:{_SCALAR}) *\}}"
"""A mapping in brackets that holds scalars: an image on a line, of which there may be thousands."""
_TOKEN = rf" *(?:([\[\]{{}},])|({_KEY}): +|({_SCALAR}))"
_OTHER = r"[^\n -~]"
_END = ("", "", "")
_DEPTH = MANIFEST_DEPTH // 2
"""Levels of blocks, and of brackets within them."""


class _NotSimple(Exception):  # noqa: N818 - it never leaves this file
    """The text is for the library."""


def parse_simple_plain(text: str, most: int) -> Plain:
    r"""The plain form of a simple text of at most so many values; None where the text is not simple.

    >>> parse_simple_plain("images:\n- {file: a.o, arch: ~}  # one\n", 99)
    {'images': [{'file': 'a.o', 'arch': None}]}
    """
    if len(text) > most or re.search(_OTHER, text):  # each value has a character of its own
        return None
    blocks = _Blocks()
    parts = re.compile(_LINE).fullmatch
    try:
        for line in text.split("\n"):
            indent, dash, key, value = _some(parts(line)).groups("")
            if dash or key or value:
                blocks.add(len(indent), len(dash), key, value)
    except _NotSimple:
        return None
    return blocks.root or None


def _some(found: re.Match[str] | None) -> re.Match[str]:
    return found or _give_up()


def _give_up() -> NoReturn:
    raise _NotSimple


class _Blocks:
    """Mappings and lists that are still open, each with the column of its keys or dashes."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}
        self._open: list[tuple[int, Any]] = [(0, self.root)]
        self._key: str | None = None
        """The key, of the innermost mapping, whose value has not come yet."""

    def add(self, column: int, dash: int, key: str, value: str) -> None:
        """One line; ``dash`` is the length of the dash and the blanks behind it."""
        if dash:
            holder = self._holder(column, list)
            if not key:
                holder.append(_value(value))
                return
            column += dash
            holder.append({})
            self._enter(column, holder[-1])
        if not key:
            _give_up()
        mapping = self._holder(column, dict)
        if key in mapping:
            _give_up()
        mapping[key] = _value(value)
        self._key = None if value else key

    def _holder(self, column: int, kind: type) -> Any:
        """What has its lines at ``column``: a block that is open, or begins here as the value of the line before."""
        inner, holder = self._open[-1]
        key, self._key = self._key, None
        if key is not None and (column > inner or (column == inner and kind is list)):
            holder[key] = kind()
            self._enter(column, holder[key])
        while self._open[-1][0] > column or (kind is dict and type(self._open[-1][1]) is list):
            self._open.pop()
        found, holder = self._open[-1]
        return holder if found == column and type(holder) is kind else _give_up()

    def _enter(self, column: int, holder: Any) -> None:
        if len(self._open) >= _DEPTH:
            _give_up()
        self._open.append((column, holder))


def _value(text: str) -> Any:
    if text[:1] not in ("[", "{"):
        return _scalar(text)
    if re.fullmatch(_FLAT, text):
        pairs = re.findall(_PAIR, text)
        mapping = {key: _scalar(value) for key, value in pairs}
        return mapping if len(mapping) == len(pairs) else _give_up()
    tokens = _tokens(text)
    value = _inner(next(tokens), tokens, 0)
    return _give_up() if next(tokens, None) else value


def _scalar(text: str) -> str | None:
    if text[:1] in ('"', "'"):
        return text[1:-1]
    return None if text in NULLS else text


def _tokens(text: str) -> Iterator[_Token]:
    match, end = re.compile(_TOKEN).match, 0
    while end < len(text):
        found = _some(match(text, end))
        end = found.end()
        yield found.groups("")


def _inner(token: _Token, tokens: Iterator[_Token], depth: int) -> Any:
    """The value that begins with a token."""
    mark, key, text = token
    if key or depth > _DEPTH:
        _give_up()
    if mark in ("[", "{"):
        return (_items if mark == "[" else _mapping)(tokens, depth + 1)
    return _scalar(text) if text else _give_up()


def _mapping(tokens: Iterator[_Token], depth: int) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for mark, key, _ in tokens:
        if mark == "}" and not mapping:
            return mapping
        if not key or key in mapping:
            break
        mapping[key] = _inner(next(tokens, _END), tokens, depth)
        if _is_over(tokens, "}"):
            return mapping
    _give_up()


def _items(tokens: Iterator[_Token], depth: int) -> list[Any]:
    items: list[Any] = []
    for token in tokens:
        if token[0] == "]" and not items:
            return items
        items.append(_inner(token, tokens, depth))
        if _is_over(tokens, "]"):
            return items
    _give_up()


def _is_over(tokens: Iterator[_Token], end: str) -> bool:
    mark = next(tokens, _END)[0]
    return mark == end or (mark != "," and _give_up())
