"""The first 20 bytes of an ELF file: enough to tell what it is, without a library at start-up.

| offset | size | field |
|---|---|---|
| 0 | 4 | magic ``7F 45 4C 46`` |
| 4 | 1 | EI_CLASS: 1 is 32-bit, 2 is 64-bit |
| 5 | 1 | EI_DATA: 1 is little-endian, 2 is big-endian |
| 16 | 2 | e_type |
| 18 | 2 | e_machine |

Source: the System V ABI, chapter 4.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

__all__ = ["EM_AMDGPU", "EM_CUDA", "ET_REL", "MAGIC", "ElfHead", "elf_head", "matches"]

MAGIC = b"\x7fELF"
ET_REL = 1
EM_CUDA = 190
EM_AMDGPU = 224

_ORDERS = {1: struct.Struct("<HH"), 2: struct.Struct(">HH")}


@dataclass(frozen=True, slots=True, kw_only=True)
class ElfHead:
    """File type and machine of an ELF file, by their numbers."""

    e_type: int
    e_machine: int


def matches(head: bytes) -> bool:
    """Whether the bytes begin as ELF does."""
    return head[:4] == MAGIC


def elf_head(head: bytes) -> ElfHead | None:
    """Type and machine out of the first 20 bytes of a file, or None where it is no ELF file.

    >>> elf_head(b"no") is None
    True
    """
    if len(head) < 20 or not matches(head) or head[5] not in _ORDERS:
        return None
    e_type, e_machine = _ORDERS[head[5]].unpack_from(head, 16)
    return ElfHead(e_type=e_type, e_machine=e_machine)
