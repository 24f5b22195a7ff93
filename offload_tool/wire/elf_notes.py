"""Notes of an ELF file: small records that a tool left, each with its owner.

| offset | type | field |
|---|---|---|
| 0 | u32 | size of the owner with its NUL |
| 4 | u32 | size of the descriptor |
| 8 | u32 | type |
| 12 | bytes | owner, then zeros to a multiple of 4 |
| | bytes | descriptor, then zeros to a multiple of 4 |

Source: the System V ABI, chapter 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct

from ..errors import FormatError
from ..frozen import frozen
from .bounded import align_up, span, unpack
from .elf import ElfSection, identity, section_table, segments

__all__ = ["ElfNote", "notes"]

SHT_NOTE = 7
PT_NOTE = 4


@frozen
class ElfNote:
    """One note: ``owner`` without its NUL; offsets are those of first bytes in the file."""

    owner: bytes
    type: int
    descriptor: memoryview
    descriptor_offset: int
    offset: int


def notes(data: memoryview, table: Sequence[ElfSection] | None = None) -> Iterator[ElfNote]:
    """The notes in the note sections of an ELF file, or in its note segments where it has no section table.

    ``table`` is the section table where it was read already, or the part of it that is of interest.  Raises FormatError
    where the table, a section or a note leaves the bytes that it should be in.
    """
    header = identity(data)
    layout = Struct(header.order + "3I")
    places = _places(data, table)
    if sum(size for _, size in places) > len(data):
        raise FormatError("the notes of an ELF file claim more bytes than it has", offset=0)
    for start, size in places:
        yield from _notes_in(span(data, start, size, "the ELF notes"), start, layout)


def _places(data: memoryview, table: Sequence[ElfSection] | None) -> list[tuple[int, int]]:
    table = section_table(data) if table is None else table
    if table:
        return [(section.offset, section.size) for section in table if section.sh_type == SHT_NOTE]
    return [(segment.offset, segment.size) for segment in segments(data) if segment.p_type == PT_NOTE]


def _notes_in(held: memoryview, start: int, layout: Struct) -> Iterator[ElfNote]:
    offset = 0
    while offset < len(held):
        owner_size, descriptor_size, number = unpack(layout, held, offset, "an ELF note")
        owner_at = offset + layout.size
        descriptor_at = owner_at + align_up(owner_size, 4)
        owner = bytes(span(held, owner_at, owner_size, "the owner of an ELF note"))
        yield ElfNote(
            owner=owner.partition(b"\0")[0], type=number,
            descriptor=span(held, descriptor_at, descriptor_size, "an ELF note"),
            descriptor_offset=start + descriptor_at, offset=start + offset,
        )  # fmt: skip
        offset = descriptor_at + align_up(descriptor_size, 4)
