"""OffloadManifest: images of the build file as a JSON manifest, for packs and for people."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import SCons.Builder
import SCons.Node.FS

from offload_tool.actions.copying import write_all
from offload_tool.actions.output import written
from offload_tool.frozen import frozen
from offload_tool.scons.explaining import explained_action, settings_text
from offload_tool.scons.faults import check_overrides, told
from offload_tool.scons.images import DeclaredImage, declared_images
from offload_tool.scons.includes import DeclaredInclude, declared_includes
from offload_tool.scons.packing import digest_of

__all__ = ["offload_manifest"]

_CALL = "OffloadManifest"


@frozen(eq=False)
class ManifestRequest:
    """The images and includes to write down.  Their names and strings count, not their contents.

    Those are the pack's matter.
    """

    images: tuple[DeclaredImage, ...]
    includes: tuple[DeclaredInclude, ...]

    def text(self, target: Any) -> str:
        """The manifest as it stands in ``target``: names are relative to its folder."""
        document: dict[str, Any] = {"schema": 1, "literal": True}
        document["images"] = [_entry(record, target) for record in self.images]
        if self.includes:
            # Not where its bytes lie: from there, names of built images would lead into the source tree.
            document["include"] = [
                {"manifest": _relative(include.node, target), **include.words} for include in self.includes
            ]
        return json.dumps(document, indent=2) + "\n"

    def signature(self, target: Any, source: Any, env: Any, for_signature: Any) -> str:  # noqa: ARG002  # SCons's names
        """Changes with the text."""
        return digest_of([self.text(node) for node in target])

    def settings(self, target: Any, _env: Any) -> str:
        """The same for people."""
        return settings_text(_CALL, [("text", json.loads(self.text(node))) for node in target])


def offload_manifest(env: Any, target: Any, images: Any = (), include: Any = (), **overrides: Any) -> Any:
    """A generated manifest of ``images`` and of other manifests, to be packed by OffloadBinary.

    ``include`` has manifests, or mappings such as ``{"manifest": node, "select": {"kind": "hip"}}``.

    >>> env.OffloadManifest("build/images", env.OffloadImage(fft, triple="spirv64", kind="sycl"))  # doctest: +SKIP
    """
    check_overrides(_CALL, ("target", "images", "include"), overrides)
    request = ManifestRequest(images=declared_images(images, _CALL), includes=declared_includes(env, include, _CALL))
    return _BUILDER(env, target, [], **overrides, _OFFLOADREQUEST=request, _OFFLOADSIGNATURE=request.signature)


def _entry(record: DeclaredImage, manifest: Any) -> dict[str, Any]:
    image = record.image
    return {
        "file": _name(record.node, manifest),
        "triple": image.triple,
        **({"arch": image.arch} if image.arch else {}),
        "kind": image.kind.value,
        **({"image_kind": image.image_kind.word} if image.image_kind is not None else {}),
        **({"metadata": dict(image.metadata)} if image.metadata else {}),
    }


def _name(node: Any, manifest: Any) -> str:
    """A file's path from the manifest's folder: where it is built, or where its bytes lie."""
    return _relative(node if node.is_derived() else node.rfile(), manifest)


def _relative(node: Any, manifest: Any) -> str:
    name = os.path.relpath(node.get_abspath(), os.path.dirname(manifest.get_abspath()))
    return f"./{name}" if name.startswith("#") else name


def _write(target: Sequence[Any], source: Any, env: Any) -> None:  # noqa: ARG001  # SCons passes all three by name
    with told(target), written(target[0].get_abspath()) as descriptor:
        write_all(descriptor, env["_OFFLOADREQUEST"].text(target[0]).encode("ascii"))


_BUILDER = SCons.Builder.Builder(
    name=_CALL,
    action=explained_action(_write),
    suffix=".yaml",
    target_factory=SCons.Node.FS.File,
)
