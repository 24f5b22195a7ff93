"""OffloadImage: device images declared in the build file, checked as a manifest's are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import SCons.Util

from offload_tool.frozen import frozen, replace
from offload_tool.manifest import fields
from offload_tool.manifest.check import Context, check
from offload_tool.manifest.faults import PathFaults
from offload_tool.manifest.tree import Plain
from offload_tool.model import Image
from offload_tool.scons.faults import refuse
from offload_tool.scons.nodes import file_nodes, path_of

__all__ = ["DeclaredImage", "declared_images", "expanded_words", "offload_image"]

_CALL = "OffloadImage"


@frozen
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


_CONTEXT = Context(file="SConstruct", resolve=lambda _, name: name)
_HINTS = {"kind": "; write kind='none' if no runtime shall take it"}


def declared_images(value: Any, call: str) -> tuple[DeclaredImage, ...]:
    """The records in ``images=``, however nested; raises UserError for anything else and for two that are equal."""
    records = SCons.Util.flatten([value])
    seen: set[str] = set()
    for record in records:
        if not isinstance(record, DeclaredImage):
            raise refuse(call, f"images: {record!r} is no image; declare it by {_CALL}")
        signature = record.signature()
        if signature in seen:
            raise refuse(call, f"images: {str(record.node)!r} stands twice with the same triple, arch and kind")
        seen.add(signature)
    return tuple(records)


def expanded_words(env: Any, value: Any) -> Plain:
    """A value with every text in it expanded; what is no text stays, so that the check names it."""
    if isinstance(value, Mapping):
        return {str(key): expanded_words(env, item) for key, item in value.items()}
    if SCons.Util.is_Sequence(value):
        return [expanded_words(env, item) for item in value]
    expanded: Plain = env.subst(value) if isinstance(value, str) and "$" in value else value
    return expanded


def _checked(nodes: Sequence[Any], tree: dict[str, Plain]) -> list[DeclaredImage]:
    """The images that ``tree`` declares of ``nodes``; most calls differ in nothing but the arch."""
    arch = tree.pop("arch", None)
    words = tuple((key, value) for key, value in tree.items() if isinstance(value, str))
    if len(words) == len(tree) and len(nodes) == 1 and (arch is None or fields.text(arch, (), PathFaults()) == arch):
        template = _without_arch(words)
        if template is not None:
            image = template if arch is None else replace(template, arch=arch)
            return [DeclaredImage(node=nodes[0], image=image)]
    if arch is not None:
        tree["arch"] = arch
    faults = PathFaults()
    images = _images_of(len(nodes), tree, faults)
    if faults.found:
        raise refuse(_CALL, "; ".join(fault.message for fault in faults.found))
    return [
        DeclaredImage(node=nodes[int(image.file)], image=replace(image, file="", declared=None)) for image in images
    ]


@lru_cache(maxsize=256)
def _without_arch(words: tuple[tuple[str, str], ...]) -> Image | None:
    """The image that these words declare, None where they are at fault."""
    faults = PathFaults()
    images = _images_of(1, dict(words), faults)
    return None if faults.found else replace(images[0], file="", declared=None)


def _images_of(files: int, tree: dict[str, Plain], faults: PathFaults) -> Sequence[Image]:
    """The images of a one-entry manifest whose files are the indices of nodes: their names may be any."""
    entry: Plain = {**tree, "file": [str(index) for index in range(files)]}
    manifest: Plain = {"schema": "1", "literal": "true", "images": [entry]}
    checked = check(manifest, _CONTEXT, faults)
    assert checked is not None, "a mapping makes a manifest"
    return checked.images
