"""Images held against what is declared of them: by their first bytes when packing, as far as need be when verifying."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache

from ..gpu.agreement import Contradiction, Declaration, contradictions, may_hide_ptx
from ..gpu.payload import Examined
from ..gpu.payload_kind import kind_of
from ..gpu.readers import head_reader, whole_reader
from ..model import Image
from ..wire.elf_head import IDENTITY_SIZE, MAGIC
from .planning import ImageFile, open_image
from .recognize import FileKind, recognize

__all__ = ["image_contradictions", "promised_suffix", "stored_contradictions"]

_LONGER_HEAD = 4096
"""Bytes that are read of PTX whose first comment is a long one."""

_TOLD_SIZE = 28
"""Size of what ``_telling`` leaves of a whole ELF header; of a cut one it leaves less."""

_HOSTS = {FileKind.PE: "pe", FileKind.COFF: "coff"}
"""What is told apart from unknown bytes, though no payload is of these kinds."""


def image_contradictions(one: ImageFile) -> tuple[Contradiction, ...]:
    """What the first bytes of an image's file deny of its declaration."""
    image, head = one.image, one.head
    if head[:4] == MAGIC:
        head = _telling(head)
    elif one.found is FileKind.PTX:
        head = _target_line(head) or _longer_head(image)
    elif one.found is FileKind.UNKNOWN and may_hide_ptx(head):
        head = _longer_head(image)
    image_kind = "" if image.image_kind is None else image.image_kind.word
    return _denied(image.triple, image.arch, image.kind.value, image_kind, promised_suffix(image), head)


def stored_contradictions(declared: Declaration, content: memoryview) -> Iterator[Contradiction]:
    """What the bytes of a stored image deny of its declaration; all of them are read where the first do not tell."""
    head = bytes(content[:_LONGER_HEAD])
    examined = _examined_head(head)
    whole = whole_reader(examined.kind)
    if whole is not None and (not examined.is_exact or examined.target is None):
        examined = whole.examine(content, kernels=False)
    return contradictions(declared, examined, head, size=len(content))


def promised_suffix(image: Image) -> str:
    """What follows the last dot of a file's name, in small letters; nothing where its kind is declared in words.

    >>> from offload_tool.model import OffloadKind
    >>> promised_suffix(Image(file="/p/k.HSACO", triple="amdgcn-amd-amdhsa", kind=OffloadKind.HIP))
    'hsaco'
    """
    if image.image_kind is not None:
        return ""
    stem, _, suffix = image.file.rpartition(".")
    return suffix.lower() if stem and "/" not in suffix and stem[-1] != "/" else ""


@lru_cache(maxsize=4096)
def _denied(
    triple: str, arch: str, kind: str, image_kind: str, suffix: str, head: bytes, /
) -> tuple[Contradiction, ...]:
    """Kept, since thousands of images of one build have few different targets and headers."""
    declared = Declaration(triple=triple, arch=arch, kind=kind, image_kind=image_kind, suffix=suffix)
    head = _untold(head) if head[:4] == MAGIC else head
    return tuple(contradictions(declared, _examined_head(head), head, size=len(head)))


def _examined_head(head: bytes) -> Examined:
    kind = _kind(head)
    reader = head_reader(kind)
    return Examined(kind=kind, target=None) if reader is None else reader.examine_head(head)


def _telling(head: bytes) -> bytes:
    """What tells one ELF file's target from another's: the first 20 bytes, and the flags of both classes of files.

    All else in the header is offsets and counts, which differ for nearly every file.  See ``_untold``.
    """
    return head[:20] if len(head) < IDENTITY_SIZE else head[:20] + head[36:40] + head[48:52]


def _untold(told: bytes) -> bytes:
    """The ELF header again, with zeros where ``_telling`` left something out; a cut header as it is."""
    if len(told) != _TOLD_SIZE:
        return told
    return b"".join((told[:20], bytes(16), told[20:24], bytes(8), told[24:28], bytes(12)))


def _target_line(head: bytes) -> bytes | None:
    """The lines from ``.version`` to ``.target``, the same in many files; None where they stand otherwise.

    They are found where both begin a line and no comment of several lines is about.
    """
    start = head.find(b".version")
    target = head.find(b"\n.target", start)
    end = head.find(b"\n", target + 1)
    if min(start, target, end) < 0 or b"/*" in head[:end] or head[:start][-1:] not in (b"\n", b""):
        return None
    return head[start : end + 1]


def _kind(head: bytes) -> str:
    word = kind_of(head)
    return _HOSTS.get(recognize(head), word) if word == "unknown" else word


def _longer_head(image: Image) -> bytes:
    try:
        descriptor = open_image(image)
    except OSError:
        return b""  # it was there a moment ago; copying it will tell
    try:
        return os.pread(descriptor, _LONGER_HEAD, 0)
    finally:
        os.close(descriptor)
