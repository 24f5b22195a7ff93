"""Where device code stands in a file: whole, in the sections of a host, in the members of an archive.

A damaged host or member is a place with a fault, and the walk goes on; only a file that cannot be read ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...errors import FormatError, OffloadError
from ...frozen import frozen, replace
from ...gpu.payload import PayloadFault
from ...limits import NESTING
from ...wire.bounded import skip_zeros
from ..recognize import HEAD_SIZE, FileKind, recognize
from ..thin_members import ThinMembers

__all__ = ["Place", "places"]


@frozen
class Place:
    """Bytes that are device code or a container of it, and where they stand.

    ``offset`` is that of the first byte in the outermost file, None where the bytes lie there in no one place.
    ``host`` is ``elf``, ``coff``, ``pe`` or ``bitcode``, None for a file or a member that is itself device code.
    ``entry_id`` is what the section's name says of its content.  ``is_scanned`` tells that the bytes were found by
    their magic, in a file without section headers.
    """

    data: memoryview
    offset: int | None
    kind: FileKind
    host: str | None = None
    member: str | None = None
    section: str | None = None
    entry_id: str | None = None
    is_scanned: bool = False
    fault: PayloadFault | None = None

    def part(self, offset: int, size: int) -> Place:
        """``size`` bytes from ``offset`` on, of the same place."""
        moved = None if self.offset is None else self.offset + offset
        data = self.data[offset : offset + size]
        return replace(self, data=data, offset=moved, kind=recognize(bytes(data[:HEAD_SIZE])))

    def faulty(self, fault: PayloadFault) -> Place:
        """The same place, which cannot be read; the fault's offset gets one in the outermost file."""
        known = fault.offset is not None and self.offset is not None
        moved = (fault.offset or 0) + (self.offset or 0) if known else None
        return replace(self, fault=replace(fault, offset=moved))


def places(data: memoryview, path: str) -> Iterator[Place]:
    """The places of a file, in file order; ``path`` is where the members of a thin archive are looked for."""
    whole = Place(data=data, offset=0, kind=recognize(bytes(data[:HEAD_SIZE])))
    yield from _inside(whole, path, 0)


def _inside(place: Place, path: str | None, depth: int) -> Iterator[Place]:
    reader = _READERS.get(place.kind)
    if reader is None:
        return
    if depth > NESTING:
        text = f"archives are nested deeper than {NESTING} levels"
        yield place.faulty(PayloadFault(code="too-large", offset=0, text=text))
        return
    try:
        yield from reader(place, path, depth)
    except FormatError as error:
        yield place.faulty(PayloadFault(code="bad-header", offset=error.offset, text=error.what))


def _itself(place: Place, _path: str | None, _depth: int) -> Iterator[Place]:
    yield place


def _elf(place: Place, _path: str | None, _depth: int) -> Iterator[Place]:
    from ...containers.elf import device_sections
    from ...containers.held_sections import DEVICE_CODE
    from ...gpu.payload_kind import kind_of
    from ...wire.elf import section_table

    if kind_of(bytes(place.data[:HEAD_SIZE])) == "code-object":
        yield place
        return
    if not section_table(place.data):
        yield from _scanned(place)
        return
    entry_prefix = DEVICE_CODE[-1].name.decode()
    for section in device_sections(place.data):
        for held in _in_section(place, "elf", section.name, section.offset, section.size):
            is_entry = section.name.startswith(entry_prefix)
            yield replace(held, entry_id=section.name.removeprefix(entry_prefix)) if is_entry else held


def _in_section(place: Place, host: str, name: str, offset: int, size: int) -> Iterator[Place]:
    """A section from its first byte on that is not zero; one of zeros alone holds nothing, its code is elsewhere."""
    start = skip_zeros(place.data[offset : offset + size], 0, 1)
    if start < size:
        yield replace(place.part(offset + start, size - start), host=host, section=name)


def _scanned(place: Place) -> Iterator[Place]:
    """Found by magic, in an ELF file whose section headers are gone."""
    from .scanning import device_code_extents

    for offset, size in device_code_extents(place.data):
        yield replace(place.part(offset, size), host="elf", is_scanned=True)


def _coff(place: Place, _path: str | None, _depth: int) -> Iterator[Place]:
    from ...containers.coff import offloading_sections
    from ...containers.held_sections import DEVICE_CODE

    for section in offloading_sections(place.data, DEVICE_CODE):
        yield from _in_section(place, "coff", section.name, section.offset, section.size)


def _pe(place: Place, _path: str | None, _depth: int) -> Iterator[Place]:
    from ...containers.held_sections import DEVICE_CODE
    from ...containers.pe import offloading_sections

    for section in offloading_sections(place.data, DEVICE_CODE):
        yield from _in_section(place, "pe", section.name, section.offset, section.size)


def _bitcode(place: Place, _path: str | None, _depth: int) -> Iterator[Place]:
    from ...containers.bitcode import offloading_globals

    for embedded in offloading_globals(place.data):
        data = memoryview(embedded.content)
        yield replace(
            place, data=data, offset=None, host="bitcode", section=embedded.section, kind=FileKind.OFFLOAD_BINARY
        )


def _archive(place: Place, path: str | None, depth: int) -> Iterator[Place]:
    from ...containers.archive_reader import members

    thin = ThinMembers(path)
    for member in members(place.data):
        name = member.name if place.member is None else f"{place.member}:{member.name}"
        if not member.is_thin:
            yield from _inside(replace(place.part(member.offset, member.size), member=name), path, depth + 1)
            continue
        try:
            data = thin.data_of(member)
        except OffloadError as error:
            if path is None:  # the same for every member, so it is told once
                raise
            yield replace(place, member=name, offset=None).faulty(
                PayloadFault(code="truncated", offset=None, text=f"member of a thin archive: {error}")
            )
            continue
        held = replace(place, data=data, offset=None, member=name, kind=recognize(bytes(data[:HEAD_SIZE])))
        yield from _inside(held, None, depth + 1)


_READERS: dict[FileKind, Callable[[Place, str | None, int], Iterator[Place]]] = {
    FileKind.OFFLOAD_BINARY: _itself,
    FileKind.CUBIN: _itself,
    FileKind.CUDA_FATBIN: _itself,
    FileKind.HIP_BUNDLE: _itself,
    FileKind.TEXT_BUNDLE: _itself,
    FileKind.NVVM: _itself,
    FileKind.PTX: _itself,
    FileKind.SPIRV: _itself,
    FileKind.ELF: _elf,
    FileKind.COFF: _coff,
    FileKind.PE: _pe,
    FileKind.BITCODE: _bitcode,
    FileKind.ARCHIVE: _archive,
}
