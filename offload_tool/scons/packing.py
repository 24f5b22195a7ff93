"""OffloadBinary and OffloadArchive: manifests and declared images into one file, within the SCons process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

import SCons.Builder
import SCons.Node.FS

from offload_tool.actions.pack import PackOptions, pack
from offload_tool.actions.packager import packager_digest
from offload_tool.actions.recording import paths_beside
from offload_tool.frozen import field, frozen
from offload_tool.manifest.load import load_manifests
from offload_tool.manifest.values import Manifest
from offload_tool.scons.explaining import explained_action, settings_text
from offload_tool.scons.faults import check_overrides, refuse, told, warn
from offload_tool.scons.images import DeclaredImage, declared_images
from offload_tool.scons.nodes import ManifestNodes, file_nodes, path_of
from offload_tool.scons.options import defines_of, option_texts, pack_options, search_of
from offload_tool.scons.scanning import IMAGES_OF_MANIFEST, IMAGES_OF_TARGET
from offload_tool.scons.unsupported import warn_of_ninja

__all__ = [
    "PackRequest",
    "bound_names",
    "bound_nodes",
    "digest_of",
    "load_of",
    "offload_archive",
    "offload_binary",
    "requested_packs",
]


@frozen(eq=False)
class PackRequest:
    """What one call asks for beside its manifests; ``archive`` writes a static archive.

    ``awaited`` gathers the included manifests that the build makes, for the scanner.
    """

    call: str
    bind: Mapping[str, tuple[Any, ...]]
    images: tuple[DeclaredImage, ...]
    archive: bool
    awaited: dict[Any, None] = field(default_factory=dict)

    def signature(self, target: Any, source: Any, env: Any, for_signature: Any) -> str:  # noqa: ARG002  # SCons's names
        """Everything but contents that decides what is written: the packager itself, the options, the declarations."""
        declared = [record.signature() for record in self.images]
        return digest_of(self.archive, option_texts(env), bound_names(self.bind), declared)

    def settings(self, _target: Any, env: Any) -> str:
        """The same for people."""
        toolchain, *options = option_texts(env)
        declared = [(str(record.node), *record.image.strings()) for record in self.images]
        return settings_text(
            self.call, [("toolchain", toolchain), *options, ("bind", bound_names(self.bind)), ("images", declared)]
        )


def digest_of(*parts: Any) -> str:
    """A digest over values and this package, for a signature: a text in which SCons finds nothing to expand."""
    return hashlib.sha256(repr((packager_digest(), *parts)).encode("utf-8", "surrogateescape")).hexdigest()


requested_packs: dict[Any, Any] = {}
"""Target and environment of every pack that the build files asked for, in order."""


def offload_binary(
    env: Any, target: Any, source: Any = (), bind: Any = None, images: Any = (), **overrides: Any
) -> Any:
    """A fat binary of the images in the manifests ``source`` and then those in ``images``.

    ``bind`` gives the nodes of each ``input:`` name.  Further keywords override construction variables.

    >>> env.OffloadBinary("app", "images.yaml", bind={"saxpy": saxpy_object})  # doctest: +SKIP
    """
    return _packed("OffloadBinary", _BINARY, env, target, source, bind, images, overrides)


def offload_archive(
    env: Any, target: Any, source: Any = (), bind: Any = None, images: Any = (), **overrides: Any
) -> Any:
    """The same as a static archive with one member an image."""
    return _packed("OffloadArchive", _ARCHIVE, env, target, source, bind, images, overrides)


def _packed(
    call: str, builder: Any, env: Any, target: Any, source: Any, bind: Any, images: Any, overrides: dict[str, Any]
) -> Any:
    check_overrides(call, ("target", "source", "bind", "images"), overrides)
    warn_of_ninja(env)
    request = PackRequest(
        call=call, bind=bound_nodes(env, bind, call), images=declared_images(images, call), archive=builder is _ARCHIVE
    )
    return builder(env, target, source, **overrides, _OFFLOADREQUEST=request, _OFFLOADSIGNATURE=request.signature)


def bound_nodes(env: Any, bind: Any, call: str) -> dict[str, tuple[Any, ...]]:
    """The nodes of ``bind=``; raises UserError for what is no mapping to files."""
    if not isinstance(bind or {}, Mapping):
        raise refuse(call, f"bind: {bind!r} is no mapping of input names to files")
    return {str(name): tuple(file_nodes(env, value, f"{call}: bind {name!r}")) for name, value in (bind or {}).items()}


def bound_names(bind: Mapping[str, Sequence[Any]]) -> list[tuple[str, list[str]]]:
    """What is bound to what, for a signature."""
    return [(name, [node.get_internal_path() for node in nodes]) for name, nodes in bind.items()]


def _emit(target: Any, source: Any, env: Any) -> tuple[Any, Any]:
    request = env["_OFFLOADREQUEST"]
    if len(target) != 1:
        raise refuse(request.call, f"{len(target)} targets, expected one")
    if not source and not request.images:
        raise refuse(request.call, f"nothing to pack into {str(target[0])!r}; name a manifest or give images")
    # SCons would remove the target before its action, and a fault would cost the old bytes.
    env.Precious(target)
    if env.GetOption("clean"):  # else they were six more nodes to look after in every build
        beside = map(os.path.basename, paths_beside(target[0].get_abspath()))
        env.Clean(target, [target[0].dir.File(name) for name in beside])
    requested_packs[target[0]] = env
    return target, source


def _pack(target: Any, source: Any, env: Any) -> None:  # noqa: ARG001  # SCons passes all three by name
    request = env["_OFFLOADREQUEST"]
    with told(target):
        options = pack_options(env, archive=request.archive)
        images = [record.located() for record in request.images]
        packed = pack(path_of(target[0]), load_of(target[0], env, options), options, images=images)
        warn(packed.warnings)


def load_of(target: Any, env: Any, options: PackOptions) -> Manifest | None:
    """The manifests of a pack's target as one; None where it has none.

    They are read through the target's own sources, since an action is given other nodes for files that stay in the
    source tree, and names beside those would not be found.
    """
    manifests: Sequence[Any] = target.sources
    if not manifests:
        return None
    request = env["_OFFLOADREQUEST"]
    nodes = ManifestNodes(manifests, search_of(env, target.cwd))
    return load_manifests(
        [path_of(node) for node in manifests],
        nodes.resolve,
        find=nodes.find,
        bind={name: [path_of(node) for node in files] for name, files in request.bind.items()},
        others=[record.located() for record in request.images],
        variables=defines_of(env),
        settled=[
            key for key in ("toolchain", "format_version", "align", "compress") if getattr(options, key) is not None
        ],
    )


def _builder(name: str, suffix: str) -> Any:
    return SCons.Builder.Builder(
        name=name,
        action=explained_action(_pack),
        emitter=_emit,
        suffix=suffix,
        src_suffix=".yaml",
        source_factory=SCons.Node.FS.File,
        target_factory=SCons.Node.FS.File,
        source_scanner=IMAGES_OF_MANIFEST,
        target_scanner=IMAGES_OF_TARGET,
    )


_BINARY = _builder("OffloadBinary", ".bin")
_ARCHIVE = _builder("OffloadArchive", ".a")
