"""AMDGPU's generic processors and the processors whose code they hold.

Source: LLVM's "User Guide for AMDGPU Backend", table of generic processors.  A generic code object has a version, and
runs on a processor that was added with it or before; all that are listed were there in version 1, so that today every
version covers them.
"""

from __future__ import annotations

__all__ = ["GENERIC_PROCESSORS", "generic_of"]

GENERIC_PROCESSORS: dict[str, frozenset[str]] = {
    "gfx9-generic": frozenset({"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"}),
    "gfx9-4-generic": frozenset({"gfx942", "gfx950"}),
    "gfx10-1-generic": frozenset({"gfx1010", "gfx1011", "gfx1012", "gfx1013"}),
    "gfx10-3-generic": frozenset({"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"}),
    "gfx11-generic": frozenset(
        {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153", "gfx1154"}
    ),
    "gfx11-7-generic": frozenset({"gfx1170", "gfx1171", "gfx1172"}),
    "gfx12-generic": frozenset({"gfx1200", "gfx1201"}),
    "gfx12-5-generic": frozenset({"gfx1250", "gfx1251"}),
    "gfx13-generic": frozenset({"gfx1310"}),
}
"""By the name of the generic processor, the processors that its code runs on."""


def generic_of(processor: str) -> str | None:
    """The generic processor that covers one, or None.

    >>> generic_of("gfx1100")
    'gfx11-generic'
    """
    return next((name for name, covered in GENERIC_PROCESSORS.items() if processor in covered), None)
