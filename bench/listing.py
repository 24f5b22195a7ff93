"""Reading fat binaries back: lists of a large one and of one with many images, and one image taken out."""

from __future__ import annotations

import os
import subprocess

from .case import OURS, Benchmark, Case, Scale, Workplace
from .inputs import TRIPLE, arch, contender, fresh, image_words, images, response_file
from .tools import LLVM, OBJDUMP

__all__ = ["BENCHMARKS"]

_MIB = 1 << 20
_TAKEN = 3


def _packed(place: Workplace, count: int, size: int) -> str:
    names = images(place.folder, count, size)
    words = [response_file(place.folder, names)] if count > 8 else image_words(names)
    fat = os.path.join(place.folder, "images.bin")
    subprocess.run([place.llvm_offload_binary, "-o", fat, *words], cwd=place.folder, check=True)
    return fat


def _large(place: Workplace) -> Case:
    fat = _packed(place, 8, place.sized(Scale(64, 4)) * _MIB)
    return Case(
        ours=contender(OURS, place.offload_tool, ("list", fat)),
        peers=(contender("llvm-objdump", OBJDUMP, ("--offloading", fat)),),
        folder=place.folder,
    )


def _many(place: Workplace) -> Case:
    fat = _packed(place, place.sized(Scale(10_000, 500)), 100)
    return Case(
        ours=contender(OURS, place.offload_tool, ("list", fat, "--json")),
        peers=(contender("llvm-objdump", OBJDUMP, ("--offloading", fat)),),
        folder=place.folder,
    )


def _extract(place: Workplace) -> Case:
    fat = _packed(place, 8, place.sized(Scale(64, 4)) * _MIB)
    ours, theirs = os.path.join(place.folder, "ours.out"), os.path.join(place.folder, "llvm.out")
    wanted = f"--image=file={theirs},triple={TRIPLE},arch={arch(_TAKEN)},kind=cuda"
    return Case(
        ours=contender(
            OURS, place.offload_tool, ("extract", fat, "--select", f"arch={arch(_TAKEN)}", "-o", ours), fresh(ours)
        ),
        peers=(contender("LLVM 22", LLVM, (fat, wanted), fresh(theirs)),),
        folder=place.folder,
        same_bytes=(ours, theirs),
    )


BENCHMARKS = (
    Benchmark(
        name="list-large", work="list a 512 MiB fat binary of 8 images", prepare=_large,
        targets={"llvm-objdump": 0.25}, memory_mib=40,
    ),
    Benchmark(name="list-many", work="list 10,000 images as JSON", prepare=_many, targets={"llvm-objdump": 3.0}),
    Benchmark(
        name="extract", work="extract 64 of 512 MiB", prepare=_extract, targets={"LLVM 22": 0.30}, memory_mib=40
    ),
)  # fmt: skip
