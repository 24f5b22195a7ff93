"""JSON text, the form of generated manifests: fast without places, and once more with places if there is a fault."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from json.decoder import scanstring  # type: ignore[attr-defined]

from ..limits import MANIFEST_DEPTH
from .tree import Mapping, Node, Plain, RepeatedKeys, Scalar, Sequence, TextFault, repeated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["parse_json", "parse_json_plain"]


def parse_json_plain(text: str) -> Plain:
    """The plain form, numbers kept as text; raises TextFault with line and column."""
    try:
        plain: Plain = json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_mapping)
    except json.JSONDecodeError as error:
        raise TextFault(f"no valid JSON: {error.msg}", error.lineno, error.colno) from None
    except RecursionError:
        raise TextFault(f"nested deeper than {MANIFEST_DEPTH} levels", *_first_too_deep(text)) from None
    return plain


def parse_json(text: str) -> Node:
    """The node form of text that ``parse_json_plain`` took, so only places are left to find."""
    return _Places(text).node()


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Plain]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    marked = RepeatedKeys(result)
    marked.repeated = repeated(key for key, _ in pairs)
    return marked


def _first_too_deep(text: str) -> tuple[int, int]:
    """Line and column of the first bracket that opens a level too many."""
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match.group(), 0)
        if depth > MANIFEST_DEPTH:
            before = text[: match.start()]
            return before.count("\n") + 1, match.start() - before.rfind("\n")
    return 1, 1


class _Places:
    """A cursor over valid JSON that keeps line and column of every value."""

    _SPACE = re.compile(r"[ \t\r\n,:]*")
    _WORD = re.compile(r"[^\s,:\]}]+")

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def node(self, depth: int = 0) -> Node:
        self._skip()
        line, column = self._place()
        if depth > MANIFEST_DEPTH:
            raise TextFault(f"nested deeper than {MANIFEST_DEPTH} levels", line, column)
        opening = self._text[self._position]
        if opening == "{":
            return self._pairs(Mapping(line=line, column=column), depth)
        if opening == "[":
            return self._items(Sequence(line=line, column=column), depth)
        return self._scalar(opening, line, column)

    def _pairs(self, mapping: Mapping, depth: int) -> Mapping:
        self._position += 1
        while not self._at_end_of("}"):
            self._skip()
            key = self._scalar('"', *self._place())
            mapping.pairs.append((key, self.node(depth + 1)))
        return mapping

    def _items(self, sequence: Sequence, depth: int) -> Sequence:
        self._position += 1
        while not self._at_end_of("]"):
            sequence.items.append(self.node(depth + 1))
        return sequence

    def _scalar(self, opening: str, line: int, column: int) -> Scalar:
        start = self._position
        text = self._word(opening)
        quote = 1 if opening == '"' else 0
        lead = quote if self._position - start == len(text) + 2 * quote else None
        return Scalar(text=text, plain=not quote, line=line, column=column, lead=lead)

    def _word(self, opening: str) -> str:
        if opening == '"':
            text, self._position = scanstring(self._text, self._position + 1, True)
            return str(text)
        match = self._WORD.match(self._text, self._position)
        assert match is not None, "the text was parsed before"
        self._position = match.end()
        return match.group()

    def _at_end_of(self, closing: str) -> bool:
        self._skip()
        found = self._text[self._position] == closing
        self._position += found
        return found

    def _skip(self) -> None:
        match = self._SPACE.match(self._text, self._position)
        assert match is not None, "the pattern matches nothing at all, too"
        self._position = match.end()

    def _place(self) -> tuple[int, int]:
        line = bisect_right(self._line_starts, self._position)
        return line, self._position - self._line_starts[line - 1] + 1
