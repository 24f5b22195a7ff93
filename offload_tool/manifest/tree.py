"""What a manifest's text says, before anyone asks whether it makes sense.

Two forms.  *Plain* is what the checks walk: dict, list, str, bool and None, scalars as written.  *Nodes* also keep
line and column; a JSON manifest gets them only when something is at fault, since reading them costs far more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Mapping", "Node", "Path", "Plain", "RepeatedKeys", "Scalar", "Sequence", "TextFault", "find", "merged", "to_plain"
]  # fmt: skip

Path: TypeAlias = tuple["str | int", ...]
Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | bool | None"

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


class RepeatedKeys(dict[str, Plain]):
    """A mapping in whose text some keys stand more than once (``repeated``); the last value of each is kept."""

    repeated: tuple[str, ...] = ()


class TextFault(Exception):  # noqa: N818 - it is raised and caught within this room
    """The text is no manifest at all: where (line and column from 1) and why."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@dataclass(slots=True, kw_only=True)
class Scalar:
    """One scalar; ``plain`` if it was written without quotes."""

    text: str
    plain: bool
    line: int
    column: int


@dataclass(slots=True, kw_only=True)
class Sequence:
    """A list of nodes."""

    items: list[Node] = field(default_factory=list)
    line: int
    column: int


@dataclass(slots=True, kw_only=True)
class Mapping:
    """Pairs of key and value in the order of the text, repeated keys and ``<<`` among them."""

    pairs: list[tuple[Scalar, Node]] = field(default_factory=list)
    line: int
    column: int


Node: TypeAlias = "Scalar | Sequence | Mapping"


def to_plain(node: Node, most: int) -> Plain:
    """The plain form; raises TextFault once more than ``most`` values came out of it or a value holds itself."""
    return _Walk(most).plain(node)


class _Walk:
    """Follows aliases, which may multiply: counts the values and knows which nodes it stands in."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._open: set[int] = set()

    def plain(self, node: Node) -> Plain:
        self._left -= 1
        if self._left < 0:
            raise TextFault(
                "too many values after following aliases; a manifest needs far fewer", node.line, node.column
            )
        if isinstance(node, Scalar):
            return None if node.plain and node.text in _NULLS else node.text
        if id(node) in self._open:
            raise TextFault("a value holds itself through an alias", node.line, node.column)
        self._open.add(id(node))
        result = self._sequence(node) if isinstance(node, Sequence) else self._mapping(node)
        self._open.discard(id(node))
        return result

    def _sequence(self, node: Sequence) -> Plain:
        return [self.plain(item) for item in node.items]

    def _mapping(self, node: Mapping) -> Plain:
        own = [(key.text, value) for key, value in node.pairs if not _is_merge(key)]
        result: dict[str, Plain] = {key: self.plain(value) for key, value in own}
        for source in merged(node):
            self.plain(source)
            for key, value in source.pairs:
                if key.text not in result and not _is_merge(key):
                    result[key.text] = self.plain(value)
        names = [key for key, _ in own]
        repeated = (
            tuple(dict.fromkeys(key for key in names if names.count(key) > 1)) if len(set(names)) < len(names) else ()
        )
        if repeated:
            result = RepeatedKeys(result)
            result.repeated = repeated
        return result


def merged(node: Mapping) -> Iterator[Mapping]:
    """The mappings that ``<<`` brings into this one, nearest first, theirs included; raises TextFault for others."""
    for key, value in node.pairs:
        if not _is_merge(key):
            continue
        for source in value.items if isinstance(value, Sequence) else [value]:
            if not isinstance(source, Mapping) or source is node:
                raise TextFault("'<<' merges mappings only", source.line, source.column)
            yield source
            yield from merged(source)


def find(node: Node, path: Path) -> tuple[Scalar | None, Node]:
    """The node at ``path`` and the key it stands under, or as far as the path goes."""
    key: Scalar | None = None
    for step in path:
        if isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            key, node = None, node.items[step]
            continue
        found = list(_pairs_of(node, step)) if isinstance(node, Mapping) else []
        if not found:
            break
        key, node = found[0]
    return key, node


def _pairs_of(node: Mapping, name: str | int) -> Iterator[tuple[Scalar, Node]]:
    yield from (pair for pair in reversed(node.pairs) if pair[0].text == name)
    for source in merged(node):
        yield from (pair for pair in source.pairs if pair[0].text == name)


def _is_merge(key: Scalar) -> bool:
    return key.plain and key.text == "<<"
