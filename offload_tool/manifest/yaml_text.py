"""YAML text to nodes, event by event: depth is held before it costs, and every value keeps its place."""

from __future__ import annotations

from collections.abc import Callable

import yaml

from ..limits import MANIFEST_DEPTH
from .tree import NULLS, Mapping, Node, Plain, Scalar, Sequence, TextFault, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["parse_yaml", "parse_yaml_plain"]

_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_KNOWN_TAGS = {None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
_NOT_ALLOWED = r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
_NO_KEY: Any = object()


def parse_yaml(text: str) -> Node:
    """The one document in ``text``; raises TextFault with line and column."""
    try:
        return _Composer().compose(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problem = str(error.problem or error.context)
        hint = "; in double quotes a backslash is an escape, use single quotes or /" if "escape" in problem else ""
        raise TextFault(f"no valid YAML: {problem}{hint}", line, column) from None
    except yaml.reader.ReaderError as error:
        import re

        # The two readers of PyYAML count differently, one in bytes: the character is looked for again.
        found = re.search(_NOT_ALLOWED, text)
        if found is None:
            raise TextFault(f"no valid YAML: {error.reason}", 1, 1) from None
        line, column = _line_and_column(text, found.start())
        raise TextFault(f"no valid YAML: character {found.group()!r} is not allowed", line, column) from None


def parse_yaml_plain(text: str, most: int) -> Plain:
    """The plain form of the one document in ``text``, of at most so many values; raises TextFault.

    Nearly every manifest is ordinary, and is then never asked for a place: it gets no nodes.

    >>> parse_yaml_plain("images: [{file: a, arch: ~}]", 9)
    {'images': [{'file': 'a', 'arch': None}]}
    """
    try:
        parser = _LOADER(text)
        try:
            return _ordinary(parser.get_event, most)
        finally:
            parser.dispose()
    except (_NotOrdinary, yaml.YAMLError):
        return to_plain(parse_yaml(text), most)


class _NotOrdinary(Exception):  # noqa: N818 - no error: the text may be faulty, or mean more than it says
    """Anything but mappings, lists and scalars without anchors, tags, merged or repeated keys, within the limits."""


def _ordinary(next_event: Callable[[], Any], most: int) -> Plain:
    holder: Any = []
    root, key, nodes = holder, _NO_KEY, 0
    outer: list[tuple[Any, Any]] = []
    _expect(next_event(), yaml.StreamStartEvent)
    _expect(next_event(), yaml.DocumentStartEvent)
    while outer or not root:
        event = next_event()
        if event.__class__ in _ENDS:
            holder, key = outer.pop()
            continue
        value = _value(event)
        nodes += 1
        if holder.__class__ is list:
            holder.append(value)
        elif key is _NO_KEY:
            key = _key(event, holder)
            continue
        else:
            holder[key], key = value, _NO_KEY
        if event.__class__ is not yaml.ScalarEvent:
            outer.append((holder, key))
            holder, key = value, _NO_KEY
            if len(outer) > MANIFEST_DEPTH:
                raise _NotOrdinary
    _expect(next_event(), yaml.DocumentEndEvent)
    _expect(next_event(), yaml.StreamEndEvent)
    if nodes > most:
        raise _NotOrdinary
    plain: Plain = root[0]
    return plain


_ENDS = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
_STARTS = {yaml.MappingStartEvent: dict, yaml.SequenceStartEvent: list}


def _expect(event: Any, kind: type) -> None:
    if event.__class__ is not kind:
        raise _NotOrdinary


def _value(event: Any) -> Any:
    """The scalar, or an empty mapping or list that is still to be filled."""
    kind = event.__class__
    if kind is yaml.ScalarEvent:
        if event.anchor is not None or event.tag is not None:
            raise _NotOrdinary
        text = event.value
        return None if text in NULLS and not event.style and event.implicit[0] else text
    if kind not in _STARTS or event.anchor is not None or event.tag is not None:
        raise _NotOrdinary
    return _STARTS[kind]()


def _key(event: Any, holder: dict[str, Any]) -> str:
    if event.__class__ is not yaml.ScalarEvent or event.value in holder or event.value == "<<":
        raise _NotOrdinary
    key: str = event.value
    return key


class _Composer:
    """Builds the node tree from parse events with a stack of its own."""

    def __init__(self) -> None:
        self._stack: list[tuple[Sequence | Mapping, Scalar | None]] = []
        self._anchors: dict[str, Node] = {}
        self._root: Node | None = None

    def compose(self, text: str) -> Node:
        documents = 0
        for event in yaml.parse(text, Loader=_LOADER):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _fault("a second document; a manifest is one", event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._close()
            elif isinstance(event, yaml.NodeEvent):
                self._node(event)
        if self._root is None:
            raise TextFault("the manifest is empty; expected a mapping with 'images'", 1, 1)
        return self._root

    def _node(self, event: Any) -> None:
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise _fault(f"unknown alias {event.anchor!r}", event)
            self._place(self._anchors[event.anchor], event)
            return
        if event.tag not in _KNOWN_TAGS:
            raise _fault(f"tag {event.tag!r} is not supported; every scalar is text", event)
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            # Of the two readers one calls the style of a plain scalar None, the other "".
            plain = not event.style and event.implicit[0]
            node = Scalar(text=event.value, plain=plain, line=line, column=column, lead=_lead(event))
        else:
            kind = Sequence if isinstance(event, yaml.SequenceStartEvent) else Mapping
            node = kind(line=line, column=column)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._place(node, event)
        if not isinstance(node, Scalar):
            self._open(node, event)

    def _open(self, node: Sequence | Mapping, event: Any) -> None:
        if len(self._stack) >= MANIFEST_DEPTH:
            raise _fault(f"nested deeper than {MANIFEST_DEPTH} levels", event)
        self._stack.append((node, None))

    def _close(self) -> None:
        self._stack.pop()

    def _place(self, node: Node, event: Any) -> None:
        if not self._stack:
            self._root = node
            return
        parent, key = self._stack[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif key is None:
            if not isinstance(node, Scalar):
                raise _fault("a key must be text", event)
            self._stack[-1] = (parent, node)
        else:
            parent.pairs.append((key, node))
            self._stack[-1] = (parent, None)


def _fault(message: str, event: Any) -> TextFault:
    return TextFault(message, event.start_mark.line + 1, event.start_mark.column + 1)


def _lead(event: Any) -> int | None:
    """How many characters of anchor, tag and quote stand before a scalar's text; None where it is not there as such."""
    if event.start_mark.line != event.end_mark.line or event.style in ("|", ">"):
        return None
    quotes = 1 if event.style else 0
    lead: int = event.end_mark.index - event.start_mark.index - len(event.value) - quotes
    return lead if lead == quotes or not quotes else None


def _line_and_column(text: str, position: int) -> tuple[int, int]:
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1
