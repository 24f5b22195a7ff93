"""Every kind of file that may hold offload binaries, as spans of bytes with their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..errors import FormatError
from ..frozen import frozen, replace
from ..limits import NESTING
from .recognize import HEAD_SIZE, FileKind, recognize
from .thin_members import ThinMembers

__all__ = ["Span", "absence", "spans"]


@frozen
class Span:
    """Bytes that hold offload binaries, and where they stand.

    ``offset`` is that of their first byte in the outermost file, None where they lie there in no one place (bitcode) or
    in another file (thin archives).  ``container`` is the kind of file that holds them, the innermost one.
    """

    data: memoryview
    offset: int | None
    container: str = "offload-binary"
    member: str | None = None
    section: str | None = None

    def part(self, offset: int, size: int) -> Span:
        """``size`` bytes from ``offset`` on, of the same place."""
        moved = None if self.offset is None else self.offset + offset
        return replace(self, data=self.data[offset : offset + size], offset=moved)


def spans(data: memoryview, path: str) -> list[Span]:
    """The spans in a file that hold offload binaries, in file order; none where it is of a kind that holds none.

    ``path`` is where the members of a thin archive are looked for.  Raises FormatError for a damaged file, OffloadError
    for a member that cannot be read.
    """
    return list(_inside(Span(data=data, offset=0), path, 0))


def absence(data: memoryview, path: str) -> str:
    """Why a file has no spans, in words."""
    found = recognize(bytes(data[:HEAD_SIZE]))
    if found in _READERS:
        return f"{path!r} is {found.value} that holds no offload binary"
    return f"{path!r} is {found.value}; expected an offload binary or a file that holds one"


def _inside(span: Span, path: str | None, depth: int) -> Iterator[Span]:
    """What a span holds; nothing where it is of a kind that holds nothing, as most members of archives."""
    reader = _READERS.get(recognize(bytes(span.data[:HEAD_SIZE])))
    if reader is None:
        return
    if depth > NESTING:
        raise FormatError(f"nested deeper than {NESTING} levels", offset=0)
    try:
        yield from reader(span, path, depth)
    except FormatError as error:
        inside = error.shifted(span.offset or 0)
        if span.member is None or span.offset is None:
            raise inside from error
        raise FormatError(f"member {span.member!r}: {error.what}", offset=inside.offset) from error


def _offload_binary(span: Span, _path: str | None, _depth: int) -> Iterator[Span]:
    yield span


def _elf(span: Span, _path: str | None, _depth: int) -> Iterator[Span]:
    from ..containers.elf import offloading_sections

    for section in offloading_sections(span.data):
        yield replace(span.part(section.offset, section.size), container="elf", section=section.name)


def _coff(span: Span, _path: str | None, _depth: int) -> Iterator[Span]:
    from ..containers.coff import offloading_sections

    for section in offloading_sections(span.data):
        yield replace(span.part(section.offset, section.size), container="coff", section=section.name)


def _pe(span: Span, _path: str | None, _depth: int) -> Iterator[Span]:
    from ..containers.pe import offloading_sections

    for section in offloading_sections(span.data):
        yield replace(span.part(section.offset, section.size), container="pe", section=section.name)


def _bitcode(span: Span, _path: str | None, _depth: int) -> Iterator[Span]:
    from ..containers.bitcode import offloading_globals

    for embedded in offloading_globals(span.data):
        data = memoryview(embedded.content)
        yield replace(span, data=data, offset=None, container="bitcode", section=embedded.section)


def _archive(span: Span, path: str | None, depth: int) -> Iterator[Span]:
    from ..containers.archive_reader import members

    thin = ThinMembers(path)
    for member in members(span.data):
        name = member.name if span.member is None else f"{span.member}:{member.name}"
        if member.is_thin:
            held = replace(span, data=thin.data_of(member), offset=None, member=name)
            yield from _inside(held, None, depth + 1)
        else:
            held = replace(span.part(member.offset, member.size), member=name)
            yield from _inside(held, path, depth + 1)


_READERS: dict[FileKind, Callable[[Span, str | None, int], Iterator[Span]]] = {
    FileKind.OFFLOAD_BINARY: _offload_binary,
    FileKind.ELF: _elf,
    FileKind.CUBIN: _elf,
    FileKind.COFF: _coff,
    FileKind.PE: _pe,
    FileKind.BITCODE: _bitcode,
    FileKind.ARCHIVE: _archive,
}
