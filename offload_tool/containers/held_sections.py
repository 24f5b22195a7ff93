"""The sections of host files that hold device code, by name, and what an image of Windows leaves of the names.

| section | holds |
|---|---|
| ``.llvm.offloading`` | offload binaries |
| ``.offload_images`` | offload binaries, where this package's KEEP mode puts them |
| ``.nv_fatbin`` | CUDA fatbins of linked code |
| ``__nv_relfatbin`` | CUDA fatbins of relocatable code |
| ``.hip_fatbin`` | Clang offload bundles, plain or compressed |
| ``__CLANG_OFFLOAD_BUNDLE__`` and an entry id | that entry of a bundle |

lld-link ends a name before its second dot or after eight bytes, other linkers after eight bytes.  A cut name says
little, so the bytes at the section's start must have the magic of what it holds.
"""

from __future__ import annotations

from ..frozen import frozen
from ..wire import magic

__all__ = ["DEVICE_CODE", "OFFLOADING", "HeldSection", "held_section"]


@frozen
class HeldSection:
    """A section that counts: its ``name`` or the start of it, what is left of a ``cut`` one, and the ``magics``."""

    name: bytes
    cut: tuple[bytes, ...]
    magics: tuple[bytes, ...]


OFFLOADING = (HeldSection(name=b".llvm.offloading", cut=(b".llvm", b".llvm.of"), magics=(magic.OFFLOAD_BINARY,)),)
"""Where offload binaries are looked for in COFF files."""

DEVICE_CODE = (
    *OFFLOADING,
    HeldSection(name=b".offload_images", cut=(b".offload",), magics=(magic.OFFLOAD_BINARY,)),
    HeldSection(name=b".nv_fatbin", cut=(b".nv_fatb",), magics=(magic.CUDA_FATBIN,)),
    HeldSection(name=b"__nv_relfatbin", cut=(b"__nv_rel",), magics=(magic.CUDA_FATBIN,)),
    HeldSection(name=b".hip_fatbin", cut=(b".hip_fat",), magics=(magic.OFFLOAD_BUNDLE, magic.COMPRESSED_BUNDLE)),
    HeldSection(name=magic.OFFLOAD_BUNDLE, cut=(), magics=()),
)
"""Where any device code is looked for."""


def held_section(name: bytes, held: tuple[HeldSection, ...]) -> HeldSection | None:
    """The section of ``held`` that ``name`` is or begins with.

    >>> held_section(b".nv_fatbin", OFFLOADING) is None
    True
    """
    return next((one for one in held if name.startswith(one.name)), None)
