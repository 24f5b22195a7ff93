"""``offload-tool diff``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..actions.diff import ChangedImage, ChangedKernel, Difference, diff_files
from ..actions.inspection.report import Inspection
from ..actions.inspection.rows import ObjectRow
from ..errors import OffloadError
from .arguments import CommandParser
from .printing import complain_of, say, say_lines
from .table import table

__all__ = ["command_parser", "run"]

_TROUBLE = 2


def run(arguments: list[str]) -> int:
    """Shows how two files differ; exit status as that of diff: 0 equal, 1 different, 2 trouble."""
    options = command_parser().parse(arguments)
    try:
        found = diff_files(options.a, options.b, kernels=options.kernels)
    except OffloadError as error:
        complain_of(error, "offload-tool")
        return _TROUBLE
    if options.json:
        say_lines(json.dumps(_json(found), indent=2))
    else:
        say(_head(found))
        if not found.is_empty:
            say_lines(table([("", "kind", "target", "size", "what"), *_rows(found)], right=("size",)))
    return 0 if found.is_empty else 1


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "diff",
        description="Tells which device images were added, removed and changed from A to B, whatever holds them.  "
        "Exit status: 0 the same images, 1 different ones, 2 trouble.",
        example="offload-tool diff old/libsaxpy.so libsaxpy.so --kernels",
    )
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    parser.add_argument("--kernels", action="store_true", help="compare the kernels of changed images, too")
    parser.add_argument("--json", action="store_true", help="one JSON document for programs")
    return parser


def _head(found: Difference) -> str:
    sides = ", ".join(map(_counted, (found.a, found.b)))
    if found.is_empty:
        return f"{sides}: the same images"
    return f"{sides}: {len(found.added)} added, {len(found.removed)} removed, {len(found.changed)} changed"


def _counted(side: Inspection) -> str:
    count, faulty = len(side.objects), sum(row.fault is not None for row in side.objects)
    told = f"{side.file}: {count} {'image' if count == 1 else 'images'}"
    if faulty:
        return f"{told} ({faulty} with a fault; see inspect)"
    return told if count or side.coverage != "unsupported" else f"{told} (the file is of no kind that holds any)"


def _rows(found: Difference) -> Iterator[tuple[str, ...]]:
    yield from (("added", *_image(row), "") for row in found.added)
    yield from (("removed", *_image(row), "") for row in found.removed)
    for one in found.changed:
        yield "changed", *_image(one.new), "; ".join(_what(one))
        yield from (("", "", "", "", line) for line in _kernel_lines(one))


def _image(row: ObjectRow) -> tuple[str, str, str]:
    size = row.encoded_size if row.decoded_size is None else row.decoded_size
    return row.kind, row.target or row.payload_target or "-", str(size)


def _what(one: ChangedImage) -> Iterator[str]:
    for name, (old, new) in one.values.items():
        yield f"{name.replace('_', ' ')} {old} -> {new}"
    if one.has_other_bytes:
        old, new = _image(one.old)[-1], _image(one.new)[-1]
        yield "other bytes" if old == new else f"size {old} -> {new}"


def _kernel_lines(one: ChangedImage) -> Iterator[str]:
    yield from (f"kernel {name}: added" for name in one.kernels_added)
    yield from (f"kernel {name}: removed" for name in one.kernels_removed)
    for kernel in one.kernels_changed:
        numbers = (f"{name.replace('_', ' ')} {_number(old)} -> {_number(new)}"
                   for name, (old, new) in kernel.numbers.items())  # fmt: skip
        yield f"kernel {kernel.name}: {', '.join(numbers)}"


def _number(value: int | None) -> str:
    return "unknown" if value is None else str(value)


def _json(found: Difference) -> dict[str, Any]:
    return {
        "a": _json_of_side(found.a), "b": _json_of_side(found.b),
        "added": [_json_of_image(row) for row in found.added],
        "removed": [_json_of_image(row) for row in found.removed],
        "changed": [_json_of_change(one) for one in found.changed],
    }  # fmt: skip


def _json_of_side(side: Inspection) -> dict[str, Any]:
    return {"file": side.file, "images": len(side.objects), "coverage": side.coverage}


def _json_of_image(row: ObjectRow) -> dict[str, Any]:
    keys = ("id", "kind", "target", "payload_target", "triple", "decoded_size", "payload_sha256")
    return {key: getattr(row, key) for key in keys}


def _json_of_change(one: ChangedImage) -> dict[str, Any]:
    kernels = {
        "added": list(one.kernels_added), "removed": list(one.kernels_removed),
        "changed": [_json_of_kernel(kernel) for kernel in one.kernels_changed],
    }  # fmt: skip
    return {
        "a": _json_of_image(one.old), "b": _json_of_image(one.new), "values": _lists(one.values),
        "other_bytes": one.has_other_bytes, "kernels": kernels,
    }  # fmt: skip


def _json_of_kernel(kernel: ChangedKernel) -> dict[str, Any]:
    return {"name": kernel.name, **_lists(kernel.numbers)}


def _lists(pairs: Mapping[str, tuple[object, object]]) -> dict[str, list[object]]:
    return {name: list(pair) for name, pair in pairs.items()}
