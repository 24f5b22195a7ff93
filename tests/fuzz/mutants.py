"""The command line on mutated files, each in a process of its own: ``python -m tests.fuzz.mutants FIRST STEP END``.

Prints JSON: how many were tried, the most that one took, and those that broke the promise.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from fuzz import seeds
from fuzz.contract import MEMORY_BYTES, memory_limit
from fuzz.mutation import random_mutant
from offload_tool.cli.main import main

CPU_SECONDS = 2
BROKEN = 70
FORMATS: Mapping[str, Callable[[], dict[str, bytes]]] = {
    "offload binaries": seeds.offload_binaries,
    "ELF": seeds.elf_files,
    "COFF": seeds.coff_objects,
    "PE": seeds.pe_images,
    "archives": seeds.archives,
    "bitcode": seeds.bitcode_files,
    "CUDA fatbins": seeds.fatbins,
    "cubins": seeds.cubins,
    "PTX": seeds.ptx_texts,
    "LTO-IR and SPIR-V": seeds.nvvm_and_spirv,
    "offload bundles": seeds.hip_bundles,
    "bundles of text": seeds.text_bundles,
    "compressed bundles": seeds.compressed_bundles,
    "code objects": seeds.code_objects,
    "manifests as YAML": seeds.yaml_manifests,
    "manifests as JSON": seeds.json_manifests,
}
COMMANDS = (
    ["list"],
    ["list", "--json"],
    ["inspect"],
    ["inspect", "--kernels"],
    ["inspect", "--view", "objects", "--digest", "--json"],
    ["extract", "--all", "-d", "out"],
    ["extract", "--archive", "-o", "out.a"],
)
MANIFEST_COMMANDS = (["manifest", "check"], ["manifest", "show"])


def run(first: int, step: int, end: int, folder: Path) -> dict[str, object]:
    """Every mutant whose number is ``first`` or a multiple of ``step`` further on, up to ``end``."""
    made = {name: list(maker().values()) for name, maker in FORMATS.items()}
    _warm_up(made, folder)
    broken: list[str] = []
    worst, tried = 0.0, 0
    for number in range(first, end, step):
        name = list(FORMATS)[number % len(FORMATS)]
        random = Random(number)
        (folder / "mutant").write_bytes(random_mutant(random, made[name]))
        command = random.choice(MANIFEST_COMMANDS if name.startswith("manifests") else COMMANDS)
        status, said, spent = _in_a_child([*command, "mutant"], folder)
        tried, worst = tried + 1, max(worst, spent)
        if status not in (0, 1, 2) or "Traceback" in said or (status and not said.strip()):
            broken.append(f"mutant {number} of {name}: {' '.join(command)}: status {status}\n{said[-1500:]}")
    return {"tried": tried, "worst": worst, "broken": broken}


def _warm_up(made: Mapping[str, list[bytes]], folder: Path) -> None:
    """Loads every module that a command needs, so that the children need not."""
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for name, files in made.items():
            Path("mutant").write_bytes(files[-1])
            for command in MANIFEST_COMMANDS if name.startswith("manifests") else COMMANDS:
                main([*command, "mutant"])
    gc.freeze()


def _in_a_child(words: list[str], folder: Path) -> tuple[int, str, float]:
    """Exit status (negative: the signal), everything printed where it says a fault, and seconds of processor time."""
    output, said = folder / "stdout", folder / "stderr"
    child = os.fork()
    if not child:
        for path, number in ((output, 1), (said, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), number)
        os._exit(_status(words))
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code, said.read_text(errors="replace") or (output.read_text(errors="replace") if code else ""), (
        used.ru_utime + used.ru_stime
    )  # fmt: skip


def _status(words: list[str]) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - the process ends soon
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    try:
        with memory_limit(MEMORY_BYTES):
            status = main(words)
    except BaseException:  # noqa: BLE001 - what a person would see as a traceback
        traceback.print_exc()
        status = BROKEN
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="offload-mutants-") as place:
        found = run(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(place))
    sys.stderr.write(json.dumps(found))
