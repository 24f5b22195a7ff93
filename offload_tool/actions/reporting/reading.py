"""One file read for a report: its inspection, and what only the payloads' bytes tell."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from ...errors import FormatError
from ...frozen import frozen
from ..inspection.located import Located
from ..inspection.report import Inspection, inspect_file
from ..inspection.rows import KernelRow, ObjectRow
from .trying import Trials

__all__ = ["Reading", "read", "size_of", "target_of"]

_DIGEST_BYTES = 16


@frozen
class Reading:
    """A file of ``size`` bytes.  ``stored`` are the bytes that each object takes in it, its share of what it shares.

    ``codes`` has for each kernel what equals that of kernels with the same instructions, None where they are unknown.
    """

    size: int
    inspection: Inspection
    stored: Sequence[int]
    codes: Sequence[bytes | None]
    trials: Trials


def read(path: str) -> Reading:
    """Reads a file whole; raises OffloadError where it cannot be read."""
    heads = inspect_file(path)
    stored = _stored(heads.objects)
    trials = Trials(sum(map(size_of, heads.objects)))
    codes: list[bytes | None] = []

    def look(found: Located, row: ObjectRow, kernels: Sequence[KernelRow]) -> None:
        content = _content(found)
        codes.extend(_code(content, kernel) for kernel in kernels)
        share = stored[int(row.id)] if int(row.id) < len(stored) else 0
        if row.fault is None:
            trials.see(target_of(row), content, share)

    inspection = inspect_file(path, kernels=True, payload_digests=True, look=look)
    return Reading(
        size=os.stat(path).st_size, inspection=inspection, stored=_stored(inspection.objects), codes=codes,
        trials=trials,
    )  # fmt: skip


def target_of(row: ObjectRow) -> str | None:
    """The target that listings call a payload by."""
    return row.target or row.payload_target


def size_of(row: ObjectRow) -> int:
    """Bytes once decoded, or as stored where nobody tells."""
    return row.encoded_size if row.decoded_size is None else row.decoded_size


def _stored(objects: Sequence[ObjectRow]) -> list[int]:
    """The bytes of each object in the file; what several share is divided as their decoded bytes are."""
    extents: dict[object, int] = {}
    keys = [(row.member, row.encoded_offset if row.encoded_offset is not None else row.id) for row in objects]
    for key, row in zip(keys, objects, strict=True):
        extents[key] = extents.get(key, 0) + size_of(row)
    return [
        row.encoded_size * size_of(row) // extents[key] if extents[key] else 0
        for key, row in zip(keys, objects, strict=True)
    ]


def _content(found: Located) -> memoryview:
    try:
        return found.whole() if found.payload.fault is None else memoryview(b"")
    except FormatError:
        return memoryview(b"")


def _code(content: memoryview, kernel: KernelRow) -> bytes | None:
    if kernel.code_offset is None or not kernel.code_bytes:
        return None
    code = content[kernel.code_offset : kernel.code_offset + kernel.code_bytes]
    if len(code) != kernel.code_bytes:
        return None
    return hashlib.blake2b(code, digest_size=_DIGEST_BYTES).digest()
