"""What a page shows of two files: what was added, removed and changed, as values that JSON has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...limits import REPORT_KERNELS, REPORT_OBJECTS
from ..diff import ChangedImage, Difference
from ..inspection.rows import KernelRow, ObjectRow
from .reading import size_of, target_of
from .strings import Strings

__all__ = ["comparison_model"]


def comparison_model(found: Difference, strings: Strings) -> dict[str, Any]:
    """Lists of images and of kernels, those of changed images; what there is no room for is only counted."""
    images = [
        *(_image("added", None, row, strings) for row in found.added),
        *(_image("removed", row, None, strings) for row in found.removed),
        *(_changed(one, strings) for one in found.changed),
    ]
    sizes = _Sizes(found)
    kernels = [row for one in found.changed for row in _kernels(one, sizes, strings)]
    return {
        "added": len(found.added), "removed": len(found.removed), "changed": len(found.changed),
        "images": images[:REPORT_OBJECTS], "image_count": len(images),
        "kernels": kernels[:REPORT_KERNELS], "kernel_count": len(kernels),
    }  # fmt: skip


def _image(change: str, old: ObjectRow | None, new: ObjectRow | None, strings: Strings) -> dict[str, Any]:
    row = new or old
    assert row is not None
    return {
        "change": change, "kind": row.kind, "target": strings.number(target_of(row)),
        "member": strings.number(row.member), "before": None if old is None else size_of(old),
        "after": None if new is None else size_of(new), "what": [],
    }  # fmt: skip


def _changed(one: ChangedImage, strings: Strings) -> dict[str, Any]:
    values = [[name, strings.number(old), strings.number(new)] for name, (old, new) in one.values.items()]
    return {**_image("changed", one.old, one.new, strings), "what": values}


class _Sizes:
    """Bytes of code of each side's kernels by object and name."""

    def __init__(self, found: Difference) -> None:
        self.old = _by_object(found.a.kernels)
        self.new = _by_object(found.b.kernels)


def _by_object(kernels: tuple[KernelRow, ...] | None) -> dict[tuple[str, str], int | None]:
    found: dict[tuple[str, str], int | None] = {}
    for row in kernels or ():
        found.setdefault((row.object_id, row.name), row.code_bytes)
    return found


def _kernels(one: ChangedImage, sizes: _Sizes, strings: Strings) -> Iterator[dict[str, Any]]:
    def row(change: str, name: str, what: list[list[Any]]) -> dict[str, Any]:
        return {
            "change": change, "name": strings.number(name), "target": strings.number(target_of(one.new)),
            "before": sizes.old.get((one.old.id, name)), "after": sizes.new.get((one.new.id, name)), "what": what,
        }  # fmt: skip

    yield from (row("added", name, []) for name in one.kernels_added)
    yield from (row("removed", name, []) for name in one.kernels_removed)
    for kernel in one.kernels_changed:
        numbers = [[name, *pair] for name, pair in kernel.numbers.items() if name != "code_bytes"]
        yield row("changed", kernel.name, numbers)
