"""CUDA images for ``llvm-offload-wrapper``: all of them in one fatbin, made by NVIDIA's ``fatbinary``."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence

from ..errors import HostError, OffloadError
from .compiler import run
from .recognize import FileKind
from .survey import FoundImage
from .wrap_image import image_file, image_name, kind_of

__all__ = ["cuda_files"]

_FATBINARY = "fatbinary"
_TOOLKIT_VARIABLES = ("CUDA_HOME", "CUDA_PATH")
_USUAL_TOOLKIT = "/usr/local/cuda"
_ARCH = re.compile(r"(?:sm|compute)_(\d+[a-z]?)")
_WORDS = {FileKind.CUBIN: "elf", FileKind.PTX: "ptx"}


def cuda_files(images: Sequence[FoundImage], folder: str) -> list[str]:
    """The name of a new fatbin in ``folder``; an image that is a fatbin already, and the only one, is used as it is.

    Raises OffloadError, naming the image, for one that is neither cubin nor PTX, and HostError where ``fatbinary`` is
    not to be found or refuses an image.
    """
    for image in images:
        if kind_of(image) is FileKind.CUDA_FATBIN:
            if len(images) > 1:
                raise OffloadError(
                    f"{image_name(image)} is a whole CUDA fatbin, which goes alone, and there are {len(images)} "
                    "CUDA images; pack the cubins and the PTX that it was made from"
                )
            return [image_file(image, folder)]
    words = [_words(image) for image in images]
    program = _find_fatbinary()
    files = [f"--image3={word},file={image_file(image, folder)}" for image, word in zip(images, words, strict=True)]
    run([program, "-64", "--create=images.fatbin", *files], folder)
    return ["images.fatbin"]


def _words(image: FoundImage) -> str:
    """What ``fatbinary`` is told of an image, but its file."""
    # Its kind in the fat binary tells PTX whose comments are longer than what was looked at.
    kind = "ptx" if image.image_kind == "ptx" else _WORDS.get(kind_of(image))
    if kind is None:
        raise OffloadError(
            f"{image_name(image)} is {kind_of(image).value}; a CUDA program takes cubins, PTX or one fatbin, "
            "use mode keep"
        )
    arch = _ARCH.fullmatch(image.arch)
    if arch is None:
        raise OffloadError(f"{image_name(image)} has arch {image.arch!r}; CUDA's runtime wants one such as sm_90")
    return f"kind={kind},sm={arch[1]}"


def _find_fatbinary() -> str:
    folders = [os.environ[name] for name in _TOOLKIT_VARIABLES if os.environ.get(name)]
    for path in (None, *(os.path.join(folder, "bin") for folder in (*folders, _USUAL_TOOLKIT))):
        found = shutil.which(_FATBINARY, path=path)
        if found:
            return os.path.abspath(found)
    raise HostError(
        f"NVIDIA's {_FATBINARY} is not to be found, and CUDA images are wrapped as a fatbin; install the CUDA toolkit "
        "(13 or newer) and put its bin on PATH or name it in CUDA_HOME, or pack a finished fatbin as the only image"
    )
