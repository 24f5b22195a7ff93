"""NVIDIA's container of NVVM IR: LTO-IR and OptiX-IR.  Its body is encoded, its header is not:

| offset | type | field |
|---|---|---|
| 0 | 4 bytes | magic ``ED 43 4E 7F`` |
| 4 | u8, u8 | major and minor version, 1 and 0x41 |
| 6 | 8 bytes | versions of the IR and of LLVM, and the size of this header |
| 14 | u16 | 1 is LTO-IR, 2 is OptiX-IR |
| 16 | u32 | offset of a part of the body |
| 20 | u32 | offset of a part of the body |
| 24 | u16 | not known |
| 26 | u16 | SM number times ten |

No public specification exists: the facts come from files that nvcc 13.0 wrote.  The suffixes a and f look the same.
"""

from __future__ import annotations

from struct import Struct

from ..wire.magic import NVVM as MAGIC
from .payload import Examined, PayloadFault

__all__ = ["MAGIC", "examine_head", "matches"]


_HEADER = Struct("<4sBB8sHIIHH")
assert _HEADER.size == 28
_KINDS = {1: "lto-ir", 2: "optix-ir"}


def matches(head: bytes) -> bool:
    """Whether the bytes begin as a container of NVVM IR does."""
    return head[:4] == MAGIC


def examine_head(head: bytes) -> Examined:
    r"""Kind and base architecture, from the first 28 bytes; what is wrong is told as the fault, nothing is raised.

    >>> examine_head(MAGIC + bytes(10) + b"\x01" + bytes(11) + b"\x20\x03").target
    'lto_80'
    """
    if not matches(head) or len(head) < _HEADER.size:
        return _damaged("truncated" if matches(head) else "bad-payload", 0, "no header of NVVM IR of 28 bytes is there")
    *_, kind, _, _, _, sm_times_ten = _HEADER.unpack_from(head)
    if kind not in _KINDS:
        return _damaged("unknown-kind", 14, f"NVVM IR of kind {kind} is not known; expected 1 (LTO-IR) or 2 (OptiX-IR)")
    if not sm_times_ten or sm_times_ten % 10:
        return _damaged("bad-payload", 26, f"SM number {sm_times_ten} / 10 is no whole one")
    return Examined(kind=_KINDS[kind], target=f"lto_{sm_times_ten // 10}", is_exact=False)


def _damaged(code: str, offset: int, text: str) -> Examined:
    return Examined(kind="lto-ir", target=None, is_exact=False, fault=PayloadFault(code=code, offset=offset, text=text))
