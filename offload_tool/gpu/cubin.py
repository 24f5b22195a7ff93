"""CUDA binaries: ELF files of machine 190, in two layouts that EI_OSABI and EI_ABIVERSION tell apart.

| | old layout | new layout |
|---|---|---|
| EI_OSABI, EI_ABIVERSION | 0x33, 7 | 0x41, 8 |
| written by | CUDA 12 and before, up to SM 90 | 12.8 and later for SM 100 on, 13.0 and later for all |
| SM number in e_flags | bits 0 to 7 | bits 8 to 15 |
| suffix ``a`` | 0x800 in e_flags | 12.8, 12.9: 0x8 in e_flags; later: attribute 9 of ``.nv.compat`` is 1 |
| suffix ``f`` | none | only in the command line of ``.note.nv.tkinfo`` |

That note belongs to ``NVIDIA Corp`` and is of type 2000.  Its descriptor:

| offset | type | field |
|---|---|---|
| 0 | u32 | version |
| 4 | u32 x 4 | offsets of other strings |
| 20 | u32 | offset of the command line in the strings |
| 24 | bytes | strings, each with its NUL |

No public specification exists: the facts come from files of ptxas 11.8, 12.9 and 13.0, and from cuobjdump 13.5.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from struct import Struct

from ..errors import FormatError
from ..frozen import replace
from ..wire.bounded import c_string, span, unpack
from ..wire.elf import ElfSection, check_inside, section_table, segments
from ..wire.elf_head import EM_CUDA, IDENTITY_SIZE, elf_identity
from ..wire.elf_notes import ElfNote, notes
from .cubin_attributes import attributes
from .payload import Examined, PayloadFault

__all__ = ["examine", "examine_head"]

_OLD_OSABI, _OLD_ABIVERSION = 0x33, 7
_NEW_OSABI, _NEW_ABIVERSION = 0x41, 8
_OLD_A = 0x800
_NEW_A = 0x8
_SHT_LOPROC = 0x70000000
_FIRST_WITH_SUFFIX = 90
"""Suffixes begin with sm_90a, so the number tells all below it."""

_COMPAT = ".nv.compat"
_ACCELERATOR = 9
_TOOLS_SECTION = ".note.nv.tkinfo"
_TOOLS_NOTE = (b"NVIDIA Corp", 2000)
_TOOLS = Struct("<6I")
assert _TOOLS.size == 24
_COMMAND_BYTES = 1 << 16
_ARCH = re.compile(rb"(?:^|\s)-{1,2}(?:arch|gpu-name)[ =](sm_\d{1,3}[af]?)(?=\s|\Z)")


def examine_head(head: bytes) -> Examined:
    """The architecture as the ELF header tells it, from the first 64 bytes; a suffix may be missing from SM 90 on.

    What is wrong is told as the fault, nothing is raised.
    """
    header = elf_identity(head)
    if header is None:
        return _damaged("truncated", len(head), f"the ELF header of a cubin is damaged or cut, in {len(head)} bytes")
    if header.e_machine != EM_CUDA:
        return _damaged("bad-payload", 18, f"ELF machine {header.e_machine} is not {EM_CUDA}, a cubin's")
    layout = (header.ei_osabi, header.ei_abiversion)
    if layout == (_NEW_OSABI, _NEW_ABIVERSION):
        number, has_a = header.e_flags >> 8 & 0xFF, bool(header.e_flags & _NEW_A)
        is_exact = has_a or number < _FIRST_WITH_SUFFIX
    elif header.ei_osabi == _OLD_OSABI and header.ei_abiversion <= _OLD_ABIVERSION:
        number, has_a = header.e_flags & 0xFF, bool(header.e_flags & _OLD_A)
        is_exact = True
    else:
        return _damaged("unknown-version", 7, f"cubin with OS ABI {layout[0]:#x}, ABI version {layout[1]} is not known")
    return Examined(kind="cubin", target=f"sm_{number}{'a' if has_a else ''}", is_exact=is_exact)


def examine(data: memoryview, *, kernels: bool) -> Examined:
    """The architecture as precisely as the bytes tell it, and the kernels where they are asked for.

    What is wrong is told as the fault, with what could be read all the same; nothing is raised.
    """
    found = examine_head(bytes(data[:IDENTITY_SIZE]))
    if found.fault is not None:
        return found
    try:
        table = section_table(data)
        _check_whole(data, table)
        found = _refined(found, data, table)
        if kernels:
            from .cubin_kernels import kernels_of

            below = _number(found.target) < _FIRST_WITH_SUFFIX
            found = replace(found, kernels=tuple(kernels_of(data, table, registers_in_text=below)))
    except FormatError as error:
        return replace(found, fault=PayloadFault(code="bad-payload", offset=error.offset, text=error.what))
    return found


def _check_whole(data: memoryview, table: Sequence[ElfSection]) -> None:
    """Raises FormatError where a cut file lacks a part that nothing else reads: code, or the table of segments."""
    if not table:
        raise FormatError("the cubin has no sections", offset=0)
    # NVIDIA's own types are left out: .nv_debug.shared is of type 0x7000000A and, like SHT_NOBITS, has no bytes.
    check_inside(data, [section for section in table if section.sh_type < _SHT_LOPROC])
    for segment in segments(data):
        span(data, segment.offset, segment.size, "a segment of the cubin")


def _number(target: str | None) -> int:
    return int((target or "sm_0").removeprefix("sm_").rstrip("af"))


def _refined(found: Examined, data: memoryview, table: Sequence[ElfSection]) -> Examined:
    """The same with the suffix, where the file tells it outside of its header."""
    if found.is_exact or found.target is None:
        return found
    compat = next((section for section in table if section.name == _COMPAT), None)
    if compat is not None and (_ACCELERATOR, 1) in _numbers(data, compat):
        return replace(found, target=f"{found.target}a", is_exact=True)
    exact = _of_command_line(found.target, data, table)
    return found if exact is None else replace(found, target=exact, is_exact=True)


def _numbers(data: memoryview, section: ElfSection) -> list[tuple[int, int | None]]:
    held = span(data, section.offset, section.size, f"section {section.name!r}")
    try:
        return [(attribute.number, attribute.value) for attribute in attributes(held)]
    except FormatError as error:
        raise error.shifted(section.offset) from None


def _of_command_line(target: str, data: memoryview, table: Sequence[ElfSection]) -> str | None:
    """What the tool that wrote the file was asked for, as long as the header agrees with the number."""
    held = [section for section in table if section.name == _TOOLS_SECTION]
    for note in notes(data, held) if held else ():
        found = _ARCH.search(_command_line(note)) if (note.owner, note.type) == _TOOLS_NOTE else None
        if found is not None and found[1].rstrip(b"af").decode() == target:
            return found[1].decode()
    return None


def _command_line(note: ElfNote) -> bytes:
    what = "the note of a cubin's tools"
    try:
        offset = unpack(_TOOLS, note.descriptor, 0, what)[-1]
        return c_string(note.descriptor, _TOOLS.size + offset, _COMMAND_BYTES, what)
    except FormatError as error:
        raise error.shifted(note.descriptor_offset) from None


def _damaged(code: str, offset: int, text: str) -> Examined:
    return Examined(kind="cubin", target=None, is_exact=False, fault=PayloadFault(code=code, offset=offset, text=text))
