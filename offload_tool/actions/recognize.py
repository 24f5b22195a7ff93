"""One ordered table that tells what a file is, from its first bytes and never from its suffix."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum

from ..codec import layout as offload_binary
from ..containers import archive_reader, bitcode, coff, pe
from ..gpu import cubin, cuda_fatbin, hip_bundle, ptx, spirv
from ..model import ImageKind, Toolchain
from ..wire import elf_head

__all__ = ["HEAD_SIZE", "FileKind", "image_kind_of", "recognize"]

HEAD_SIZE = 512
"""Bytes from the start of a file that suffice to tell what it is."""


class FileKind(Enum):
    """What a file is; the value is how messages call it."""

    OFFLOAD_BINARY = "an offload binary"
    CUBIN = "a cubin"
    ELF = "an ELF file"
    BITCODE = "LLVM bitcode"
    ARCHIVE = "a static archive"
    CUDA_FATBIN = "a CUDA fatbin"
    HIP_BUNDLE = "a Clang offload bundle"
    SPIRV = "a SPIR-V module"
    PTX = "PTX text"
    PE = "a PE image"
    COFF = "a COFF object"
    UNKNOWN = "of no known kind"


_TABLE: tuple[tuple[Callable[[bytes], bool], FileKind], ...] = (
    (offload_binary.matches, FileKind.OFFLOAD_BINARY),
    (cubin.matches, FileKind.CUBIN),
    (elf_head.matches, FileKind.ELF),
    (bitcode.matches, FileKind.BITCODE),
    (archive_reader.matches, FileKind.ARCHIVE),
    (cuda_fatbin.matches, FileKind.CUDA_FATBIN),
    (hip_bundle.matches, FileKind.HIP_BUNDLE),
    (spirv.matches, FileKind.SPIRV),
    (ptx.matches, FileKind.PTX),
    (pe.matches, FileKind.PE),
    (coff.matches, FileKind.COFF),
)

_IMAGE_KINDS = {
    FileKind.CUBIN: ImageKind.CUBIN,
    FileKind.ELF: ImageKind.OBJECT,
    FileKind.BITCODE: ImageKind.BITCODE,
    FileKind.CUDA_FATBIN: ImageKind.FATBINARY,
    FileKind.SPIRV: ImageKind.SPIRV,
    FileKind.PTX: ImageKind.PTX,
    FileKind.HIP_BUNDLE: ImageKind.NONE,
}


def recognize(head: bytes) -> FileKind:
    r"""What begins with these bytes.

    >>> recognize(b"\x10\xff\x10\xad")
    <FileKind.OFFLOAD_BINARY: 'an offload binary'>
    """
    return next((kind for matches, kind in _TABLE if matches(head)), FileKind.UNKNOWN)


def image_kind_of(found: FileKind, path: str, toolchain: Toolchain) -> ImageKind:
    """The image kind of a file: its bytes decide, where they tell nothing its suffix; ``.ptx`` is PTX."""
    if found in _IMAGE_KINDS:
        return _IMAGE_KINDS[found]
    suffix = os.path.splitext(path)[1][1:]
    return ImageKind.PTX if suffix == "ptx" else toolchain.image_kind_of_suffix(suffix)
