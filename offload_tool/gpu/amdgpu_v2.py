"""The notes of AMDGPU code objects of version 2: owner ``AMD``.

| type | descriptor |
|---|---|
| 1 | version of the code object: u32 major, u32 minor |
| 3 | instruction set: u16 size of vendor, u16 size of architecture, u32 major, minor and stepping, the names |
| 10 | metadata, YAML text as LLVM writes it |
| 11 | name of the instruction set: ``amdgcn-amd-amdhsa--gfx901`` |

An odd stepping of GFX9 processors stands for XNACK that is on or left open: ``gfx901`` is gfx900 with it.
In the text, ``Kernels:`` begins a list, each item at its own ``- Name:``; numbers are under ``CodeProps:``.
Source: LLVM's "User Guide for AMDGPU Backend", Code Object V2, and what LLVM 16 writes.
"""

from __future__ import annotations

import re
from struct import Struct

from ..errors import FormatError
from ..limits import AMDGPU_KERNELS
from ..wire.bounded import unpack
from .payload import Kernel

__all__ = ["NT_AMD_HSA_ISA_VERSION", "NT_AMD_HSA_METADATA", "OWNER", "kernels_of", "target_of"]

OWNER = b"AMD"
NT_AMD_HSA_ISA_VERSION = 3
NT_AMD_HSA_METADATA = 10

_ISA_VERSION = Struct("<HHIII")
_WITH_XNACK = {"gfx901": "gfx900", "gfx903": "gfx902", "gfx905": "gfx904", "gfx907": "gfx906"}
_LINE = re.compile(rb"^( *)(- )?([A-Za-z]+):([^\r\n]*)\r?$", re.MULTILINE)
_NUMBERS = {
    b"NumVGPRs": "registers",
    b"GroupSegmentFixedSize": "shared_bytes",
    b"KernargSegmentSize": "arguments_bytes",
}
_DIGITS = re.compile(rb"[0-9]{1,18}")


def target_of(descriptor: memoryview) -> str:
    r"""The target of an ISA version note by its name of today; raises FormatError where the note is cut.

    >>> target_of(memoryview(b"\4\0\7\0\x09\0\0\0\0\0\0\0\1\0\0\0AMD\0AMDGPU\0"))
    'gfx900'
    """
    _, _, major, minor, stepping = unpack(_ISA_VERSION, descriptor, 0, "the ISA version")
    processor = f"gfx{major}{minor:x}{stepping:x}"
    return _WITH_XNACK.get(processor, f"{processor}:xnack-" if processor in _WITH_XNACK.values() else processor)


def kernels_of(descriptor: memoryview) -> tuple[Kernel, ...]:
    r"""The kernels of a metadata note; raises FormatError for more than ``AMDGPU_KERNELS``.

    >>> kernels_of(memoryview(b"---\nKernels:\n  - Name: k\n    CodeProps:\n      NumVGPRs: 2\n"))[0].registers
    2
    """
    names: list[str] = []
    numbers: list[dict[str, int]] = []
    indent: int | None = None
    is_inside = False
    for line in _LINE.finditer(descriptor):
        depth, is_item, key, value = len(line[1]), line[2] is not None, line[3], line[4].strip()
        if depth == 0 and not is_item:
            is_inside, indent = key == b"Kernels", None
        elif is_inside and is_item and key == b"Name" and indent in {None, depth}:
            indent = depth
            names.append(_name(value))
            numbers.append({})
        elif is_inside and names and key in _NUMBERS and _DIGITS.fullmatch(value):
            numbers[-1].setdefault(_NUMBERS[key], int(value))
        if len(names) > AMDGPU_KERNELS:
            raise FormatError(f"the metadata has more than {AMDGPU_KERNELS} kernels", offset=line.start())
    return tuple(Kernel(name=name, **found) for name, found in zip(names, numbers, strict=True))


def _name(value: bytes) -> str:
    text = value.decode("utf-8", "surrogateescape")
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
