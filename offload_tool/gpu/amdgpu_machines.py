"""AMDGPU processors by their numbers in e_flags (bits 0 to 7, ``EF_AMDGPU_MACH``), and the features that each has.

Source: ``llvm/BinaryFormat/ELF.h`` and LLVM's "User Guide for AMDGPU Backend".  Those that LLVM 22 compiles for were
compiled and read back; the others stand apart.  R600 parts (1 to 16) are left out: they have no code objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["MACHINES", "supports"]

# fmt: off
_COMPILED = {
    0x20: "gfx600", 0x21: "gfx601", 0x22: "gfx700", 0x23: "gfx701", 0x24: "gfx702", 0x25: "gfx703", 0x26: "gfx704",
    0x28: "gfx801", 0x29: "gfx802", 0x2A: "gfx803", 0x2B: "gfx810", 0x2C: "gfx900", 0x2D: "gfx902", 0x2E: "gfx904",
    0x2F: "gfx906", 0x30: "gfx908", 0x31: "gfx909", 0x32: "gfx90c", 0x33: "gfx1010", 0x34: "gfx1011", 0x35: "gfx1012",
    0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032", 0x39: "gfx1033", 0x3A: "gfx602", 0x3B: "gfx705", 0x3C: "gfx805",
    0x3D: "gfx1035", 0x3E: "gfx1034", 0x3F: "gfx90a", 0x41: "gfx1100", 0x42: "gfx1013", 0x43: "gfx1150",
    0x44: "gfx1103", 0x45: "gfx1036", 0x46: "gfx1101", 0x47: "gfx1102", 0x48: "gfx1200", 0x49: "gfx1250",
    0x4A: "gfx1151", 0x4C: "gfx942", 0x4E: "gfx1201", 0x4F: "gfx950", 0x51: "gfx9-generic", 0x52: "gfx10-1-generic",
    0x53: "gfx10-3-generic", 0x54: "gfx11-generic", 0x55: "gfx1152", 0x58: "gfx1153", 0x59: "gfx12-generic",
    0x5A: "gfx1251", 0x5F: "gfx9-4-generic",
}
_DOCUMENTED = {
    0x40: "gfx940", 0x4B: "gfx941", 0x50: "gfx1310", 0x57: "gfx1154", 0x5B: "gfx12-5-generic", 0x5C: "gfx1172",
    0x5D: "gfx1170", 0x5E: "gfx1171", 0x62: "gfx11-7-generic", 0x63: "gfx13-generic",
}
_XNACK = frozenset({
    "gfx801", "gfx810", "gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909", "gfx90c", "gfx1010", "gfx1011",
    "gfx1012", "gfx90a", "gfx1013", "gfx1250", "gfx942", "gfx950", "gfx9-generic", "gfx10-1-generic", "gfx1251",
    "gfx9-4-generic", "gfx940", "gfx941",
})
_SRAMECC = frozenset({
    "gfx906", "gfx908", "gfx90a", "gfx1250", "gfx942", "gfx950", "gfx1251", "gfx9-4-generic", "gfx940", "gfx941",
})
# fmt: on

MACHINES: Mapping[int, str] = MappingProxyType(_COMPILED | _DOCUMENTED)
"""The name of each processor by its number."""


def supports(processor: str) -> tuple[str, ...]:
    """The features of a processor whose setting a code object's flags tell, in the order of the alphabet.

    >>> supports("gfx90a"), supports("gfx1100")
    (('sramecc', 'xnack'), ())
    """
    having = (("sramecc", _SRAMECC), ("xnack", _XNACK))
    return tuple(feature for feature, processors in having if processor in processors)
