"""OpenMP images for ``llvm-offload-wrapper``: a fat binary each, since the runtime reads the strings of an image."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..codec.layout import VERSIONS
from ..codec.writer import NewImage, encode_string, frames
from .survey import FoundImage

__all__ = ["openmp_files"]


def openmp_files(images: Sequence[FoundImage], folder: str) -> list[str]:
    """The names of new files in ``folder``, one for each image, with its strings."""
    return [_single(image, folder) for image in images]


def _single(image: FoundImage, folder: str) -> str:
    name = f"image{image.index}.bin"
    target = {"triple": image.triple, **({"arch": image.arch} if image.arch else {})}
    strings = [
        (encode_string(key), encode_string(value)) for key, value in ({**target, **dict(image.metadata)}).items()
    ]
    new = NewImage(
        image_kind=image.raw_image_kind,
        offload_kind=image.raw_kind,
        strings=strings,
        size=image.size,
        flags=image.flags,
    )
    [around] = frames([new], VERSIONS[1])
    with open(os.path.join(folder, name), "wb") as file:
        file.write(around.before)
        file.write(image.content)
        file.write(bytes(around.after))
    return name
