"""The header of an ELF file: its first 20 bytes tell what it is, all 52 or 64 where its tables are.

| offset | 32-bit | 64-bit | field |
|---|---|---|---|
| 0 | 4 bytes | 4 bytes | magic ``7F 45 4C 46`` |
| 4 | u8 | u8 | EI_CLASS: 1 is 32-bit, 2 is 64-bit |
| 5 | u8 | u8 | EI_DATA: 1 is little-endian, 2 is big-endian |
| 6 | u8 | u8 | EI_VERSION |
| 7 | u8 | u8 | EI_OSABI |
| 8 | u8 | u8 | EI_ABIVERSION |
| 16 | u16 | u16 | e_type |
| 18 | u16 | u16 | e_machine |
| 20 | u32 | u32 | e_version |
| 24 | u32 | u64 | e_entry |
| 28 / 32 | u32 | u64 | e_phoff |
| 32 / 40 | u32 | u64 | e_shoff |
| 36 / 48 | u32 | u32 | e_flags |
| 40 / 52 | u16 | u16 | e_ehsize |
| 42 / 54 | u16 | u16 | e_phentsize |
| 44 / 56 | u16 | u16 | e_phnum |
| 46 / 58 | u16 | u16 | e_shentsize |
| 48 / 60 | u16 | u16 | e_shnum |
| 50 / 62 | u16 | u16 | e_shstrndx |

Source: the System V ABI, chapter 4.
"""

from __future__ import annotations

from struct import Struct

from ..frozen import frozen
from .magic import ELF as MAGIC

__all__ = [
    "EM_AMDGPU", "EM_CUDA", "ET_REL", "IDENTITY_SIZE", "MAGIC",
    "ElfHead", "ElfIdentity", "elf_head", "elf_identity", "matches",
]  # fmt: skip

ET_REL = 1
EM_CUDA = 190
EM_AMDGPU = 224

IDENTITY_SIZE = 64
"""Bytes from the start of a file that suffice for ``elf_identity``; a 32-bit file needs 52."""

_ORDERS = {1: "<", 2: ">"}
_HEADS = {data: Struct(order + "HH") for data, order in _ORDERS.items()}
_HEADERS = {
    (ei_class, data): Struct(order + layout)
    for ei_class, layout in ((1, "4x5B7xHHIIIIIHHHHHH"), (2, "4x5B7xHHIQQQIHHHHHH"))
    for data, order in _ORDERS.items()
}
assert {header.size for header in _HEADERS.values()} == {52, IDENTITY_SIZE}


@frozen
class ElfHead:
    """File type and machine of an ELF file, by their numbers."""

    e_type: int
    e_machine: int


@frozen(kw_only=False)
class ElfIdentity:
    """Every field of an ELF header but the magic, in file order; offsets count bytes from the start of the file."""

    ei_class: int
    ei_data: int
    ei_version: int
    ei_osabi: int
    ei_abiversion: int
    e_type: int
    e_machine: int
    e_version: int
    e_entry: int
    e_phoff: int
    e_shoff: int
    e_flags: int
    e_ehsize: int
    e_phentsize: int
    e_phnum: int
    e_shentsize: int
    e_shnum: int
    e_shstrndx: int

    @property
    def is_64(self) -> bool:
        """Whether addresses are of 64 bits."""
        return self.ei_class == 2

    @property
    def order(self) -> str:
        """The byte order, as ``struct`` spells it."""
        return _ORDERS[self.ei_data]


def matches(head: bytes) -> bool:
    """Whether the bytes begin as ELF does."""
    return head[:4] == MAGIC


def elf_head(head: bytes) -> ElfHead | None:
    """Type and machine out of the first 20 bytes of a file, or None where it is no ELF file.

    >>> elf_head(b"no") is None
    True
    """
    if len(head) < 20 or not matches(head) or head[5] not in _HEADS:
        return None
    e_type, e_machine = _HEADS[head[5]].unpack_from(head, 16)
    return ElfHead(e_type=e_type, e_machine=e_machine)


def elf_identity(head: bytes) -> ElfIdentity | None:
    """The whole header out of the first 64 bytes of a file (32-bit: 52), or None where it is none or cut.

    >>> elf_identity(b"no") is None
    True
    """
    layout = _HEADERS.get((head[4], head[5])) if len(head) > 5 and matches(head) else None
    if layout is None or len(head) < layout.size:
        return None
    return ElfIdentity(*layout.unpack_from(head))
