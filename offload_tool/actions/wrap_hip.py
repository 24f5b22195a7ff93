"""HIP images for ``llvm-offload-wrapper``: all of them in one Clang offload bundle, written here and not compressed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..errors import OffloadError, UsageError
from ..gpu.hip_bundle import BundleEntry, bundle, entry_id
from ..wire.elf_head import EM_AMDGPU, elf_head
from .recognize import FileKind
from .survey import FoundImage
from .wrap_image import image_file, image_name, kind_of

__all__ = ["hip_files"]


def hip_files(images: Sequence[FoundImage], folder: str) -> list[str]:
    """The name of a new bundle in ``folder``; an image that is a bundle already, and the only one, is used as it is.

    Raises OffloadError, naming the image, for one that is no code object or SPIR-V module, or lacks its target, and
    for two with one target.
    """
    for image in images:
        if kind_of(image) is FileKind.HIP_BUNDLE:
            if len(images) > 1:
                raise OffloadError(
                    f"{image_name(image)} is a whole Clang offload bundle, which goes alone, and there are "
                    f"{len(images)} HIP images; unbundle it first"
                )
            return [image_file(image, folder)]
    return [_write(images, _entries(images), folder)]


def _entries(images: Sequence[FoundImage]) -> list[BundleEntry]:
    entries, first = [], dict[str, FoundImage]()
    for image in images:
        entry = BundleEntry(entry_id=_entry_id(image), size=image.size)
        other = first.setdefault(entry.entry_id, image)
        if other is not image:
            raise OffloadError(
                f"{image_name(image)} has the target of image {other.index}; a HIP program holds one image for each"
            )
        entries.append(entry)
    return entries


def _entry_id(image: FoundImage) -> str:
    elf = elf_head(bytes(image.content[:20]))
    if (elf is None or elf.e_machine != EM_AMDGPU) and kind_of(image) is not FileKind.SPIRV:
        raise OffloadError(
            f"{image_name(image)} is {kind_of(image).value}; a HIP program takes AMDGPU code objects and SPIR-V, "
            "use mode keep"
        )
    if not image.arch:
        raise OffloadError(f"{image_name(image)} has no arch; HIP's runtime finds an image by its arch, such as gfx90a")
    try:
        return entry_id(image.triple, image.arch)
    except UsageError as error:
        raise OffloadError(f"{image_name(image)}: {error}") from None


def _write(images: Sequence[FoundImage], entries: Sequence[BundleEntry], folder: str) -> str:
    plan = bundle(entries)
    with open(os.path.join(folder, "images.hipfb"), "wb") as file:
        file.write(plan.head)
        for image, offset in zip(images, plan.offsets, strict=True):
            file.seek(offset)  # what is passed over reads as zeros
            file.write(image.content)
    return "images.hipfb"
