"""``--explain``: what is said for each cause of writing, and of not writing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from offload_tool.actions import incremental
from offload_tool.model import OffloadKind

from .packing import Packing


def _described(packing: Packing) -> None:
    packing.images[1] = replace(packing.images[1], kind=OffloadKind.HIP)


def _reformed(packing: Packing) -> None:
    packing.options = replace(packing.options, toolchain="llvm-19")


def _aligned(packing: Packing) -> None:
    packing.options = replace(packing.options, align=64)


def _emptied(packing: Packing) -> None:
    for name in "abc":
        packing.write(name, b"")


HEADER = "; the header before it is written, a size, kind or string changed"
CAUSES: dict[str, tuple[Callable[[Packing], object], str, str]] = {
    "its bytes": (lambda packing: packing.write("b", b"B" * 1000), "patched, 1 of 3", "b: written, its bytes changed"),
    "its size": (
        lambda packing: packing.write("b", b"B" * 995),
        "patched, 1 of 3",
        f"b: written, its size changed from 1000 to 995 bytes{HEADER}",
    ),
    "a size before it": (
        lambda packing: packing.write("b", b"B" * 1009),
        "patched, 2 of 3",
        "c: written, it moved from byte 2384 to byte 2400",
    ),
    "the order": (
        lambda packing: packing.images.append(packing.images.pop(1)),
        "patched, 2 of 3",
        "b: written, it moved from byte 1256 to byte 2384",
    ),
    "an image more": (lambda packing: packing.add("d", b"d"), "patched, 1 of 4", "d: written, it is new"),
    "an image less": (lambda packing: packing.images.pop(), "patched, 0 of 2", "c: gone"),
    "the kind": (_described, "patched, 0 of 3", f"compared: the same bytes{HEADER}"),
    "the toolchain": (_reformed, "untouched", "its form changed from 'llvm-22, version 1, align 8' to 'llvm-19"),
    "the form": (_aligned, "patched, 2 of 3", "align 64'"),
    "no byte": (
        lambda packing: packing.write("b", b"b" * 1000),
        "untouched",
        "has new times, compared: the same bytes",
    ),
    "all images": (_emptied, "packed in full, no image of the old output can stay", "b: not written, it is empty"),
    "no output": (lambda packing: packing.out.unlink(), "packed in full, there is no old output", "b: written"),
    "no record": (lambda packing: packing.record.unlink(), "packed in full, there is no record", "b: written"),
    "a damaged record": (
        lambda packing: os.truncate(packing.record, 50),
        "packed in full, the record of the last pack is damaged",
        "b: written, the output is packed in full",
    ),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_cause_of_a_rebuild_is_named(cause: str, packed: Packing) -> None:
    edit, outcome, reason = CAUSES[cause]
    edit(packed)
    explained = packed.agrees().explanations
    assert outcome in explained[0]
    told = "\n".join(explained).replace(f"image '{packed.folder}{os.sep}", "").replace("': ", ": ")
    assert reason in told


def test_changed_packager_packs_in_full(packed: Packing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incremental, "packager_state", lambda: "0" * 64)
    assert packed.agrees().explanations[0].endswith("packed in full, the packager itself changed")
