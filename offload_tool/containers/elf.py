"""ELF hosts: which sections hold offload binaries.

A section counts by its type (``SHT_LLVM_OFFLOADING``) or by its name, since ``objcopy --add-section`` and some
assemblers leave the type PROGBITS.  ``.offload_images`` is where this package's KEEP mode puts a fat binary.
"""

from __future__ import annotations

from ..wire.elf import ElfSection, sections
from ..wire.elf_head import matches

__all__ = ["KEPT_SECTION", "OFFLOADING_SECTION", "SHT_LLVM_OFFLOADING", "matches", "offloading_sections"]

SHT_LLVM_OFFLOADING = 0x6FFF4C0B
OFFLOADING_SECTION = ".llvm.offloading"
KEPT_SECTION = ".offload_images"


def offloading_sections(data: memoryview) -> list[ElfSection]:
    """The sections of an ELF file that hold offload binaries, in table order; raises FormatError if it is damaged."""
    return [
        section
        for section in sections(data)
        if section.sh_type == SHT_LLVM_OFFLOADING or section.name in (OFFLOADING_SECTION, KEPT_SECTION)
    ]
