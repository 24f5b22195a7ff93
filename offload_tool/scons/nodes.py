"""Files as SCons knows them: what a name in a manifest means, and where its bytes lie."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import SCons.Node.FS

from offload_tool.errors import UsageError
from offload_tool.scons.faults import refuse

__all__ = ["file_nodes", "image_node", "path_of", "resolver", "shown_path"]


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


def resolver(manifests: Sequence[Any]) -> Callable[[str, str], str]:
    """The ``resolve`` with which manifests are loaded that were given as nodes."""
    by_path = {path_of(node): node for node in manifests}
    return lambda manifest, name: path_of(image_node(by_path[manifest], name))


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
