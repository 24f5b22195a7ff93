"""What a payload's own bytes say: its kind, its target, its kernels."""

from __future__ import annotations

from ...errors import FormatError
from ...gpu.payload import Examined, PayloadFault
from ...gpu.payload_kind import kind_of
from ...gpu.readers import head_reader, whole_reader
from .located import Located

__all__ = ["UNSUPPORTED", "examine"]

UNSUPPORTED = ("bitcode", "lto-ir", "optix-ir", "spirv", "assembly", "llvm-ir", "preprocessed", "host")
"""Kinds of payloads whose kernels cannot be told."""


def examine(found: Located, *, kernels: bool) -> Examined:
    """What the payload says of itself; only its first bytes are decoded unless ``kernels`` are wanted.

    A stored payload is looked at in full where its first bytes do not tell the target for certain.  A fault is in the
    result, never raised.
    """
    payload = found.payload
    if payload.fault is not None:
        return Examined(kind=payload.kind, target=None, fault=payload.fault)
    try:
        return _examined(found, found.head(), kernels=kernels)
    except FormatError as error:
        code = "bad-compression" if payload.compression != "none" else "bad-payload"
        return _faulty(payload.kind, PayloadFault(code=code, offset=error.offset, text=error.what))


def _examined(found: Located, head: bytes, *, kernels: bool) -> Examined:
    kind = _kind(head, found.payload.kind)
    declared = found.payload.kind
    if kind == "unknown":
        text = f"the payload is of no known kind; it begins with {head[:8].hex(' ')}"
        return _faulty(kind, PayloadFault(code="unknown-kind", offset=0, text=text))
    if declared in _TOLD and kind != declared:
        text = f"the payload is declared as {declared}, its bytes are not: {head[:8].hex(' ')}"
        return _faulty(declared, PayloadFault(code="bad-payload", offset=0, text=text))
    whole = whole_reader(kind)
    if whole is not None and kernels:
        return whole.examine(found.whole(), kernels=True)
    reader = whole or head_reader(kind)
    if reader is None:
        return Examined(kind=kind, target=None)
    examined = reader.examine_head(head)
    if whole is not None and not examined.is_exact and found.payload.compression == "none" and found.first is None:
        return whole.examine(found.whole(), kernels=False)
    return examined


_TOLD = ("cubin", "ptx")
"""Kinds that a container's number promises and that no other bytes are taken for."""


def _kind(head: bytes, declared: str) -> str:
    """The bytes' own word, but for what they cannot tell."""
    told = kind_of(head)
    if told == "ptx" and declared == "relocatable-ptx":
        return declared
    return declared if told == "unknown" else told


def _faulty(kind: str, fault: PayloadFault) -> Examined:
    return Examined(kind=kind, target=None, fault=fault)
