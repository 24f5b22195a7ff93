"""What a manifest's text says, before anyone asks whether it makes sense.

Two forms.  *Plain* is what the checks walk: dict, list, str, bool and None, scalars as written.  *Nodes* also keep
line and column; a JSON manifest gets them only when something is at fault, since reading them costs far more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..frozen import field, slotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = [
    "NULLS", "Mapping", "Node", "Path", "Plain", "RepeatedKeys", "Scalar", "Sequence", "TextFault", "find", "repeated",
    "to_plain",
]  # fmt: skip

Path: TypeAlias = tuple["str | int", ...]
Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | bool | None"

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
"""The scalars that are no value where they stand without quotes."""


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


@slotted
class Scalar:
    """One scalar; ``plain`` if it was written without quotes.

    ``lead`` counts the characters between its place and the first one of its text, such as a quote; None where the
    text does not stand there as such (escapes, several lines).
    """

    text: str
    plain: bool
    line: int
    column: int
    lead: int | None


@slotted
class Sequence:
    """A list of nodes."""

    items: list[Node] = field(default_factory=list)
    line: int
    column: int


@slotted
class Mapping:
    """Pairs of key and value in the order of the text, repeated keys and ``<<`` among them."""

    pairs: list[tuple[Scalar, Node]] = field(default_factory=list)
    line: int
    column: int


Node: TypeAlias = "Scalar | Sequence | Mapping"


def to_plain(node: Node, most: int) -> Plain:
    """The plain form; raises TextFault where more than ``most`` values come out of it or a value holds itself."""
    return _Walk(most).counted(node)[0]


def repeated(keys: Iterable[str]) -> tuple[str, ...]:
    """Those of ``keys`` that stand there more than once, in order.

    >>> repeated(["a", "b", "a"])
    ('a',)
    """
    from collections import Counter

    return tuple(key for key, count in Counter(keys).items() if count > 1)


class _Walk:
    """Follows aliases, which may multiply: each node is walked once and its values are counted, not made again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[int] = set()
        self._done: dict[int, tuple[Plain, int]] = {}

    def counted(self, node: Node) -> tuple[Plain, int]:
        if isinstance(node, Scalar):
            return None if node.plain and node.text in NULLS else node.text, 1
        if id(node) in self._done:
            return self._done[id(node)]
        if id(node) in self._open:
            raise TextFault("a value holds itself through an alias", node.line, node.column)
        self._open.add(id(node))
        plain, count = self._sequence(node) if isinstance(node, Sequence) else self._mapping(node)
        if count > self._most:
            raise TextFault(
                f"more than {self._most} values after following aliases; a manifest needs far fewer",
                node.line, node.column,
            )  # fmt: skip
        self._open.discard(id(node))
        self._done[id(node)] = plain, count
        return plain, count

    def _sequence(self, node: Sequence) -> tuple[Plain, int]:
        counted = [self.counted(item) for item in node.items]
        return [plain for plain, _ in counted], 1 + sum(count for _, count in counted)

    def _mapping(self, node: Mapping) -> tuple[Plain, int]:
        own = [(key.text, self.counted(value)) for key, value in node.pairs if not _is_merge(key)]
        result: dict[str, Plain] = {key: plain for key, (plain, _) in own}
        count = 1 + sum(count for _, (_, count) in own)
        for source in _sources(node):
            plain, more = self.counted(source)
            count += more
            assert isinstance(plain, dict), "the sources of a merge are mappings"
            result = {**plain, **result}
        if len(own) > len({key for key, _ in own}):
            marked = RepeatedKeys(result)
            marked.repeated = repeated(key for key, _ in own)
            return marked, count
        return result, count


def _sources(node: Mapping) -> list[Mapping]:
    """The mappings that ``<<`` names, nearest first; raises TextFault for anything else."""
    found: list[Mapping] = []
    for key, value in node.pairs:
        if not _is_merge(key):
            continue
        for source in value.items if isinstance(value, Sequence) else [value]:
            if not isinstance(source, Mapping):
                raise TextFault("'<<' merges mappings only", source.line, source.column)
            found.append(source)
    return found


def _merged(node: Mapping) -> Iterator[Mapping]:
    """The mappings that ``<<`` brings into this one, nearest first, theirs included, each once."""
    seen = {id(node)}
    waiting = _sources(node)[::-1]
    while waiting:
        source = waiting.pop()
        if id(source) not in seen:
            seen.add(id(source))
            yield source
            waiting += _sources(source)[::-1]


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
    for source in _merged(node):
        yield from (pair for pair in source.pairs if pair[0].text == name)


def _is_merge(key: Scalar) -> bool:
    return key.plain and key.text == "<<"
