"""OffloadExport: a copy of manifests and their images that other projects can include, wherever it is moved.

The node is the copy's manifest.  Which images lie beside it may be known only once generated manifests are built, so
they are no targets: the copy's manifest itself tells what was made, for cleaning and for what includes it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import SCons.Builder
import SCons.Node.FS

from offload_tool.actions.export import EXPORTED_IMAGES, EXPORTED_MANIFEST, export, exported_files
from offload_tool.actions.pack import PackOptions
from offload_tool.actions.selecting import chosen
from offload_tool.frozen import field, frozen, replace
from offload_tool.scons.explaining import explained_action, settings_text
from offload_tool.scons.faults import check_overrides, refuse, told
from offload_tool.scons.images import DeclaredImage
from offload_tool.scons.nodes import mark_export
from offload_tool.scons.options import selection_of, variable_texts
from offload_tool.scons.packing import bound_names, bound_nodes, digest_of, load_of
from offload_tool.scons.scanning import IMAGES_OF_MANIFEST

__all__ = ["offload_export"]

_CALL = "OffloadExport"
_SIGNED = ("OFFLOADDEFINES", "OFFLOADPATH", "OFFLOADSELECT")


@frozen(eq=False)
class ExportRequest:
    """What one call asks for beside its manifests; ``awaited`` is the scanner's, as that of a pack."""

    bind: Mapping[str, tuple[Any, ...]]
    images: tuple[DeclaredImage, ...] = ()
    awaited: dict[Any, None] = field(default_factory=dict)

    def signature(self, target: Any, source: Any, env: Any, for_signature: Any) -> str:  # noqa: ARG002  # SCons's names
        """Everything but contents that decides what is written."""
        return digest_of(variable_texts(env, _SIGNED), bound_names(self.bind))

    def settings(self, _target: Any, env: Any) -> str:
        """The same for people."""
        return settings_text(_CALL, [*variable_texts(env, _SIGNED), ("bind", bound_names(self.bind))])


def offload_export(env: Any, directory: Any, manifests: Any, bind: Any = None, **overrides: Any) -> Any:
    """``directory/offload.yaml``, one manifest of all images in ``manifests``, with copies of them beside it.

    ``bind`` gives the nodes of each ``input:`` name.  Give the node to Install, to OffloadBinary or as an include.

    >>> env.Install("$PREFIX/share/blas", env.OffloadExport("build/export", "images.yaml"))  # doctest: +SKIP
    """
    check_overrides(_CALL, ("directory", "manifests", "bind"), overrides)
    request = ExportRequest(bind=bound_nodes(env, bind, _CALL))
    target = _directory(env, directory).File(EXPORTED_MANIFEST)
    return _BUILDER(
        env, target, manifests, **overrides, _OFFLOADREQUEST=request, _OFFLOADSIGNATURE=request.signature
    )  # fmt: skip


def _directory(env: Any, directory: Any) -> Any:
    try:
        nodes = env.arg2nodes(directory, env.fs.Dir)
    except TypeError as error:  # a name that is known as a file
        raise refuse(_CALL, str(error)) from None
    if len(nodes) != 1 or not isinstance(nodes[0], SCons.Node.FS.Dir):
        raise refuse(_CALL, f"{[str(node) for node in nodes]} as directory, expected one")
    return nodes[0]


def _emit(target: Any, source: Any, env: Any) -> tuple[Any, Any]:
    (manifest,) = target
    if not source:
        raise refuse(_CALL, f"nothing to export into {str(manifest.dir)!r}; name a manifest")
    images = manifest.dir.Dir(EXPORTED_IMAGES)
    mark_export(manifest, images, env)
    env.Precious(target)
    env.NoCache(target)  # the images are no targets, so a cache would give the manifest without them
    made = exported_files(manifest.dir.get_abspath())
    if env.GetOption("clean"):
        env.Clean(target, _made_nodes(images, made))
    elif not all(map(os.path.exists, made)):
        env.AlwaysBuild(target)
    return target, source


def _made_nodes(images: Any, made: Sequence[str]) -> list[Any]:
    """What cleaning removes: the folder of the images, or no more than the images if it holds something else."""
    names = [os.path.basename(path) for path in made[:-1]]
    try:
        others = set(os.listdir(images.get_abspath())) - set(names)
    except OSError:
        return []
    return [images.File(f"./{name}") for name in names] if others or not made else [images]


def _export(target: Any, source: Any, env: Any) -> None:  # noqa: ARG001  # SCons passes all three by name
    with told(target):
        manifest = load_of(target[0], env, PackOptions())
        assert manifest is not None, "refused by the emitter"
        select = selection_of(env, env.get("OFFLOADSELECT"), "OFFLOADSELECT")
        export(replace(manifest, images=tuple(chosen(manifest.images, select))), target[0].dir.get_abspath())


_BUILDER = SCons.Builder.Builder(
    name=_CALL,
    action=explained_action(_export),
    emitter=_emit,
    src_suffix=".yaml",
    source_factory=SCons.Node.FS.File,
    target_factory=SCons.Node.FS.File,
    source_scanner=IMAGES_OF_MANIFEST,
)
