"""The rows of an inspection: one a payload, one a kernel, one a target."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import FormatError
from ...frozen import constructor, frozen, replace
from ...gpu.consistency import consistency
from ...gpu.payload import Examined, Kernel, PayloadFault
from .examining import UNSUPPORTED, examine
from .located import Located

__all__ = ["COVERAGES", "KernelRow", "ObjectRow", "object_rows"]

COVERAGES = {
    "complete": "everything that was asked for was read",
    "partial": "some of it could not be read, or container and payload contradict each other",
    "unsupported": "the format is known, and what it holds is not read",
    "malformed": "the bytes are damaged",
    "unexamined": "nothing was read of it",
}
"""Every word for how far something was read."""

_UNSUPPORTED_CODES = ("scrambled", "unknown-compression", "unknown-version", "unknown-kind")
_UNREAD_KINDS = ("bitcode", "spirv", "assembly", "llvm-ir", "preprocessed")
"""Kinds of which not even the target is read."""


@frozen
class ObjectRow:
    """One payload.  Offsets count from the start of the file, None where the bytes lie there in no one place.

    ``id`` is its position among the file's payloads, as text: it belongs to the file of one SHA-256.  ``target`` is
    what the container declares, ``declared`` its raw text, ``payload_target`` what the bytes say.  The bytes as stored
    are ``encoded_size`` from ``encoded_offset`` on; where several payloads share a compressed stream, that is the
    stream, and ``decoded_offset`` tells where in it this one begins once decoded.
    """

    id: str
    container: str | None
    member: str | None
    section: str | None
    kind: str
    target: str | None
    payload_target: str | None
    target_consistency: str
    coverage: str
    compression: str
    header_offset: int | None
    encoded_offset: int | None
    encoded_size: int
    decoded_offset: int | None
    decoded_size: int | None
    declared: str
    triple: str | None
    payload_sha256: str | None
    scanned: bool
    fault: PayloadFault | None


@frozen
class KernelRow:
    """One kernel of one payload; None where the format does not tell a number.

    ``code_offset`` counts in the decoded payload.
    """

    object_id: str
    name: str
    target: str | None
    payload_target: str | None
    target_consistency: str
    registers: int | None
    shared_bytes: int | None
    arguments_bytes: int | None
    code_offset: int | None
    code_bytes: int | None


def object_rows(found: Located, number: int, *, kernels: bool, digest: bool) -> tuple[ObjectRow, list[KernelRow]]:
    """The row of one payload, the ``number``-th of its file, and the rows of its kernels where they are wanted."""
    examined = examine(found, kernels=kernels)
    row = _object_row(found, examined, str(number), kernels=kernels)
    if digest and examined.fault is None:
        row = _with_digest(row, found)
    return row, _kernel_rows(row, examined.kernels or ())


def _object_row(found: Located, examined: Examined, identity: str, *, kernels: bool) -> ObjectRow:
    payload, place, stream = found.payload, found.place, found.stream
    agreement = consistency(payload.target, examined)
    encoded = payload if stream is None else stream
    return ObjectRow(
        id=identity, container=found.container, member=place.member, section=place.section,
        kind=examined.kind, target=payload.target, payload_target=examined.target, target_consistency=agreement,
        coverage=_coverage(examined, agreement, kernels=kernels), compression=encoded.compression,
        header_offset=_shifted(encoded.header_offset, found.base),
        encoded_offset=_shifted(payload.encoded_offset if stream is None else stream.offset, found.base),
        encoded_size=payload.encoded_size if stream is None else stream.size,
        decoded_offset=None if stream is None else payload.encoded_offset, decoded_size=payload.decoded_size,
        declared=payload.declared, triple=payload.triple, payload_sha256=None, scanned=place.is_scanned,
        fault=_fault(found, examined),
    )  # fmt: skip


def _shifted(offset: int, base: int | None) -> int | None:
    return None if base is None else base + offset


def _fault(found: Located, examined: Examined) -> PayloadFault | None:
    """The fault, told from the start of the file."""
    fault = examined.fault
    if fault is None or fault.offset is None or found.base is None:
        return fault if fault is None else replace(fault, offset=None)
    if found.place.fault is fault:
        return fault
    if found.stream is not None:
        return replace(fault, offset=found.base + found.stream.offset)
    if found.payload.fault is fault:
        return replace(fault, offset=found.base + fault.offset)
    inside = fault.offset if found.payload.compression == "none" else 0
    return replace(fault, offset=found.base + found.payload.encoded_offset + inside)


def _coverage(examined: Examined, agreement: str, *, kernels: bool) -> str:
    if examined.fault is not None:
        return "unsupported" if examined.fault.code in _UNSUPPORTED_CODES else "malformed"
    if examined.kind in _UNREAD_KINDS or (kernels and examined.kind in UNSUPPORTED):
        return "unsupported"
    lacks_kernels = kernels and examined.kernels is None
    return "partial" if agreement == "conflict" or lacks_kernels else "complete"


def _with_digest(row: ObjectRow, found: Located) -> ObjectRow:
    import hashlib

    try:
        return replace(row, payload_sha256=hashlib.sha256(found.whole()).hexdigest())
    except FormatError as error:
        fault = PayloadFault(code="bad-compression", offset=row.encoded_offset, text=error.what)
        return replace(row, coverage="malformed", fault=fault)


def _kernel_rows(row: ObjectRow, kernels: Iterable[Kernel]) -> list[KernelRow]:
    make_row = constructor(KernelRow)
    return [
        make_row(
            object_id=row.id, name=kernel.name, target=row.target, payload_target=row.payload_target,
            target_consistency=row.target_consistency, registers=kernel.registers, shared_bytes=kernel.shared_bytes,
            arguments_bytes=kernel.arguments_bytes, code_offset=kernel.code_offset, code_bytes=kernel.code_bytes,
        )
        for kernel in kernels
    ]  # fmt: skip
