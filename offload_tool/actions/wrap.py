"""WRAP: finished images with the code that registers them, through LLVM's ``llvm-offload-wrapper``.

The wrapper writes bitcode; the code generator beside it makes the host object, so that any linker takes it.
"""

from __future__ import annotations

import os
import shutil

from ..codec.writer import encode_string, frame
from ..errors import HostError, OffloadError
from .compiler import host_triple, program_of, run
from .survey import FoundImage

__all__ = ["wrap_openmp"]

_WRAPPER = "llvm-offload-wrapper"
_RELEASES = range(30, 21, -1)


def wrap_openmp(data: memoryview, images: list[FoundImage], command: list[str], folder: str) -> str:
    """The path, in ``folder``, of a host object that registers ``images`` with the OpenMP runtime.

    Raises OffloadError for an image of another kind, HostError where LLVM 22 or newer is not to be found.
    """
    for image in images:
        if image.kind != "openmp":
            what = f"image {image.index} ({image.kind} {image.triple} {image.arch})"
            raise OffloadError(f"{what} cannot be wrapped by this release; it wraps OpenMP images, use mode keep")
    wrapper = _find_wrapper(command)
    files = [_single(data, image, folder) for image in images]
    triple = host_triple(command)
    run([wrapper, "--kind=openmp", f"--triple={triple}", *files, "-o", "wrapped.bc"], folder)
    run([*_code_generator(wrapper, command), "wrapped.bc", "-o", "wrapped.o"], folder)
    return os.path.join(folder, "wrapped.o")


def _single(data: memoryview, image: FoundImage, folder: str) -> str:
    """A file in ``folder`` that holds this image alone, with its strings: the runtime reads them."""
    name = f"image{image.index}.bin"
    target = {"triple": image.triple, **({"arch": image.arch} if image.arch else {})}
    strings = [
        (encode_string(key), encode_string(value)) for key, value in ({**target, **dict(image.metadata)}).items()
    ]
    around = frame(
        strings, argument_order=tuple(key for key, _ in strings), image_kind=image.raw_image_kind,
        offload_kind=image.raw_kind, image_size=image.size, flags=image.flags,
    )  # fmt: skip
    with open(os.path.join(folder, name), "wb") as file:
        file.write(around.before)
        file.write(data[image.offset : image.offset + image.size])
        file.write(bytes(around.after))
    return name


def _find_wrapper(command: list[str]) -> str:
    own = program_of(command, [_WRAPPER])
    if own is not None:
        return own
    for name in (os.environ.get("OFFLOAD_WRAPPER", ""), _WRAPPER, *(f"{_WRAPPER}-{release}" for release in _RELEASES)):
        found = shutil.which(name) if name else None
        if found:
            return os.path.realpath(found)
    raise HostError(f"{_WRAPPER} is not to be found; install LLVM 22 or newer, or name it in OFFLOAD_WRAPPER")


def _code_generator(wrapper: str, command: list[str]) -> list[str]:
    """What turns the wrapper's bitcode into an object: it must be of the wrapper's own release."""
    folder = os.path.dirname(os.path.realpath(wrapper))
    if os.access(os.path.join(folder, "llc"), os.X_OK):
        return [os.path.join(folder, "llc"), "-filetype=obj", "-relocation-model=pic"]
    if os.access(os.path.join(folder, "clang"), os.X_OK):
        return [os.path.join(folder, "clang"), "-c", "-fPIC", "-x", "ir"]
    if "clang" in os.path.basename(command[0]):
        return [*command, "-c", "-fPIC", "-x", "ir"]
    raise HostError(f"no code generator beside {wrapper!r}; install llc or clang of the same release")
