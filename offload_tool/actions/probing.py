"""Which toolchain a compiler belongs to: asked from its own packager, never guessed from a version number."""

from __future__ import annotations

import os

from ..codec.layout import ENTRY, PREFIX, VERSIONS, matches
from .compiler import compiler_command, default_compiler, program_of, run
from .temporary import temporary_folder

__all__ = ["probe_toolchain"]

_PACKAGERS = ("llvm-offload-binary", "clang-offload-packager")
_BY_VERSION = {2: "llvm-23", 3: "llvm-24"}
_BY_HIP_NUMBER = {3: "llvm-20", 4: "llvm-22"}


def probe_toolchain(compiler: str | None = None) -> str | None:
    """The toolchain whose bytes a compiler's packager writes, or None where the compiler has no packager.

    The packager packs one empty hip image; format version and kind number tell.  ``llvm-20`` stands for LLVM 15 to
    20, ``llvm-22`` for 21 and 22: the bytes are the same.  Raises HostError where the compiler or the packager fails.
    """
    packager = program_of(compiler_command(compiler or default_compiler()), _PACKAGERS)
    if packager is None:
        return None
    with temporary_folder() as folder:
        with open(os.path.join(folder, "empty"), "wb"):
            pass
        image = "--image=file=empty,triple=amdgcn-amd-amdhsa,arch=gfx90a,kind=hip"
        run([packager, "-o", "probe.bin", image], folder)
        with open(os.path.join(folder, "probe.bin"), "rb") as probe:
            return _toolchain_of(probe.read(4096))


def _toolchain_of(content: bytes) -> str | None:
    if not matches(content) or len(content) < PREFIX.size:
        return None
    _, version = PREFIX.unpack_from(content)
    offset = VERSIONS[1].header_size
    if version != 1 or len(content) < offset + ENTRY.size:
        return _BY_VERSION.get(version)
    return _BY_HIP_NUMBER.get(ENTRY.unpack_from(content, offset)[1])
