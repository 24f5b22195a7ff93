"""What a page shows of one file, as values that JSON has.

Tables are columns, lists of equal length: a page for tens of thousands of kernels stays small, and so does the time
that a browser takes to read it.  Texts from the file are numbers in the page's strings, rows are named by their number.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ...gpu.consistency import vendor_of
from ...limits import REPORT_KERNELS, REPORT_OBJECTS
from ..inspection.rows import KernelRow, ObjectRow
from .duplicates import Duplicates, Group, duplicates
from .reading import Reading, size_of, target_of
from .strings import Strings

__all__ = ["base_name", "file_model"]

_GROUPS = 200
"""Groups of duplicates that are listed; all are counted."""
_NAMES = 4
"""Names that are told of one group."""

_Columns: TypeAlias = dict[str, list[Any]]


def file_model(reading: Reading, strings: Strings) -> dict[str, Any]:
    """The file's name without its folders, its size, and the tables of targets, objects, kernels and duplicates."""
    inspection = reading.inspection
    kernels = inspection.kernels or ()
    shown_objects = _largest([size_of(row) for row in inspection.objects], REPORT_OBJECTS)
    places = {inspection.objects[number].id: place for place, number in enumerate(shown_objects)}
    held = [number for number, kernel in enumerate(kernels) if kernel.object_id in places]
    shown_kernels = _chosen(held, [kernels[number].code_bytes or 0 for number in held], REPORT_KERNELS)
    equal = duplicates(reading)
    return {
        "name": strings.number(base_name(inspection.file)), "bytes": reading.size, "coverage": inspection.coverage,
        "counts": {"objects": len(inspection.objects), "kernels": len(kernels)},
        "targets": _targets(reading, strings),
        "objects": _objects(reading, shown_objects, _numbers_of(equal.payloads), strings),
        "kernels": _kernels(kernels, shown_kernels, places, _numbers_of(equal.kernels), strings),
        "duplicates": _duplicates(reading, equal, strings),
        "compression": _compression(reading),
    }  # fmt: skip


def base_name(path: str) -> str:
    """The last part of a path: where a file lies is nobody's business who reads a report.

    >>> base_name("/home/somebody/libsaxpy.so")
    'libsaxpy.so'
    """
    return os.path.basename(path.rstrip("/")) or path


def _largest(sizes: Sequence[int], count: int) -> list[int]:
    return _chosen(range(len(sizes)), sizes, count)


def _chosen(numbers: Sequence[int], sizes: Sequence[int], count: int) -> list[int]:
    """The ``count`` numbers of the largest sizes, in their order."""
    if len(numbers) <= count:
        return list(numbers)
    by_size = sorted(range(len(numbers)), key=lambda place: -sizes[place])
    return sorted(numbers[place] for place in by_size[:count])


def _targets(reading: Reading, strings: Strings) -> _Columns:
    rows = reading.inspection.targets
    stored: dict[str | None, int] = {}
    for row, size in zip(reading.inspection.objects, reading.stored, strict=True):
        stored[target_of(row)] = stored.get(target_of(row), 0) + size
    return {
        "vendor": [row.vendor for row in rows],
        "target": [strings.number(row.target) for row in rows],
        "kinds": [", ".join(row.kinds) for row in rows],
        "objects": [row.objects for row in rows],
        "stored": [stored.get(row.target, 0) for row in rows],
        "decoded": [row.decoded_bytes for row in rows],
        "kernels": [row.kernels for row in rows],
        "coverage": [row.coverage for row in rows],
    }


def _objects(reading: Reading, shown: Sequence[int], equal: Mapping[int, int], strings: Strings) -> _Columns:
    rows = [reading.inspection.objects[number] for number in shown]
    numbers = {row.target: number for number, row in enumerate(reading.inspection.targets)}
    columns = {name: [getattr(row, name) for row in rows] for name in ("id", "kind", "compression", "coverage")}
    texts = {name: [strings.number(getattr(row, name)) for row in rows] for name in ("container", "member", "section")}
    return {
        **columns, **texts,
        "target": [numbers[target_of(row)] for row in rows],
        "stored": [reading.stored[number] for number in shown],
        "decoded": [size_of(row) for row in rows],
        "agrees": [row.target_consistency for row in rows],
        "fault": [strings.number(_fault(row)) for row in rows],
        "equal": [equal.get(number, 0) for number in shown],
    }  # fmt: skip


def _fault(row: ObjectRow) -> str | None:
    return None if row.fault is None else f"{row.fault.code}: {row.fault.text}"


def _kernels(
    kernels: Sequence[KernelRow],
    shown: Sequence[int],
    places: Mapping[str, int],
    equal: Mapping[int, int],
    strings: Strings,
) -> _Columns:
    rows = [kernels[number] for number in shown]
    return {
        "object": [places[row.object_id] for row in rows],
        "name": [strings.number(row.name) for row in rows],
        "code": [row.code_bytes for row in rows],
        "registers": [row.registers for row in rows],
        "shared": [row.shared_bytes for row in rows],
        "arguments": [row.arguments_bytes for row in rows],
        "equal": [equal.get(number, 0) for number in shown],
    }


def _numbers_of(groups: Sequence[Group]) -> dict[int, int]:
    """For each row that has an equal the number of its group, from 1."""
    return {row: number for number, group in enumerate(groups, 1) for row in group.rows}


def _duplicates(reading: Reading, equal: Duplicates, strings: Strings) -> dict[str, Any]:
    objects, kernels = reading.inspection.objects, reading.inspection.kernels or ()
    by_id = {row.id: row for row in objects}
    payloads = [
        _group(group, [f"{row.kind} {row.id}" for row in (objects[number] for number in group.rows)],
               [objects[number] for number in group.rows], strings)
        for group in equal.payloads[:_GROUPS]
    ]  # fmt: skip
    codes = [
        _group(group, [kernels[number].name for number in group.rows],
               [by_id[kernels[number].object_id] for number in group.rows], strings)
        for group in equal.kernels[:_GROUPS]
    ]  # fmt: skip
    return {"payloads": _counted(equal.payloads, payloads), "kernels": _counted(equal.kernels, codes)}


def _counted(groups: Sequence[Group], listed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "count": len(groups), "spare": sum(group.spare for group in groups), "listed": list(listed),
        "copies": sum(len(group.rows) - 1 for group in groups),
    }  # fmt: skip


def _group(group: Group, names: Sequence[str], held_by: Sequence[ObjectRow], strings: Strings) -> dict[str, Any]:
    different = list(dict.fromkeys(names))
    targets = dict.fromkeys(target_of(row) for row in held_by)
    return {
        "names": [strings.number(name) for name in different[:_NAMES]], "more": max(0, len(different) - _NAMES),
        "targets": [strings.number(target) for target in targets], "copies": len(group.rows), "spare": group.spare,
        "vendor": vendor_of(next(iter(targets), None)),
    }  # fmt: skip


def _compression(reading: Reading) -> dict[str, Any]:
    """A row a target: what was tried of it, decoded, as stored, and by each method."""
    trials = reading.trials
    found = [trials.by_target.get(row.target) for row in reading.inspection.targets]
    return {
        "methods": list(trials.methods),
        "decoded": [0 if trial is None else trial.decoded for trial in found],
        "stored": [0 if trial is None else trial.stored for trial in found],
        "sizes": [
            [0 if trial is None else trial.sizes.get(name, 0) for trial in found] for name in trials.methods
        ],
    }  # fmt: skip
