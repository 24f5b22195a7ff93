"""Files as SCons knows them: what a name in a manifest means, and where its bytes lie."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import SCons.Node.FS

from offload_tool.errors import UsageError
from offload_tool.scons.faults import refuse

__all__ = ["ManifestNodes", "export_of", "file_nodes", "image_node", "mark_export", "path_of", "shown_path"]


def image_node(manifest: Any, name: str) -> Any:
    """The node that ``name`` means in the manifest node ``manifest``: the scanner and the action both ask here.

    In a variant directory that is the build tree's file, or the one that SCons maps to it.  A name that leaves the
    variant directory by ``..`` is taken from the source tree, where the manifest was written, unless something builds
    that file or the manifest.  ``#/`` is the top directory; any other leading ``#`` is part of the name.
    Raises UsageError where the name is known to be no file.
    """
    name = f"./{name}" if name.startswith("#") and not name.startswith("#/") else name
    try:
        node = manifest.dir.File(name)
        if manifest.is_derived() or node.is_derived() or node.srcnode() is not node:
            return node
        return manifest.srcnode().dir.File(name)
    except TypeError:  # how SCons says that it knows the name as a directory
        raise UsageError(f"{path_of(manifest)}: {name!r} is a directory, expected a file") from None


class ManifestNodes:
    """The nodes behind the paths of one load: manifests, those that they include, and the files that they name.

    ``included`` has the included manifests in the order found; ``search`` are the folders in which they are looked
    for after that of the manifest that names them.
    """

    def __init__(self, manifests: Sequence[Any], search: Sequence[Any]) -> None:
        self.included: dict[Any, None] = {}
        self.files: dict[str, Any] = {}
        self._manifests = {path_of(node): node for node in manifests}
        self._search = search

    def resolve(self, manifest: str, name: str) -> str:
        """The path of a file that a manifest names."""
        node = image_node(self._manifests[manifest], name)
        path = path_of(node)
        self.files[path] = node
        return path

    def find(self, manifest: str, name: str) -> str:
        """The path of a manifest that another one includes: one that is there, or that something builds."""
        first = image_node(self._manifests[manifest], name)
        node = first if _is_there(first) else self._searched(name) or first
        path = path_of(node)
        known = self._manifests.setdefault(path, node)
        if known is not node and _is_mapped(known) and _is_mapped(node):
            places = " and for ".join(repr(each.get_internal_path()) for each in (known, node))
            raise UsageError(f"manifest {path!r} is read for {places}; build both with duplicate=1")
        if _is_there(node):  # else it would end the build as a missing dependency, without its place
            self.included[node] = None
        return path

    def _searched(self, name: str) -> Any:
        for folder in self._search:
            try:
                node = folder.File(name)
            except TypeError:  # a directory of that name
                continue
            if _is_there(node):
                return node
        return None


def _is_mapped(node: Any) -> bool:
    """Whether a file of a variant directory stands for one of the source tree."""
    return bool(node.srcnode() is not node)


def _is_there(node: Any) -> bool:
    return bool(node.is_derived() or node.rexists())


def mark_export(manifest: Any, images: Any, env: Any) -> None:
    """Notes that ``manifest`` is an export with the environment ``env``, which fills the directory ``images``."""
    manifest.attributes.offload_export = env
    images.attributes.offload_exported = manifest
    # Else SCons removes them as files of the variant directory that have no source any more.
    images.duplicate = 0


def export_of(node: Any) -> Any:
    """The manifest of the export that makes a file, be it the manifest itself or an image; None for other files."""
    if hasattr(node.attributes, "offload_export"):
        return node
    return getattr(node.dir.attributes, "offload_exported", None)


def path_of(node: Any) -> str:
    """The absolute path of a node's bytes: with ``duplicate=0`` they stay in the source tree."""
    return str(node.rfile().get_abspath())


def shown_path(path: str) -> str:
    """A path as it is written down: from the top directory, so that it is the same in every checkout."""
    return os.path.relpath(path, SCons.Node.FS.get_default_fs().Top.get_abspath())


def file_nodes(env: Any, value: Any, call: str) -> list[Any]:
    """The file nodes of names, nodes and lists of them; raises UserError for a node that is no file."""
    try:
        nodes = env.arg2nodes(value, env.fs.File)
    except TypeError as error:  # a name that is known as a directory
        raise refuse(call, str(error)) from None
    for node in nodes:
        if not isinstance(node, SCons.Node.FS.Base) or isinstance(node, SCons.Node.FS.Dir):
            raise refuse(call, f"{str(node)!r} is no file")
    return list(nodes)
