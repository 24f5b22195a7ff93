"""CUDA binaries: ELF files of machine 190."""

from __future__ import annotations

from ..wire.elf_head import EM_CUDA, elf_head

__all__ = ["matches"]


def matches(head: bytes) -> bool:
    """Whether the first 20 bytes are those of a cubin."""
    found = elf_head(head)
    return found is not None and found.e_machine == EM_CUDA
