"""A copy of manifests that another project can include: one manifest with relative names, the images beside it."""

from __future__ import annotations

import json
import os
from typing import Any

from ..containers.archive import unique_names
from ..errors import OffloadError
from ..manifest.expand import file_name_part
from ..manifest.values import Manifest
from ..model import Image
from .checking import check_equal_images
from .copying import write_all
from .image_bytes import copy_image
from .output import written
from .planning import ImageFile, look_at

__all__ = ["EXPORTED_MANIFEST", "export"]

EXPORTED_MANIFEST = "offload.yaml"
_IMAGES = "images"


def export(manifest: Manifest, folder: str) -> list[str]:
    """Writes ``folder/offload.yaml`` and the images that it names into ``folder/images``; gives the files' paths.

    The manifest is JSON text and holds no path of this machine; files that are there with the same bytes are left
    untouched.  Raises OffloadError where an image cannot be read (nothing is written then) or a file not be written.

    >>> export(load_manifest("images.yaml"), "share/offload")  # doctest: +SKIP
    ['share/offload/images/k.cubin', 'share/offload/offload.yaml']
    """
    check_equal_images(manifest.images)
    looked = look_at(manifest.images)
    names = _names(looked)
    _make(os.path.join(folder, _IMAGES))
    paths = [os.path.join(folder, _IMAGES, name) for name in names.values()]
    by_file = {one.image.file: one for one in looked}
    for (file, _), path in zip(names.items(), paths, strict=True):
        with written(path, keep_if_equal=True) as copy:
            copy_image(by_file[file], copy)
    document = _document(manifest, names)
    target = os.path.join(folder, EXPORTED_MANIFEST)
    with written(target, keep_if_equal=True) as descriptor:
        write_all(descriptor, json.dumps(document, indent=1).encode() + b"\n")
    return [*paths, target]


def _names(looked: list[ImageFile]) -> dict[str, str]:
    """A name of its own for each file, the same whatever folder the file was in."""
    files = list(dict.fromkeys(one.image.file for one in looked))
    plain = [file_name_part(os.path.basename(file)).lstrip(".") or "image" for file in files]
    return dict(zip(files, unique_names(plain), strict=True))


def _document(manifest: Manifest, names: dict[str, str]) -> dict[str, Any]:
    said = {"toolchain": manifest.toolchain, "format_version": manifest.format_version, "align": manifest.align,
            "compress": manifest.compress}  # fmt: skip
    images = [_declared(image, f"{_IMAGES}/{names[image.file]}") for image in manifest.images]
    return {"schema": 1, "literal": True, **{key: value for key, value in said.items() if value is not None},
            "images": images}  # fmt: skip


def _declared(image: Image, file: str) -> dict[str, Any]:
    return {
        "file": file,
        "triple": image.triple,
        **({"arch": image.arch} if image.arch else {}),
        "kind": image.kind.value,
        **({"image_kind": image.image_kind.word} if image.image_kind is not None else {}),
        **({"metadata": dict(image.metadata)} if image.metadata else {}),
    }


def _make(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise OffloadError(f"folder {folder!r}: {error.strerror}") from None
