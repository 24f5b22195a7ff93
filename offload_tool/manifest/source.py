"""The texts of manifests: read, turned into plain trees, and asked for the place of a value."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Sequence
from functools import lru_cache

from ..errors import Fault, OffloadError
from ..frozen import frozen
from ..limits import MANIFEST_BYTES, MANIFEST_NODES
from ..model import Declared
from .faults import PathFault, located
from .tree import Node, Plain, TextFault

__all__ = ["Source", "place_of", "placed", "read_source", "text_of"]


@frozen
class Source:
    """One manifest that could be read: its absolute path, its text, and what that says."""

    path: str
    text: str
    tree: Plain


def read_source(path: str) -> Source | Fault:
    """The manifest at ``path``, or why its text is none; raises OffloadError where it cannot be read."""
    try:
        text = text_of(path)
        tree = _plain(text)
    except TextFault as fault:
        return Fault(file=path, line=fault.line, column=fault.column, message=fault.message)
    return Source(path=path, text=text, tree=tree)


def placed(source: Source, found: Sequence[PathFault]) -> list[Fault]:
    """The faults with their line and column, in the order of the text."""
    if not found:
        return []
    path = source.path
    try:
        root = _nodes(source.text)
    except TextFault as fault:
        return [Fault(file=path, line=fault.line, column=fault.column, message=fault.message)]
    places = [(*located(root, fault), fault.message) for fault in found]
    return [Fault(file=path, line=line, column=column, message=what) for line, column, what in sorted(set(places))]


def place_of(declared: Declared) -> Fault:
    """Line and column of a declaration, as a Fault without a message; line 1 where the file has changed since."""
    try:
        status = os.stat(declared.file)
        root = _nodes_of(declared.file, status.st_mtime_ns, status.st_size)
        line, column = located(root, PathFault(path=declared.path, message=""))
    except (OSError, OffloadError, TextFault):
        line, column = 1, 1
    return Fault(file=declared.file, line=line, column=column, message="")


@lru_cache(maxsize=1)
def _nodes_of(path: str, _mtime_ns: int, _size: int) -> Node:
    """The nodes of a manifest, kept for the next image of the same one; time and size tell whether it is the same."""
    return _nodes(text_of(path))


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] == "{"


def _plain(text: str) -> Plain:
    if _is_json(text):
        from .json_text import parse_json_plain

        return parse_json_plain(text)
    from .simple_text import parse_simple_plain

    simple = parse_simple_plain(text, MANIFEST_NODES)
    if simple is not None:
        return simple
    from .yaml_text import parse_yaml_plain

    return parse_yaml_plain(text, MANIFEST_NODES)


def _nodes(text: str) -> Node:
    if _is_json(text):
        from .json_text import parse_json

        return parse_json(text)
    from .yaml_text import parse_yaml

    return parse_yaml(text)


def text_of(path: str) -> str:
    """The text of a manifest; raises OffloadError where it cannot be read, TextFault where it is no UTF-8."""
    try:
        with open(path, "rb") as file:
            content = file.read(MANIFEST_BYTES + 1)
    except OSError as error:
        raise OffloadError(f"manifest {path!r}: {error.strerror}") from None
    if len(content) > MANIFEST_BYTES:
        raise OffloadError(f"manifest {path!r} is larger than {MANIFEST_BYTES} bytes")
    content = content.removeprefix(BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"byte 0x{content[error.start]:02x} is no UTF-8; save the manifest as UTF-8"
        raise TextFault(message, line, column) from None
