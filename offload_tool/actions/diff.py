"""How the device images of two files differ, whatever files they are in and however they are stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from ..frozen import frozen, replace
from ..wire.decode import decoded
from .inspection.report import Inspection, inspect_file
from .inspection.rows import KernelRow, ObjectRow
from .mapping import mapped
from .pairing import Entry, paired

__all__ = ["ChangedImage", "ChangedKernel", "Difference", "diff_files", "difference"]

_DECLARED = ("kind", "target", "triple")
_COMPARED = (*_DECLARED, "payload_target")
_KERNEL_NUMBERS = ("registers", "shared_bytes", "arguments_bytes", "code_bytes")


@frozen
class ChangedKernel:
    """A kernel that both images have: ``numbers`` are those that differ, each with its two values."""

    name: str
    numbers: Mapping[str, tuple[int | None, int | None]]


@frozen
class ChangedImage:
    """An image that is in both files and not the same.

    ``values`` are what is declared differently (kind, target, payload_target, triple), each with its two values.
    ``has_other_bytes`` tells whether the bytes differ.  Kernels are compared where they were asked for, by name.
    """

    old: ObjectRow
    new: ObjectRow
    values: Mapping[str, tuple[str | None, str | None]]
    has_other_bytes: bool
    kernels_added: tuple[str, ...] = ()
    kernels_removed: tuple[str, ...] = ()
    kernels_changed: tuple[ChangedKernel, ...] = ()


@frozen
class Difference:
    """What is in ``b`` and not in ``a`` (added), the other way round (removed), and what is in both but not the same.

    Images are in the order of their file.
    """

    a: Inspection
    b: Inspection
    added: tuple[ObjectRow, ...]
    removed: tuple[ObjectRow, ...]
    changed: tuple[ChangedImage, ...]

    @property
    def is_empty(self) -> bool:
        """Whether both files hold the same images."""
        return not (self.added or self.removed or self.changed)


def diff_files(a: str, b: str, *, kernels: bool = False) -> Difference:
    """The difference between the device images of two files of any kinds that can be inspected.

    Images are the same that are for one target and triple and of one kind; where there are several, those with equal
    bytes, then in their order.  Where and how they are stored does not count.  Raises OffloadError where a file cannot
    be read.

    >>> diff_files("old.bin", "new.bin").is_empty  # doctest: +SKIP
    True
    """
    old, new = (inspect_file(path, kernels=kernels, payload_digests=True) for path in (a, b))
    return difference(old, new)


def difference(a: Inspection, b: Inspection) -> Difference:
    """The same for files that are inspected already, with the digests of their payloads.

    Kernels are compared where both inspections have them.  Raises OffloadError where a file cannot be read any more.
    """
    old, new = _read(a), _read(b)
    partners = _partners(old, new)
    known = set(partners.values())
    changed = (_changed(old, number, new, other) for number, other in sorted(partners.items()))
    return Difference(
        a=old.inspection, b=new.inspection,
        added=tuple(row for number, row in enumerate(new.rows) if number not in known),
        removed=tuple(row for number, row in enumerate(old.rows) if number not in partners),
        changed=tuple(one for one in changed if one is not None),
    )  # fmt: skip


@frozen
class _Side:
    """One file: its rows, of each image what tells its bytes from others', and the kernels by the image's id."""

    inspection: Inspection
    rows: Sequence[ObjectRow]
    contents: Sequence[str]
    kernels: Mapping[str, Mapping[str, KernelRow]] | None


def _read(inspection: Inspection) -> _Side:
    by_object: dict[str, dict[str, KernelRow]] = {}
    for kernel in inspection.kernels or ():
        by_object.setdefault(kernel.object_id, {}).setdefault(kernel.name, kernel)
    with mapped(inspection.file) as data:
        contents = [_content(row, data, inspection.file) for row in inspection.objects]
    return _Side(
        inspection=inspection, rows=inspection.objects, contents=contents,
        kernels=None if inspection.kernels is None else by_object,
    )  # fmt: skip


def _content(row: ObjectRow, data: memoryview, path: str) -> str:
    """A digest of the decoded bytes; where they cannot be had, of the stored ones; else nothing equals it."""
    if row.encoded_offset is None:
        return row.payload_sha256 or f"{path} {row.id}"
    stored = data[row.encoded_offset : row.encoded_offset + row.encoded_size]
    if row.payload_sha256 is None:
        return f"{row.compression} {hashlib.sha256(stored).hexdigest()}"
    if row.kind != "ptx" or row.decoded_offset is not None:
        return row.payload_sha256
    # In fatbins a text ends with zeros, more of them where it is stored plain.
    size = row.encoded_size if row.decoded_size is None else row.decoded_size
    return hashlib.sha256(b"".join(decoded(row.compression, stored, size)).rstrip(b"\0")).hexdigest()


def _partners(old: _Side, new: _Side) -> dict[int, int]:
    """By target, kind and triple; then without the triple, which not every container has; then by the bytes alone."""
    found: dict[int, int] = {}
    for fields in (("kind", "target", "triple"), ("kind", "target"), ()):
        taken = set(found.values())
        found.update(paired(dict(_entries(old, found, fields)), dict(_entries(new, taken, fields))))
    return found


def _entries(side: _Side, but: set[int] | dict[int, int], fields: Sequence[str]) -> Iterator[tuple[int, Entry]]:
    """What is not paired yet, by number; without ``fields`` the bytes alone tell what an image is."""
    for number, (row, content) in enumerate(zip(side.rows, side.contents, strict=True)):
        if number not in but:
            named = _named(row)
            yield number, (tuple(getattr(named, field) for field in fields) or content, content)


def _named(row: ObjectRow) -> ObjectRow:
    """The row with the target that listings call it by."""
    return replace(row, target=row.target or row.payload_target)


def _changed(old: _Side, number: int, new: _Side, other: int) -> ChangedImage | None:
    before, after = old.rows[number], new.rows[other]
    has_other_bytes = old.contents[number] != new.contents[other]
    # How exactly equal bytes were read depends on how they are stored.
    fields = _COMPARED if has_other_bytes else _DECLARED
    values = {field: pair for field in fields if _differ(*(pair := _pair(before, after, field)))}
    if not values and not has_other_bytes:
        return None
    found = ChangedImage(old=before, new=after, values=values, has_other_bytes=has_other_bytes)
    if old.kernels is None or new.kernels is None or not has_other_bytes:
        return found
    return _with_kernels(found, old.kernels.get(before.id, {}), new.kernels.get(after.id, {}))


def _pair(before: ObjectRow, after: ObjectRow, field: str) -> tuple[str | None, str | None]:
    return getattr(_named(before), field), getattr(_named(after), field)


def _differ(one: str | None, other: str | None) -> bool:
    """What only one of them tells is no difference."""
    return one is not None and other is not None and one != other


def _with_kernels(found: ChangedImage, before: Mapping[str, KernelRow], after: Mapping[str, KernelRow]) -> ChangedImage:
    changed = [
        ChangedKernel(name=name, numbers=numbers)
        for name, kernel in before.items()
        if name in after and (numbers := _numbers(kernel, after[name]))
    ]
    return replace(
        found, kernels_added=tuple(name for name in after if name not in before),
        kernels_removed=tuple(name for name in before if name not in after), kernels_changed=tuple(changed),
    )  # fmt: skip


def _numbers(before: KernelRow, after: KernelRow) -> dict[str, tuple[int | None, int | None]]:
    pairs = {field: (getattr(before, field), getattr(after, field)) for field in _KERNEL_NUMBERS}
    return {field: pair for field, pair in pairs.items() if pair[0] != pair[1]}
