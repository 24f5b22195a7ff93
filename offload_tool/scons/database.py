"""OffloadDatabase: what every pack of the build holds, as one JSON file for tools and people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import SCons.Action
import SCons.Builder
import SCons.Node.FS
import SCons.Scanner

from offload_tool.actions.copying import write_all
from offload_tool.actions.output import written
from offload_tool.actions.selecting import chosen
from offload_tool.model import Image
from offload_tool.scons.faults import check_overrides, told
from offload_tool.scons.nodes import shown_path
from offload_tool.scons.options import pack_options
from offload_tool.scons.packing import digest_of, load_of, requested_packs
from offload_tool.scons.scanning import included_manifests, scan_of

__all__ = ["offload_database"]

_CALL = "OffloadDatabase"


def offload_database(env: Any, target: Any = "offload_images.json", **overrides: Any) -> Any:
    """A JSON list of the build's fat binaries and archives, also of those declared later, with their images.

    Paths are relative to the top directory.

    >>> env.OffloadDatabase("offload_images.json")  # doctest: +SKIP
    """
    check_overrides(_CALL, ("target",), overrides)
    return _BUILDER(env, target, [], **overrides, _OFFLOADSIGNATURE=_signature)


def _signature(target: Any, source: Any, env: Any, for_signature: Any) -> str:  # noqa: ARG001  # SCons's names
    """Changes with what was asked for; the manifests are dependencies."""
    packs = [
        (
            pack.get_internal_path(),
            [node.get_internal_path() for node in pack.sources],
            of["_OFFLOADREQUEST"].signature(None, None, of, for_signature=True),
        )
        for pack, of in requested_packs.items()
    ]
    return digest_of(packs)


def _scans_of_packs(_env: Any, *_arguments: Any) -> tuple[Any, ...]:
    return tuple(scan_of(env, pack.cwd) for pack, env in requested_packs.items())


def _manifests_of_packs(_database: Any, _env: Any, _scans: Any) -> list[Any]:
    found = ([*pack.sources, *included_manifests(pack, env)] for pack, env in requested_packs.items())
    return list(dict.fromkeys(manifest for manifests in found for manifest in manifests))


def _entry(pack: Any, env: Any) -> dict[str, Any]:
    request = env["_OFFLOADREQUEST"]
    options = pack_options(env, archive=request.archive)
    manifest = load_of(pack, env, options)
    declared = [record.located() for record in request.images]
    images = chosen([*(manifest.images if manifest else ()), *declared], options.select)
    return {
        "output": shown_path(pack.get_abspath()),
        "archive": request.archive,
        "manifests": [shown_path(file) for file in (manifest.files if manifest else ())],
        "toolchain": options.toolchain or (manifest and manifest.toolchain) or options.default_toolchain,
        "images": [_entry_of_image(image) for image in images],
    }


def _entry_of_image(image: Image) -> dict[str, Any]:
    return {
        "file": shown_path(image.file),
        "triple": image.triple,
        "arch": image.arch,
        "kind": image.kind.value,
        "image_kind": image.image_kind.word if image.image_kind is not None else None,
        "metadata": dict(image.metadata),
    }


def _write(target: Sequence[Any], source: Any, env: Any) -> None:  # noqa: ARG001  # SCons passes all three by name
    with told(target):
        text = json.dumps([_entry(pack, of) for pack, of in requested_packs.items()], indent=2) + "\n"
        with written(target[0].get_abspath()) as descriptor:
            write_all(descriptor, text.encode("ascii"))


_BUILDER = SCons.Builder.Builder(
    name=_CALL,
    action=SCons.Action.Action(_write, "$OFFLOADCOMSTR", varlist=["_OFFLOADSIGNATURE"]),
    suffix=".json",
    target_factory=SCons.Node.FS.File,
    target_scanner=SCons.Scanner.ScannerBase(_manifests_of_packs, name=_CALL, path_function=_scans_of_packs),
)
