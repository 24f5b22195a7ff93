"""NVIDIA's own cuobjdump says the same of every CUDA file: entries, targets, kernels, registers, shared memory."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from offload_tool.gpu import cubin
from offload_tool.gpu.cuda_fatbin import read_fatbins
from offload_tool.gpu.payload import Kernel, Payload
from offload_tool.wire.elf import sections

from ..peers import peer, run
from .cuda_files import CUBINS, DATA, LISTINGS, data, examined

HOSTS = {"host_nvcc.o": 3, "host_nvcc_rdc_relfatbin.o": 2, "libcuda_two_lld.so": 4}
WORDS = {"cubin": "elf", "ptx": "ptx", "lto-ir": "nvvm"}
ENTRY = re.compile(r"^Fatbin (\w+) code:\n=+\narch = (\w+)\n", re.MULTILINE)
USAGE = re.compile(r"^ Function (\S+):\n +REG:(\d+) .*?SHARED:(\d+)", re.MULTILINE)


def printed(file: Path, *options: str) -> str:
    return run([peer("cuobjdump"), *options, str(file)]).stdout


def entries(held: memoryview) -> list[Payload]:
    return [payload for contents in read_fatbins(held) for payload in contents.payloads]


def host_section(name: str) -> memoryview:
    held = data(name)
    (found,) = (one for one in sections(held) if one.name in (".nv_fatbin", "__nv_relfatbin"))
    return held[found.offset : found.offset + found.size]


def usage(kernels: tuple[Kernel, ...] | None) -> Counter[tuple[str, ...]]:
    assert kernels is not None
    return Counter((kernel.name, str(kernel.registers), str(kernel.shared_bytes)) for kernel in kernels)


def check_entries(file: Path, held: memoryview) -> None:
    listed = [(WORDS[one.kind], "sm_" + str(one.target).partition("_")[2]) for one in entries(held)]
    assert ENTRY.findall(printed(file)) == listed
    cubins = [examined(held, one) for one in entries(held) if one.kind == "cubin"]
    expected = sum((usage(one.kernels) for one in cubins), Counter[tuple[str, ...]]())
    assert Counter(USAGE.findall(printed(file, "-res-usage"))) == expected


@pytest.mark.parametrize("name", [name for name in LISTINGS if name != "fatbin_empty"])
def test_fatbin(name: str) -> None:
    check_entries(DATA / f"{name}.fatbin", data(f"{name}.fatbin"))


@pytest.mark.parametrize("name", HOSTS)
def test_host(name: str) -> None:
    held = host_section(name)
    assert len(entries(held)) == HOSTS[name]
    check_entries(DATA / name, held)


@pytest.mark.parametrize("name", CUBINS)
def test_cubin(name: str) -> None:
    file = DATA / f"{name}.cubin"
    found = cubin.examine(data(file.name), kernels=True)
    assert Counter(USAGE.findall(printed(file, "-res-usage"))) == usage(found.kernels)
    # It does not see the suffix f of a bare file.
    assert f".{str(found.target).rstrip('f')}.cubin" in printed(file, "-lelf")
