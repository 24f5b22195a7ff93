"""OffloadImage: device images declared in the build file, checked as a manifest's are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import SCons.Util

from offload_tool.manifest.check import Context, check
from offload_tool.manifest.faults import PathFaults
from offload_tool.manifest.tree import Plain
from offload_tool.model import Image
from offload_tool.scons.faults import refuse
from offload_tool.scons.nodes import file_nodes, path_of

__all__ = ["DeclaredImage", "declared_images", "expanded_words", "offload_image"]

_CALL = "OffloadImage"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredImage:
    """One image of the build file: the node that makes it, and what it is; its path is known once it is built."""

    node: Any
    image: Image

    def located(self) -> Image:
        """The image with the path of its bytes."""
        return replace(self.image, file=path_of(self.node))

    def signature(self) -> str:
        """What a change of shows in a signature: the node's name and the strings, not the bytes."""
        return repr((self.node.get_internal_path(), self.image))


def offload_image(
    env: Any,
    node: Any,
    *,
    triple: str | None = None,
    arch: str | Sequence[str] = (),
    kind: str | None = None,
    image_kind: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> list[DeclaredImage]:
    """Declares images: one for each file in ``node`` and each ``arch``.

    The words are a manifest's.  Raises UserError, with all faults, where a manifest would be refused.

    >>> env.OffloadImage("fft.hsaco", triple="amdgcn-amd-amdhsa", arch="gfx90a", kind="hip")  # doctest: +SKIP
    """
    nodes = file_nodes(env, node, _CALL)
    declared = {"triple": triple, "kind": kind, "image_kind": image_kind}
    tree: dict[str, Plain] = {key: expanded_words(env, value) for key, value in declared.items() if value is not None}
    if arch:
        tree["arch"] = expanded_words(env, arch)
    if metadata:
        tree["metadata"] = expanded_words(env, metadata)
    if triple is None or kind is None:
        missing = "triple" if triple is None else "kind"
        raise refuse(_CALL, f"missing argument {missing!r}" + _HINTS.get(missing, ""))
    return _checked(nodes, tree)


_HINTS = {"kind": "; write kind='none' if no runtime shall take it"}


def declared_images(value: Any, call: str) -> tuple[DeclaredImage, ...]:
    """The records in ``images=``, however nested; raises UserError for anything else and for two that are equal."""
    records = SCons.Util.flatten([value])
    seen: set[str] = set()
    for record in records:
        if not isinstance(record, DeclaredImage):
            raise refuse(call, f"images: {record!r} is no image; declare it by {_CALL}")
        if record.signature() in seen:
            raise refuse(call, f"images: {str(record.node)!r} stands twice with the same triple, arch and kind")
        seen.add(record.signature())
    return tuple(records)


def expanded_words(env: Any, value: Any) -> Plain:
    """A value with every text in it expanded; what is no text stays, so that the check names it."""
    if isinstance(value, Mapping):
        return {str(key): expanded_words(env, item) for key, item in value.items()}
    if SCons.Util.is_Sequence(value):
        return [expanded_words(env, item) for item in value]
    expanded: Plain = env.subst(value) if isinstance(value, str) else value
    return expanded


def _checked(nodes: Sequence[Any], tree: dict[str, Plain]) -> list[DeclaredImage]:
    """The images of a one-entry manifest whose files are the indices of ``nodes``: their names may be any."""
    tree["file"] = [str(index) for index in range(len(nodes))]
    manifest: Plain = {"schema": "1", "literal": "true", "images": [tree]}
    faults = PathFaults()
    checked = check(manifest, Context(file="SConstruct", resolve=lambda _, name: name), faults)
    if faults.found or checked is None:
        raise refuse(_CALL, "; ".join(fault.message for fault in faults.found))
    return [
        DeclaredImage(node=nodes[int(image.file)], image=replace(image, file="", declared=None))
        for image in checked.images
    ]
