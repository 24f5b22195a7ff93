"""Packing: large images, many images, one tiny image, and one changed image of many."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable

from .case import OURS, Benchmark, Case, Contender, Scale, Workplace
from .inputs import contender, fresh, image_words, images, manifest, response_file
from .tools import LLVM

__all__ = ["BENCHMARKS"]

_MIB = 1 << 20
_SETTLED_S = 2.1
"""An incremental pack compares images that changed less than 2 s before the last one, whatever their times say."""


def _large(place: Workplace) -> Case:
    names = images(place.folder, 8, place.sized(Scale(64, 4)) * _MIB)
    ours, theirs, copied, model = (
        os.path.join(place.folder, name) for name in ("ours.bin", "llvm.bin", "copied.bin", "model.bin")
    )
    words = image_words(names)
    _pack(place, place.llvm_offload_binary, ("-o", model, *words))
    return Case(
        ours=contender(OURS, place.llvm_offload_binary, ("-o", ours, *words), fresh(ours)),
        peers=(
            contender("LLVM 22", LLVM, ("-o", theirs, *words), fresh(theirs)),
            contender("cp", "cp", (model, copied), fresh(copied)),
        ),
        folder=place.folder,
        same_bytes=(ours, theirs, copied),
    )


def _many(place: Workplace) -> Case:
    names = images(place.folder, place.sized(Scale(10_000, 500)), 4096)
    return _against_llvm(place, place.llvm_offload_binary, (response_file(place.folder, names),), names)


def _many_by_manifest(place: Workplace) -> Case:
    names = images(place.folder, place.sized(Scale(10_000, 500)), 4096)
    file = manifest(os.path.join(place.folder, "images.yaml"), names)
    return _against_llvm(place, place.offload_tool, ("pack", file), names)


def _tiny(place: Workplace) -> Case:
    names = images(place.folder, 1, 100)
    return _against_llvm(place, place.llvm_offload_binary, image_words(names), names)


def _tiny_by_manifest(place: Workplace) -> Case:
    names = images(place.folder, 1, 100)
    file = manifest(os.path.join(place.folder, "images.yaml"), names)
    return _against_llvm(place, place.offload_tool, ("pack", file), names)


def _against_llvm(place: Workplace, program: str, words: tuple[str, ...] | list[str], names: list[str]) -> Case:
    ours, theirs = os.path.join(place.folder, "ours.bin"), os.path.join(place.folder, "llvm.bin")
    llvm_words = [response_file(place.folder, names)] if len(names) > 1 else image_words(names)
    return Case(
        ours=contender(OURS, program, (*words, "-o", ours), fresh(ours)),
        peers=(contender("LLVM 22", LLVM, (*llvm_words, "-o", theirs), fresh(theirs)),),
        folder=place.folder,
        same_bytes=(ours, theirs),
    )


def _changed(place: Workplace) -> Case:
    names = images(place.folder, place.sized(Scale(1000, 30)), _MIB)
    file = manifest(os.path.join(place.folder, "images.yaml"), names)
    kept, full = os.path.join(place.folder, "kept.bin"), os.path.join(place.folder, "full.bin")
    time.sleep(_SETTLED_S)
    command = ("pack", file, "-o", kept, "--incremental")
    _pack(place, place.offload_tool, command)
    change = _changing(os.path.join(place.folder, names[len(names) // 2]))
    return Case(
        ours=contender(OURS, place.offload_tool, command, change),
        peers=(
            Contender(
                name="full pack", command=(place.offload_tool, "pack", file, "-o", full, "--no-incremental"),
                before=fresh(full),
            ),
        ),
        folder=place.folder,
        same_bytes=(kept, full),
    )  # fmt: skip


def _changing(path: str) -> Callable[[], None]:
    """Gives an image another first byte before each run; the size stays."""

    def act() -> None:
        with open(path, "r+b") as file:
            first = file.read(1)[0]
            file.seek(0)
            file.write(bytes([first ^ 0x55]))
        os.sync()

    return act


def _pack(place: Workplace, program: str, words: tuple[str, ...]) -> None:
    subprocess.run([program, *words], cwd=place.folder, check=True, stdin=subprocess.DEVNULL)


BENCHMARKS = (
    Benchmark(
        name="pack-large", work="pack 8 x 64 MiB", prepare=_large, targets={"LLVM 22": 0.40, "cp": 2.0}, memory_mib=40
    ),
    Benchmark(name="pack-many", work="pack 10,000 x 4 KiB", prepare=_many, targets={"LLVM 22": 1.3}),
    Benchmark(name="pack-many-manifest", work="pack 10,000 x 4 KiB through a YAML manifest", prepare=_many_by_manifest),
    Benchmark(name="pack-tiny", work="pack one tiny image by the drop-in", prepare=_tiny, targets={"LLVM 22": 2.5}),
    Benchmark(
        name="pack-tiny-manifest", work="pack one tiny image through a YAML manifest", prepare=_tiny_by_manifest,
        targets={"LLVM 22": 4.0},
    ),
    Benchmark(
        name="pack-changed", work="one of 1,000 images of 1 MiB changed, incremental", prepare=_changed,
        targets={"full pack": 0.06},
    ),
)  # fmt: skip
