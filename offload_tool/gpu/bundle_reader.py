"""Clang's offload bundles, read: layout in ``hip_bundle``.

Nothing in a bundle tells its size: it ends with the last of its objects.  A reader may have its first bytes only, as
of a compressed one; then the kinds are those that the entry ids promise.
"""

from __future__ import annotations

from ..errors import FormatError
from ..frozen import frozen
from ..limits import BUNDLE_ENTRIES, BUNDLE_ID_BYTES
from ..wire.bounded import span, unpack
from .entry_id import EntryId, parse_entry_id
from .hip_bundle import ENTRY, HEADER, MAGIC
from .payload import Contents, Payload, PayloadFault
from .payload_kind import HEAD_SIZE, kind_of

__all__ = ["promised_kind", "read_bundle", "read_bundle_head"]

_KINDS = {"amdgcn": "code-object", "nvptx": "cubin", "nvptx64": "cubin", "spirv": "spirv", "spirv64": "spirv"}
"""What the objects of an architecture are, where their bytes are not at hand."""


@frozen
class _Row:
    """An entry of the table: ``header_offset`` and ``offset`` count from the start of the bundle."""

    header_offset: int
    offset: int
    size: int
    text: str
    entry_id: EntryId


@frozen
class _Table:
    """The entries that could be read; ``fault`` is what kept the others from it, its offset counts as theirs."""

    rows: tuple[_Row, ...]
    end: int
    fault: PayloadFault | None


def read_bundle(data: memoryview, offset: int = 0) -> Contents:
    """The entries of the bundle at ``offset``, in the order of its table; empty host entries are no payloads.

    Offsets count bytes from the start of ``data``.  ``declared`` is the entry id as written.  A fault of one entry is
    that payload's; one that makes the rest of the table unreadable is the bundle's.

    >>> read_bundle(memoryview(b"__CLANG_OFFLOAD_BUNDLE__" + bytes(8))).end
    32
    """
    return _read(data[offset:], max(len(data) - offset, 0), offset)


def read_bundle_head(head: memoryview, size: int) -> Contents:
    """The same of a bundle of ``size`` bytes that begins with ``head``, where its table should be.

    A table that goes on beyond ``head`` has the fault ``truncated``.
    """
    return _read(head, size, 0)


def promised_kind(entry_id: EntryId) -> str:
    """What an entry should be by its id: a code object, a cubin, SPIR-V, the host's, or unknown."""
    return "host" if entry_id.is_host else _KINDS.get(entry_id.triple.partition("-")[0], "unknown")


def _read(bundle: memoryview, size: int, base: int) -> Contents:
    table = _table(bundle, size)
    rows = [row for row in table.rows if row.size or not row.entry_id.is_host]
    faults = _faults(rows, table.end, size)
    payloads = (_payload(row, bundle, base, faults.get(number)) for number, row in enumerate(rows))
    is_sound = table.fault is None and all(_is_inside(row, size) for row in rows)
    end = max([table.end, *(row.offset + row.size for row in rows)]) if is_sound else size
    return Contents(payloads=tuple(payloads), end=base + end, fault=_moved(table.fault, base))


def _table(bundle: memoryview, size: int) -> _Table:
    rows: list[_Row] = []
    position, first_object = HEADER.size, size
    try:
        magic, count = unpack(HEADER, bundle, 0, "the header of an offload bundle")
        fault = _header_fault(magic, count, size)
        # A table whose count is wrong ends where the first object begins.
        most = min(count, BUNDLE_ENTRIES) if magic == MAGIC else 0
        while len(rows) < most and not (fault and position + ENTRY.size > first_object):
            row, position = _row(bundle, position)
            rows.append(row)
            first_object = min(first_object, row.offset) if row.size else first_object
    except FormatError as error:
        fault = PayloadFault(code="truncated", offset=error.offset, text=error.what)
    return _Table(rows=tuple(rows), end=position, fault=fault)


