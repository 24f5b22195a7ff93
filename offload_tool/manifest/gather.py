"""Which manifests belong to one pack: those that were named and those that they include, each read once.

A manifest that is included with other variables is another *part*: its file names may differ.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence

from ..errors import Fault, OffloadError
from ..frozen import field, slotted
from ..limits import INCLUDE_DEPTH, INCLUDES
from .faults import PathFaults
from .include import Include, includes_of
from .source import Source, placed, read_source
from .tree import Plain

__all__ = ["Gathering", "Part", "finder"]

Find = Callable[[str, str], str]


@slotted(eq=False)
class Part:
    """A manifest under the variables it is read with; ``height`` counts the longest way down its includes.

    ``includes`` has the manifests that could be read, ``noted`` the faults of this one.
    """

    source: Source
    variables: Mapping[str, str]
    noted: PathFaults = field(default_factory=PathFaults)
    includes: list[tuple[Include, Part]] = field(default_factory=list)
    is_complete: bool = True
    height: int = 0

    def refuse(self, include: Include, message: str) -> None:
        """Notes why an include is not followed."""
        self.noted.add(include.path, message)


def finder(search: Sequence[str], resolve: Find) -> Find:
    """The look-up of included manifests: ``resolve`` first, then the folders ``search`` in order."""
    folders = tuple(map(os.path.abspath, search))

    def find(manifest: str, name: str) -> str:
        first = resolve(manifest, name)
        candidates = (first, *(os.path.normpath(os.path.join(folder, name)) for folder in folders))
        return next(filter(os.path.isfile, candidates), first)

    return find


class Gathering:
    """Follows includes from the manifests that were named.

    ``parts`` are all parts, those that are included before those that include them.  ``faults`` holds those of each
    file that was read, in reading order; ``unplaced`` counts those that were found but are not kept.
    """

    def __init__(self, find: Find) -> None:
        self.parts: list[Part] = []
        self.faults: dict[str, list[Fault]] = {}
        self.sources: dict[str, Source] = {}
        self.unplaced = 0
        self._find = find
        self._known: dict[Hashable, Part | None] = {}
        self._entries = 0

    def visit(self, path: str, variables: Mapping[str, str], chain: tuple[str, ...] = ()) -> Part | None:
        """The part at ``path``, or None where its text is no manifest; raises OffloadError if it cannot be read.

        ``chain`` are the manifests through which it is included, the outermost first.
        """
        key = (path, frozenset(variables.items()))
        if key in self._known:
            return self._known[key]
        source = self._source(path)
        if source is None:
            self._known[key] = None
            return None
        part = Part(source=source, variables=variables)
        inner = {**_declared_variables(source.tree), **variables}
        for include in self._includes(part, inner):
            child = self._included(part, include, inner, (*chain, path))
            if child is None:
                part.is_complete = False
            else:
                part.includes.append((include, child))
                part.height = max(part.height, child.height + 1)
        self.parts.append(part)
        self._known[key] = part
        return part

    def _includes(self, part: Part, variables: Mapping[str, str]) -> list[Include]:
        """The includes of a part; none, with a fault, where there are too many with those of all other parts."""
        tree = part.source.tree
        declared = tree.get("include") if isinstance(tree, dict) else None
        self._entries += len(declared) if isinstance(declared, list) else 0
        if self._entries <= INCLUDES:
            return includes_of(tree, variables, part.noted)
        part.noted.add(("include",), f"more than {INCLUDES} includes with those of the other manifests")
        part.is_complete = False
        return []

    def note(self, part: Part) -> None:
        """Places the faults of a part that has been checked."""
        self.faults[part.source.path] += placed(part.source, part.noted.found)
        self.unplaced += part.noted.count - len(part.noted.found)

    def all_faults(self) -> list[Fault]:
        """Every fault once."""
        return list(dict.fromkeys(fault for faults in self.faults.values() for fault in faults))

    def _source(self, path: str) -> Source | None:
        if path not in self.faults:
            found = read_source(path)
            self.faults[path] = []
            if isinstance(found, Source):
                self.sources[path] = found
            else:
                self.faults[path].append(found)
        return self.sources.get(path)

    def _included(
        self, part: Part, include: Include, variables: Mapping[str, str], chain: tuple[str, ...]
    ) -> Part | None:
        try:
            path = self._find(part.source.path, include.manifest)
            real = os.path.realpath(path)
            if any(os.path.realpath(other) == real for other in chain):
                part.refuse(include, f"the manifest includes itself: {_way(*chain, path)}")
                return None
            child = self.visit(path, variables, chain) if len(chain) <= INCLUDE_DEPTH else None
        except OffloadError as error:
            part.refuse(include, str(error))
            return None
        if len(chain) + (child.height if child is not None else 0) > INCLUDE_DEPTH:
            part.refuse(include, f"included more than {INCLUDE_DEPTH} deep: {_way(*chain, path)}")
            return None
        return child


def _way(*paths: str) -> str:
    return " includes ".join(map(repr, paths))


def _declared_variables(tree: Plain) -> dict[str, str]:
    """The well-formed variables of a manifest, before it is checked."""
    declared = tree.get("variables") if isinstance(tree, dict) else None
    words = {True: "true", False: "false"}
    values = declared.items() if isinstance(declared, dict) else ()
    texts = ((name, words[value] if isinstance(value, bool) else value) for name, value in values)
    return {name: value for name, value in texts if isinstance(value, str)}
