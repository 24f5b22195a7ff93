"""Where the code of each kernel stands, against what pyelftools reads."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from offload_tool.gpu import amdgpu, cubin
from offload_tool.gpu.amdgpu_descriptors import with_code
from offload_tool.gpu.payload import Kernel

from ..peers import ROOT
from .amd_files import held

GPU = ROOT / "tests" / "data" / "gpu"
CUBINS = sorted(path.name for path in GPU.glob("cubin_*.cubin"))
CODE_OBJECTS = sorted(path.name for path in GPU.glob("co_*.co"))


@pytest.mark.parametrize("name", CUBINS)
def test_section_of_a_cubin(name: str) -> None:
    file = ELFFile(BytesIO(held(name)))
    found = cubin.examine(held(name), kernels=True).kernels
    assert found
    for kernel in found:
        section: Any = file.get_section_by_name(f".text.{kernel.name}")
        assert (kernel.code_offset, kernel.code_bytes) == (section["sh_offset"], section["sh_size"])


@pytest.mark.parametrize("name", CODE_OBJECTS)
def test_function_of_a_code_object(name: str) -> None:
    file: Any = ELFFile(BytesIO(held(name)))
    found = amdgpu.examine(held(name), kernels=True).kernels
    assert found
    for kernel in found:
        (symbol,) = file.get_section_by_name(".dynsym").get_symbol_by_name(kernel.name)
        section = file.get_section(symbol["st_shndx"])
        offset = section["sh_offset"] + symbol["st_value"] - section["sh_addr"]
        assert (kernel.code_offset, kernel.code_bytes) == (offset, symbol["st_size"])
        assert kernel.code_bytes


@pytest.mark.parametrize("cut", [0, 64, 200, 1000])
def test_cut_code_object_keeps_its_kernels(cut: int) -> None:
    kernels = (Kernel(name="scale", registers=3),)
    assert with_code(held("co_v6_gfx90a.co")[:cut], kernels) == kernels


def test_function_that_leaves_its_section() -> None:
    data = bytearray(held("co_v6_gfx90a.co"))
    file: Any = ELFFile(BytesIO(data))
    for table in [file.get_section_by_name(name) for name in (".dynsym", ".symtab")]:
        for entry in range(table["sh_offset"], table["sh_offset"] + table["sh_size"], 24):
            data[entry + 16 : entry + 24] = b"\xff" * 8
    (scale,) = with_code(memoryview(bytes(data)), [Kernel(name="scale")])
    assert (scale.code_offset, scale.code_bytes) == (None, None)
