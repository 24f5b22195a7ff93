"""Scanners: the images that a pack reads are its dependencies, those of generated manifests too.

A scanner never fails: a manifest that cannot be read has no dependencies, and the action reports the fault.
What a scan depends on beside the manifest is its ``path``: SCons keeps results by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import SCons.Errors
import SCons.Scanner

from offload_tool.actions.selecting import Selection, chosen
from offload_tool.errors import OffloadError
from offload_tool.manifest.load import load_manifests
from offload_tool.manifest.values import INPUT_PREFIX
from offload_tool.scons.images import DeclaredImage
from offload_tool.scons.nodes import image_node, path_of
from offload_tool.scons.options import defines_of, selection_of

__all__ = ["IMAGES_OF_MANIFEST", "IMAGES_OF_TARGET"]

_Bound = tuple[tuple[str, tuple[Any, ...]], ...]


def _path(env: Any, _folder: Any = None, _target: Any = None, _source: Any = None, _argument: Any = None) -> Any:
    """What besides the manifest decides which images there are: bindings, variables, selection."""
    request = env["_OFFLOADREQUEST"]
    try:
        select = selection_of(env, env.get("OFFLOADSELECT"), "OFFLOADSELECT")
        defines = tuple(sorted(defines_of(env).items()))
    except OffloadError:
        return ()
    criteria = tuple(sorted((key, tuple(sorted(values))) for key, values in select.criteria.items()))
    return (tuple(request.bind.items()), defines, criteria, request.images)


def _images_of_manifest(manifest: Any, _env: Any, path: Any) -> list[Any]:
    if not path or not manifest.rexists():
        return []
    bound, defines, criteria, _ = path
    try:
        return list(dict.fromkeys(_named_images(manifest, bound, dict(defines), _selection(criteria))))
    except (OffloadError, OSError, SCons.Errors.UserError):
        return []


def _named_images(manifest: Any, bound: _Bound, defines: dict[str, str], select: Selection) -> Iterable[Any]:
    nodes: dict[str, Any] = {}

    def resolve(_manifest: str, name: str) -> str:
        node = image_node(manifest, name)
        path = path_of(node)
        nodes[path] = node
        return path

    loaded = load_manifests([path_of(manifest)], resolve, variables=defines, allow_unbound=True)
    built = dict(bound)
    for image in chosen(loaded.images, select):
        name = image.file.removeprefix(INPUT_PREFIX)
        if name != image.file:
            yield from built.get(name, ())
        else:
            yield nodes[image.file]
    # A manifest's bindings count for those that are packed with it, so they are needed whoever uses them.
    for name, files in loaded.bind.items():
        yield from built.get(name, ()) or (nodes[file] for file in files)


def _selection(criteria: Sequence[tuple[str, Sequence[str]]]) -> Selection:
    return Selection.of((key, value) for key, values in criteria for value in values)


def _images_of_target(_target: Any, _env: Any, path: Any) -> list[Any]:
    if not path:
        return []
    _, _, criteria, declared = path
    return [record.node for record in _chosen_records(declared, _selection(criteria))]


def _chosen_records(declared: Sequence[DeclaredImage], select: Selection) -> list[DeclaredImage]:
    return [record for record in declared if chosen([record.located()], select)]


IMAGES_OF_MANIFEST = SCons.Scanner.ScannerBase(_images_of_manifest, name="OffloadManifest", path_function=_path)
"""Source scanner of a pack: the images that a manifest declares."""

IMAGES_OF_TARGET = SCons.Scanner.ScannerBase(_images_of_target, name="OffloadImages", path_function=_path)
"""Target scanner of a pack: the images that the build file declares."""