def _header_fault(magic: bytes, count: int, size: int) -> PayloadFault | None:
    if magic != MAGIC:
        text = f"an offload bundle begins with {MAGIC!r}, here with {magic!r}"
        return PayloadFault(code="bad-header", offset=0, text=text)
    most = (size - HEADER.size) // ENTRY.size
    if count > most:
        text = f"the offload bundle claims {count} entries; its {size} bytes hold at most {most}"
        return PayloadFault(code="bad-header", offset=len(MAGIC), text=text)
    if count > BUNDLE_ENTRIES:
        text = f"the offload bundle claims {count} entries; at most {BUNDLE_ENTRIES} are read"
        return PayloadFault(code="too-large", offset=len(MAGIC), text=text)
    return None


def _row(bundle: memoryview, position: int) -> tuple[_Row, int]:
    what = "an entry of the offload bundle"
    offset, size, id_size = unpack(ENTRY, bundle, position, what)
    # A longer one is as good as absent: no bundle of a compiler has such an id.
    kept = bundle[: position + ENTRY.size + BUNDLE_ID_BYTES]
    text = bytes(span(kept, position + ENTRY.size, id_size, f"the id of {what}")).decode("utf-8", "surrogateescape")
    row = _Row(header_offset=position, offset=offset, size=size, text=text, entry_id=parse_entry_id(text))
    return row, position + ENTRY.size + id_size


def _faults(rows: list[_Row], table_end: int, size: int) -> dict[int, PayloadFault]:
    faults = _overlaps(rows, size)
    for number, row in enumerate(rows):
        there = f"bytes {row.offset} to {row.offset + row.size}"
        if not _is_inside(row, size):
            code = "bad-offset" if row.offset > size else "bad-size" if row.offset + row.size >> 64 else "truncated"
            text = f"entry {row.text!r} is at {there} of a bundle of {size}"
            faults[number] = PayloadFault(code=code, offset=row.header_offset, text=text)
        elif row.size and row.offset < table_end:
            text = f"entry {row.text!r} is at {there}, but the table of the bundle ends at {table_end}"
            faults[number] = PayloadFault(code="bad-offset", offset=row.header_offset, text=text)
    return faults


def _overlaps(rows: list[_Row], size: int) -> dict[int, PayloadFault]:
    """Faults of the entries that share bytes, both of a pair: nothing tells which is wrong."""
    faults: dict[int, PayloadFault] = {}
    placed = [number for number, row in enumerate(rows) if row.size and _is_inside(row, size)]
    furthest: int | None = None
    for number in sorted(placed, key=lambda each: rows[each].offset):
        row = rows[number]
        if furthest is not None and row.offset < rows[furthest].offset + rows[furthest].size:
            for one, other in ((number, furthest), (furthest, number)):
                text = f"entry {rows[one].text!r} shares bytes with entry {rows[other].text!r}"
                faults[one] = PayloadFault(code="overlap", offset=rows[one].header_offset, text=text)
        if furthest is None or row.offset + row.size > rows[furthest].offset + rows[furthest].size:
            furthest = number
    return faults


def _payload(row: _Row, bundle: memoryview, base: int, fault: PayloadFault | None) -> Payload:
    head_size = min(row.size, HEAD_SIZE)
    if row.offset + head_size > len(bundle) or row.entry_id.is_host:
        kind = promised_kind(row.entry_id)
    else:
        kind = kind_of(bytes(bundle[row.offset : row.offset + head_size]))
    return Payload(
        kind=kind, target=row.entry_id.target, declared=row.text, triple=row.entry_id.triple,
        header_offset=base + row.header_offset, encoded_offset=base + row.offset, encoded_size=row.size,
        decoded_size=row.size, fault=_moved(fault, base),
    )  # fmt: skip


def _is_inside(row: _Row, size: int) -> bool:
    return row.offset <= size and row.size <= size - row.offset


def _moved(fault: PayloadFault | None, distance: int) -> PayloadFault | None:
    if fault is None or fault.offset is None:
        return fault
    return PayloadFault(code=fault.code, offset=fault.offset + distance, text=fault.text)
