r"""PE images, the programs and DLLs of Windows: which sections hold offload binaries.

A program for DOS stands first; of its header two fields count.

| offset | type | field |
|---|---|---|
| 0 | 2 bytes | e_magic: ``MZ`` |
| 60 | u32 | e_lfanew: offset of the PE signature |

There stand ``PE\0\0`` and the 20-byte file header of ``coff``, then the optional header, of which nothing is read here,
and the section table.

Source: "PE Format" of Microsoft.
"""

from __future__ import annotations

from struct import Struct

from ..errors import FormatError
from ..wire.bounded import unpack
from .coff import CoffSection, holding_sections, section_table
from .held_sections import OFFLOADING, HeldSection

__all__ = ["MAGIC", "matches", "offloading_sections"]

MAGIC = b"MZ"
_SIGNATURE = b"PE\0\0"
_DOS_HEADER = Struct("<2s58xI")
assert _DOS_HEADER.size == 64
# The signature is four bytes, at a multiple of four, and linkers put it into the first kilobyte.  Text that begins with
# MZ has a number of at least 0x09090909 in that place.
_FARTHEST_SIGNATURE = 1 << 24


def matches(head: bytes) -> bool:
    r"""Whether the bytes begin as a PE image does.

    A signature that stands further on than ``head`` reaches is taken on trust; ``offloading_sections`` checks it.

    >>> matches(b"MZ".ljust(60, b"\0") + (64).to_bytes(4, "little") + b"PE\0\0")
    True
    """
    if len(head) < _DOS_HEADER.size:
        return False
    magic, signature = _DOS_HEADER.unpack_from(head)
    if magic != MAGIC or signature % 4 or signature > _FARTHEST_SIGNATURE:
        return False
    return _SIGNATURE.startswith(head[signature : signature + 4])


def offloading_sections(data: memoryview, held: tuple[HeldSection, ...] = OFFLOADING) -> list[CoffSection]:
    """The sections of a PE image that hold offload binaries, or whatever else ``held`` names, in table order.

    ``size`` is without the image's filling.

    A section counts by its full name, as objcopy and mingw write it, or, where a linker has cut the name to ``.llvm``
    or ``.llvm.of``, by the magic of an offload binary at its start.  Raises FormatError where the bytes are no PE
    image, or where the section table, a long name or a section that holds offload binaries leaves the file.

    >>> offloading_sections(memoryview(open("host.dll", "rb").read()))  # doctest: +SKIP
    [CoffSection(name='.llvm', offset=1024, size=184)]
    """
    magic, signature = unpack(_DOS_HEADER, data, 0, "the header of a PE image")
    if magic != MAGIC:
        raise FormatError(f"magic {magic!r} is not that of a PE image, {MAGIC!r}", offset=0)
    (found,) = unpack(Struct("4s"), data, signature, "the signature of a PE image")
    if found != _SIGNATURE:
        raise FormatError(f"signature {found!r} is not that of a PE image, {_SIGNATURE!r}", offset=signature)
    return holding_sections(data, section_table(data, signature + len(_SIGNATURE), is_image=True), held)
