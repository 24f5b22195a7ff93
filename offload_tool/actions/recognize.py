"""One ordered table that tells what a file is, from its first bytes and never from its suffix."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from ..model import ImageKind, Toolchain
from ..wire.elf_head import EM_CUDA, elf_head
from ..wire.magic import magic_word, may_begin_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    _Table: TypeAlias = tuple[tuple[Callable[[bytes], bool], "FileKind"], ...]

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
    TEXT_BUNDLE = "a Clang offload bundle of text"
    NVVM = "NVIDIA's LTO-IR"
    SPIRV = "a SPIR-V module"
    PTX = "PTX text"
    PE = "a PE image"
    COFF = "a COFF object"
    UNKNOWN = "of no known kind"

    __hash__ = object.__hash__  # that of Enum is no built-in one, and costs more than the look-up


_BY_MAGIC = {
    "offload-binary": FileKind.OFFLOAD_BINARY,
    "elf": FileKind.ELF,
    "bitcode": FileKind.BITCODE,
    "archive": FileKind.ARCHIVE,
    "fatbin": FileKind.CUDA_FATBIN,
    "bundle": FileKind.HIP_BUNDLE,
    "ccob": FileKind.HIP_BUNDLE,
    "lto-ir": FileKind.NVVM,
    "spirv": FileKind.SPIRV,
}

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
    word = magic_word(head)
    if word is None:
        return _recognize_closer(head)
    found = elf_head(head) if word == "elf" else None
    return FileKind.CUBIN if found is not None and found.e_machine == EM_CUDA else _BY_MAGIC[word]


def _recognize_closer(head: bytes) -> FileKind:
    """What has no magic worth the name."""
    for matches, kind in _texts() if may_begin_text(head) else _objects():
        if matches(head):
            return kind
    return FileKind.UNKNOWN


@lru_cache(maxsize=1)
def _texts() -> _Table:
    from ..gpu import ptx, text_bundle

    return ((text_bundle.matches, FileKind.TEXT_BUNDLE), (ptx.matches, FileKind.PTX))


@lru_cache(maxsize=1)
def _objects() -> _Table:
    from ..containers import coff, pe

    return ((pe.matches, FileKind.PE), (coff.matches, FileKind.COFF))


def image_kind_of(found: FileKind, path: str, toolchain: Toolchain) -> ImageKind:
    """The image kind of a file: its bytes decide, where they tell nothing its suffix; ``.ptx`` is PTX."""
    if found in _IMAGE_KINDS:
        return _IMAGE_KINDS[found]
    stem, _, suffix = path.rpartition("/")[2].rpartition(".")
    suffix = suffix if stem.strip(".") else ""  # the dot of a hidden file begins none
    return ImageKind.PTX if suffix == "ptx" else toolchain.image_kind_of_suffix(suffix)
