"""SPIR-V modules: 32-bit words, the first of which is 0x07230203, in either byte order.

| offset | type | field |
|---|---|---|
| 0 | u32 | magic 0x07230203 |
| 4 | u32 | version: major at bits 16 to 23, minor at bits 8 to 15 |
| 8 | u32 | the tool that made it |
| 12 | u32 | bound of the ids |
| 16 | u32 | 0 |

Source: the SPIR-V specification, section 2.3.
"""

from __future__ import annotations

from ..wire.magic import SPIRV as _MAGICS
from .payload import Examined, PayloadFault

__all__ = ["examine", "examine_head", "matches"]

_HEADER_SIZE = 20
_WORD = 4


def matches(head: bytes) -> bool:
    """Whether the bytes begin as SPIR-V does."""
    return head[:4] in _MAGICS


def examine_head(head: bytes) -> Examined:
    """What the first 20 bytes tell: SPIR-V is for no target in particular.

    >>> examine_head(b"").fault.code
    'truncated'
    """
    if len(head) < _HEADER_SIZE:
        text = f"a SPIR-V module has a header of {_HEADER_SIZE} bytes; {len(head)} are there"
        return Examined(kind="spirv", target=None, fault=PayloadFault(code="truncated", offset=len(head), text=text))
    if not matches(head):
        text = f"a SPIR-V module begins with {_MAGICS[0].hex(' ')}, here with {head[:4].hex(' ')}"
        return Examined(kind="spirv", target=None, fault=PayloadFault(code="bad-header", offset=0, text=text))
    return Examined(kind="spirv", target=None)


def examine(data: memoryview) -> Examined:
    """The same of a whole module, and whether it is whole words; kernels are not looked for."""
    found = examine_head(bytes(data[:_HEADER_SIZE]))
    if found.fault is None and len(data) % _WORD:
        text = f"a SPIR-V module is words of {_WORD} bytes; {len(data)} bytes are there"
        return Examined(kind="spirv", target=None, fault=PayloadFault(code="bad-size", offset=len(data), text=text))
    return found
