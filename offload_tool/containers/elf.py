"""ELF hosts: which sections hold offload binaries or other device code.

A section counts by its type (``SHT_LLVM_OFFLOADING``) or by its name, since ``objcopy --add-section`` and some
assemblers leave the type PROGBITS.  ``.offload_images`` is where this package's KEEP mode puts a fat binary.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import FormatError
from ..wire.elf import ElfSection, sections
from ..wire.elf_head import matches
from .held_sections import DEVICE_CODE, held_section

__all__ = [
    "KEPT_SECTION",
    "OFFLOADING_SECTION",
    "SHT_LLVM_OFFLOADING",
    "device_sections",
    "matches",
    "offloading_sections",
]

SHT_LLVM_OFFLOADING = 0x6FFF4C0B
OFFLOADING_SECTION = ".llvm.offloading"
KEPT_SECTION = ".offload_images"


def offloading_sections(data: memoryview) -> list[ElfSection]:
    """The sections of an ELF file that hold offload binaries, in table order; raises FormatError if it is damaged."""
    return _held(data, _holds_offload_binaries)


def device_sections(data: memoryview) -> list[ElfSection]:
    """The sections of an ELF file that hold device code of any maker; raises FormatError if it is damaged."""
    return _held(data, _holds_device_code)


def _held(data: memoryview, is_wanted: Callable[[ElfSection], bool]) -> list[ElfSection]:
    found = [section for section in sections(data) if is_wanted(section)]
    # Headers that share their bytes would have the caller read them over and over; no linker writes such.
    total = sum(section.size for section in found)
    if total > len(data):
        raise FormatError(f"sections of device code claim {total} bytes, the file has {len(data)}", offset=0)
    return found


def _holds_offload_binaries(section: ElfSection) -> bool:
    return section.sh_type == SHT_LLVM_OFFLOADING or section.name in (OFFLOADING_SECTION, KEPT_SECTION)


def _holds_device_code(section: ElfSection) -> bool:
    name = section.name.encode("utf-8", "surrogateescape")
    return section.sh_type == SHT_LLVM_OFFLOADING or held_section(name, DEVICE_CODE) is not None
