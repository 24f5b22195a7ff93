"""What a file holds more than once: equal payloads, and equal kernels in payloads that differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from ...frozen import frozen
from .reading import Reading

__all__ = ["Duplicates", "Group", "duplicates"]


@frozen
class Group:
    """Rows, by their numbers in the inspection, that hold the same; ``spare`` are the bytes of all but one of them."""

    rows: Sequence[int]
    spare: int


@frozen
class Duplicates:
    """Groups, those that cost most first.  Of payloads bytes in the file count, of kernels those of their code."""

    payloads: Sequence[Group]
    kernels: Sequence[Group]


def duplicates(reading: Reading) -> Duplicates:
    """The groups of a file.  Kernels of a payload that is itself a copy are left out: the payload says it all."""
    objects, kernels = reading.inspection.objects, reading.inspection.kernels or ()
    payloads = _grouped((number, row.payload_sha256) for number, row in enumerate(objects))
    copies = {objects[number].id for rows in payloads for number in rows[1:]}
    codes = (
        (number, (code, kernels[number].code_bytes))
        for number, code in enumerate(reading.codes)
        if code is not None and kernels[number].object_id not in copies
    )
    return Duplicates(
        payloads=_by_cost(
            Group(rows=rows, spare=sum(reading.stored[number] for number in rows[1:])) for rows in payloads
        ),
        kernels=_by_cost(
            Group(rows=rows, spare=(kernels[rows[0]].code_bytes or 0) * (len(rows) - 1)) for rows in _grouped(codes)
        ),
    )


def _grouped(entries: Iterable[tuple[int, Hashable]]) -> list[list[int]]:
    groups: dict[Hashable, list[int]] = {}
    for number, key in entries:
        if key is not None:
            groups.setdefault(key, []).append(number)
    return [rows for rows in groups.values() if len(rows) > 1]


def _by_cost(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (-group.spare, group.rows[0]))
