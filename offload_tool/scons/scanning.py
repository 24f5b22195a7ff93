"""Scanners: the images that a pack reads are its dependencies, those of generated manifests too.

A scanner never fails: a manifest that cannot be read has no dependencies, and the action reports the fault.
What a scan depends on beside the manifest is its ``path``: SCons keeps results by it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import SCons.Errors
import SCons.Scanner

from offload_tool.actions.selecting import Selection, chosen
from offload_tool.errors import OffloadError
from offload_tool.frozen import frozen
from offload_tool.manifest.load import load_manifests
from offload_tool.manifest.values import INPUT_PREFIX
from offload_tool.scons.images import DeclaredImage
from offload_tool.scons.nodes import ManifestNodes, export_of, path_of
from offload_tool.scons.options import defines_of, search_of, selection_of

__all__ = ["IMAGES_OF_MANIFEST", "IMAGES_OF_TARGET", "included_manifests", "scan_of"]

_DECIDED = ("toolchain", "format_version", "align", "compress")


@frozen(kw_only=False)
class _Scan:
    """What besides the manifest decides which images there are, as SCons compares it.

    ``stamps`` tell whether the included manifests that are built have been built since: SCons itself forgets a scan
    only when the file that was scanned is built.
    """

    request: Any
    bound: tuple[tuple[str, tuple[Any, ...]], ...]
    defines: tuple[tuple[str, str], ...]
    criteria: tuple[tuple[str, tuple[str, ...]], ...]
    search: tuple[Any, ...]
    stamps: tuple[tuple[int, int] | None, ...]


def scan_of(env: Any, folder: Any = None, _target: Any = None, _source: Any = None, _argument: Any = None) -> Any:
    """The scan of a pack with the environment ``env``, its build file in ``folder``; empty where options are faulty."""
    request = env["_OFFLOADREQUEST"]
    try:
        select = selection_of(env, env.get("OFFLOADSELECT"), "OFFLOADSELECT")
        defines = tuple(sorted(defines_of(env).items()))
    except OffloadError:
        return ()
    return _Scan(
        request, tuple(request.bind.items()), defines,
        tuple(sorted((key, tuple(sorted(values))) for key, values in select.criteria.items())),
        search_of(env, folder), tuple(map(_stamp, request.awaited)),
    )  # fmt: skip


def _stamp(node: Any) -> tuple[int, int] | None:
    try:
        status = os.stat(node.get_abspath())
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _images_of_manifest(manifest: Any, _env: Any, scan: Any) -> list[Any]:
    """The manifests that are included, as far as they can be read, and the images."""
    found: dict[Any, None] = {}
    _add_files(manifest, scan, found)
    return list(found)


def _add_files(manifest: Any, scan: Any, found: dict[Any, None]) -> None:
    if not scan or not manifest.rexists():
        return
    nodes, images = _read(manifest, scan)
    exported = (manifest,) if export_of(manifest) is manifest else ()
    for node in (*exported, *nodes.included, *images):
        export = export_of(node)
        if export is None:
            found[node] = None
        elif export not in found:
            found[export] = None
            _add_originals(export, scan, found)


def _add_originals(export: Any, scan: Any, found: dict[Any, None]) -> None:
    """What an export copies, in the place of its copies: those are no targets, so nothing would build them in time."""
    env = export.attributes.offload_export
    inner = scan_of(env, export.cwd)
    for manifest in export.sources:
        found[manifest] = None
        _add_files(manifest, inner, found)
        scan.request.awaited.update({manifest: None} if manifest.is_derived() else {})
    scan.request.awaited.update(env["_OFFLOADREQUEST"].awaited)


def _read(manifest: Any, scan: _Scan) -> tuple[ManifestNodes, list[Any]]:
    nodes = ManifestNodes([manifest], scan.search)
    try:
        images = list(_named_images(manifest, nodes, scan))
    except (OffloadError, OSError, SCons.Errors.UserError):
        images = []
    scan.request.awaited.update((node, None) for node in nodes.included if node.is_derived())
    return nodes, images


def _named_images(manifest: Any, nodes: ManifestNodes, scan: _Scan) -> Iterable[Any]:
    loaded = load_manifests(
        [path_of(manifest)], nodes.resolve, find=nodes.find, variables=dict(scan.defines),
        allow_unbound=True, settled=_DECIDED, others=None,
    )  # fmt: skip
    built = dict(scan.bound)
    for image in chosen(loaded.images, _selection(scan.criteria)):
        name = image.file.removeprefix(INPUT_PREFIX)
        if name != image.file:
            yield from built.get(name, ())
        else:
            yield nodes.files[image.file]
    # A manifest's bindings count for those that are packed with it, so they are needed whoever uses them.
    for name, files in loaded.bind.items():
        yield from built.get(name, ()) or (nodes.files[file] for file in files)


def included_manifests(pack: Any, env: Any) -> list[Any]:
    """The manifests that those of a pack include."""
    scan = scan_of(env, pack.cwd)
    manifests = [manifest for manifest in pack.sources if scan and manifest.rexists()]
    return [node for manifest in manifests for node in _read(manifest, scan)[0].included]


def _selection(criteria: Sequence[tuple[str, Sequence[str]]]) -> Selection:
    return Selection.of((key, value) for key, values in criteria for value in values)


def _images_of_target(_target: Any, _env: Any, scan: Any) -> list[Any]:
    if not scan:
        return []
    return [record.node for record in _chosen_records(scan.request.images, _selection(scan.criteria))]


def _chosen_records(declared: Sequence[DeclaredImage], select: Selection) -> list[DeclaredImage]:
    return [record for record in declared if chosen([record.located()], select)]


IMAGES_OF_MANIFEST = SCons.Scanner.ScannerBase(_images_of_manifest, name="OffloadManifest", path_function=scan_of)
"""Source scanner of a pack: the images that a manifest declares."""

IMAGES_OF_TARGET = SCons.Scanner.ScannerBase(_images_of_target, name="OffloadImages", path_function=scan_of)
"""Target scanner of a pack: the images that the build file declares."""
