"""An OpenMP program for the CPU as device, in the pieces that a build makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .peers import LLVM_22_LIBRARIES, ROOT, missing, offload_tool_command, peer, run

SOURCE = ROOT / "examples" / "openmp_cpu" / "answer.c"
TRIPLE = "x86_64-pc-linux-gnu"
DEVICE = ["-fopenmp", f"-fopenmp-targets={TRIPLE}"]
ANSWER = "value 42, computed on the device\n"
RUN_ENVIRONMENT = {"OMP_TARGET_OFFLOAD": "MANDATORY", "LD_LIBRARY_PATH": str(LLVM_22_LIBRARIES)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Device object, device library, host object, and a fat binary of each of the first two."""

    folder: Path
    device_object: Path
    device_library: Path
    host_object: Path
    relocatable: Path
    finished: Path


def make_pieces(folder: Path) -> Pieces:
    clang = peer("clang-22")
    if not (LLVM_22_LIBRARIES / "libomptarget.so").exists():
        missing("libomptarget of LLVM 22", "libomp-22-dev and liboffload-22-dev")
    run([clang, *DEVICE, "--offload-device-only", "-c", SOURCE, "-o", "device.o"], cwd=folder)
    run([clang, *DEVICE, "--offload-host-only", "-c", SOURCE, "-o", "host.o"], cwd=folder)
    run([clang, "-shared", "device.o", "-o", "device.so"], cwd=folder)
    for name, file in (("relocatable", "device.o"), ("finished", "device.so")):
        image = f"file={file},triple={TRIPLE},arch=generic,kind=openmp"
        run([*offload_tool_command(), "pack", "-o", f"{name}.bin", "--image", image], cwd=folder)
    return Pieces(
        folder=folder,
        device_object=folder / "device.o",
        device_library=folder / "device.so",
        host_object=folder / "host.o",
        relocatable=folder / "relocatable.bin",
        finished=folder / "finished.bin",
    )
