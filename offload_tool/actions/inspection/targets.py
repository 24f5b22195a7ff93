"""Rows that put the payloads of one target together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...frozen import frozen
from ...gpu.consistency import vendor_of
from .rows import ObjectRow

__all__ = ["TargetRow", "joined_coverage", "target_rows"]

_NUMBERS = re.compile(r"([0-9]+)")


@frozen
class TargetRow:
    """The payloads of one target; sizes are bytes.

    ``target`` is what their containers declare, or what their bytes say where those declare nothing.  ``conflicts``
    are other targets that their bytes name.  ``encoded_bytes`` counts a stream once that several of them share;
    ``decoded_bytes`` leaves out what nobody tells.  ``kernels`` is None unless they were asked for.
    """

    vendor: str
    target: str | None
    kinds: tuple[str, ...]
    objects: int
    encoded_bytes: int
    decoded_bytes: int
    kernels: int | None
    kernel_analysis: str
    coverage: str
    conflicts: tuple[str, ...]


def target_rows(objects: Sequence[ObjectRow], kernel_counts: dict[str, int] | None) -> list[TargetRow]:
    """A row a target, sorted by vendor and by target, numbers by their value.

    ``kernel_counts`` has the number of kernels of each object by its id; None says that they were not asked for.
    """
    groups: dict[tuple[str, str | None], list[ObjectRow]] = {}
    for row in objects:
        target = row.target or row.payload_target
        groups.setdefault((vendor_of(target), target), []).append(row)
    return [_row(*key, groups[key], kernel_counts) for key in sorted(groups, key=_order)]


def joined_coverage(coverages: Iterable[str]) -> str:
    """What several coverages are together: the one that all have, else partial; nothing at all is complete.

    >>> joined_coverage(["complete", "malformed"])
    'partial'
    """
    different = set(coverages)
    if len(different) > 1:
        return "partial"
    return different.pop() if different else "complete"


def _row(vendor: str, target: str | None, rows: list[ObjectRow], kernel_counts: dict[str, int] | None) -> TargetRow:
    extents = {(row.member, row.encoded_offset, row.encoded_size): row.encoded_size for row in rows}
    conflicts = {row.payload_target or "" for row in rows if row.target_consistency == "conflict"}
    counts = None if kernel_counts is None else [kernel_counts.get(row.id) for row in rows]
    return TargetRow(
        vendor=vendor, target=target, kinds=tuple(sorted({row.kind for row in rows})), objects=len(rows),
        encoded_bytes=sum(extents.values()), decoded_bytes=sum(row.decoded_size or 0 for row in rows),
        kernels=None if counts is None else sum(count or 0 for count in counts),
        kernel_analysis=_analysis(counts), coverage=joined_coverage(row.coverage for row in rows),
        conflicts=tuple(sorted(conflicts)),
    )  # fmt: skip


def _analysis(counts: list[int | None] | None) -> str:
    if counts is None:
        return "not-requested"
    return "partial" if None in counts else "complete"


def _order(key: tuple[str, str | None]) -> tuple[str, bool, list[tuple[str, int]]]:
    vendor, target = key
    pieces = _NUMBERS.split(target or "")
    numbered = [(text, int(number)) for text, number in zip(pieces[::2], [*pieces[1::2], "0"], strict=True)]
    return vendor, target is None, numbered
