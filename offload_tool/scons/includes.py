"""``include=``: manifests that a generated one includes, checked as those in a manifest are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import SCons.Util

from offload_tool.frozen import frozen
from offload_tool.manifest.faults import PathFaults
from offload_tool.manifest.include import includes_of
from offload_tool.manifest.tree import Plain
from offload_tool.scons.faults import refuse
from offload_tool.scons.images import expanded_words
from offload_tool.scons.nodes import file_nodes

__all__ = ["DeclaredInclude", "declared_includes"]


@frozen
class DeclaredInclude:
    """One manifest to include, and the entry's other keys."""

    node: Any
    words: Mapping[str, Plain]


def declared_includes(env: Any, value: Any, call: str) -> tuple[DeclaredInclude, ...]:
    """The entries of ``include=``, however nested: manifests, or mappings with the keys of a manifest's ``include``.

    Raises UserError where a manifest would be refused.
    """
    listed = value if SCons.Util.is_Sequence(value) and not isinstance(value, Mapping) else [value]
    return tuple(include for entry in SCons.Util.flatten(listed) for include in _declared(env, entry, call))


def _declared(env: Any, entry: Any, call: str) -> list[DeclaredInclude]:
    words = dict(entry) if isinstance(entry, Mapping) else {"manifest": entry}
    if "manifest" not in words:
        raise refuse(call, f"include: {entry!r} names no 'manifest'")
    nodes = file_nodes(env, words.pop("manifest"), f"{call}: include")
    plain = {str(key): expanded_words(env, item) for key, item in words.items()}
    faults = PathFaults()
    includes_of({"literal": True, "include": [{"manifest": "m", **plain}]}, {}, faults)
    if faults.found:
        raise refuse(call, "include: " + "; ".join(fault.message for fault in faults.found))
    return [DeclaredInclude(node=node, words=plain) for node in nodes]
