"""WRAP: finished images with the code that registers them, through LLVM's ``llvm-offload-wrapper``.

The wrapper writes bitcode, for one kind at a time; the code generator beside it makes the host object, so that any
linker takes it.  The objects of several kinds become one by a relocatable link.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence

from ..errors import HostError, OffloadError
from ..gpu import hip_bundle
from .compiler import check_elf, host_triple, program_of, run
from .survey import FoundImage
from .wrap_cuda import cuda_files
from .wrap_hip import hip_files
from .wrap_image import WRAPPED_KINDS, image_name
from .wrap_openmp import openmp_files

__all__ = ["wrap"]

_WRAPPER = "llvm-offload-wrapper"
_RELEASES = range(30, 21, -1)
_FILES: Mapping[str, Callable[[Sequence[FoundImage], str], list[str]]] = {
    "openmp": openmp_files,
    "cuda": cuda_files,
    "hip": hip_files,
}


def wrap(images: Sequence[FoundImage], command: Sequence[str], folder: str) -> str:
    """The path, in ``folder``, of a host object that registers ``images`` with the runtimes of their kinds.

    ``command`` is the host's compiler driver.  Raises OffloadError, naming the image, for one that cannot be wrapped,
    and HostError where a tool is missing or fails: LLVM 22 or newer, NVIDIA's ``fatbinary`` for CUDA.
    """
    for image in images:
        if image.kind not in WRAPPED_KINDS:
            raise OffloadError(
                f"{image_name(image)} has a kind that mode wrap cannot carry; it carries {', '.join(WRAPPED_KINDS)}; "
                "use mode keep"
            )
    groups = {kind: [image for image in images if image.kind == kind] for kind in WRAPPED_KINDS}
    files = {kind: _FILES[kind](group, folder) for kind, group in groups.items() if group}
    wrapper, triple = _find_wrapper(command), host_triple(command)
    objects = [_object(kind, files[kind], wrapper, triple, command, folder) for kind in files]
    if len(objects) == 1:
        return os.path.join(folder, objects[0])
    run([*command, "-nostdlib", "-r", *objects, "-o", "wrapped.o"], folder)
    return os.path.join(folder, "wrapped.o")


def _object(kind: str, files: list[str], wrapper: str, triple: str, command: Sequence[str], folder: str) -> str:
    """The name of a host object in ``folder`` that registers the images of one kind."""
    bitcode, name = f"{kind}.bc", f"{kind}.o"
    run([wrapper, f"--kind={kind}", f"--triple={triple}", *files, "-o", bitcode], folder)
    run([*_code_generator(wrapper, command), bitcode, "-o", name], folder)
    check_elf(os.path.join(folder, name))
    if kind == "hip":
        # The wrapper leaves the bundle at any multiple of 16, and what is aligned within it would lose that.
        aligned = f"{hip_bundle.SECTION}={hip_bundle.ALIGNMENT}"
        run([_object_copier(wrapper), f"--set-section-alignment={aligned}", name], folder)
    return name


def _find_wrapper(command: Sequence[str]) -> str:
    own = program_of(command, [_WRAPPER])
    if own is not None:
        return own
    for name in (os.environ.get("OFFLOAD_WRAPPER", ""), _WRAPPER, *(f"{_WRAPPER}-{release}" for release in _RELEASES)):
        found = shutil.which(name) if name else None
        if found:
            return os.path.realpath(found)
    raise HostError(f"{_WRAPPER} is not to be found; install LLVM 22 or newer, or name it in OFFLOAD_WRAPPER")


def _code_generator(wrapper: str, command: Sequence[str]) -> list[str]:
    """What turns the wrapper's bitcode into an object: it must be of the wrapper's own release."""
    llc, clang = _beside(wrapper, "llc"), _beside(wrapper, "clang")
    if llc:
        return [llc, "-filetype=obj", "-relocation-model=pic"]
    if clang:
        return [clang, "-c", "-fPIC", "-x", "ir"]
    if "clang" in os.path.basename(command[0]):
        return [*command, "-c", "-fPIC", "-x", "ir"]
    raise HostError(f"no code generator beside {wrapper!r}; install llc or clang of the same release")


def _object_copier(wrapper: str) -> str:
    found = _beside(wrapper, "llvm-objcopy") or shutil.which("llvm-objcopy")
    if found:
        return found
    raise HostError(f"no llvm-objcopy beside {wrapper!r}, nor on PATH; HIP images need one, install it")


def _beside(wrapper: str, program: str) -> str | None:
    path = os.path.join(os.path.dirname(os.path.realpath(wrapper)), program)
    return path if os.access(path, os.X_OK) else None
