"""One image on its way into a wrapper: its name in messages, its bytes in a file."""

from __future__ import annotations

import os

from .recognize import HEAD_SIZE, FileKind, recognize
from .survey import FoundImage
from .words import one_line

__all__ = ["WRAPPED_KINDS", "image_file", "image_name", "kind_of"]

WRAPPED_KINDS = ("openmp", "cuda", "hip")
"""The words for the kinds that mode wrap carries: those with registration code in LLVM's wrapper."""


def image_name(image: FoundImage) -> str:
    """How messages call an image: its number, its file and its target."""
    return f"image {image.index} of {image.file!r} ({one_line(f'{image.kind} {image.triple} {image.arch}')})"


def kind_of(image: FoundImage) -> FileKind:
    """What the bytes of an image are."""
    return recognize(bytes(image.content[:HEAD_SIZE]))


def image_file(image: FoundImage, folder: str) -> str:
    """The name, in ``folder``, of a new file that holds the bytes of the image and nothing else."""
    name = f"image{image.index}"
    with open(os.path.join(folder, name), "wb") as file:
        file.write(image.content)
    return name
