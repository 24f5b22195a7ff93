"""Which bytes of an old output are not those of the new one: a verdict on each image and what is around it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..codec.writer import Frame
from ..deps.record import FileIdentity, Place, Record
from ..frozen import frozen
from .image_bytes import same_image
from .planning import ImageFile

__all__ = ["Piece", "Verdict", "identity_of", "pieces_of", "verdicts_of"]

_RECENT = 2_000_000_000
"""Nanoseconds: no file system counts time in longer steps, so an older image cannot change and keep its times."""


@frozen
class Piece:
    """An image, its frame, and where the frame begins in the output."""

    looked: ImageFile
    frame: Frame
    start: int

    @property
    def offset(self) -> int:
        """Where the image's bytes stand."""
        return self.start + len(self.frame.before)

    @property
    def end(self) -> int:
        """Where they end, and the zero bytes begin."""
        return self.offset + self.looked.size


@frozen
class Verdict:
    """Which parts of a piece have to be written; ``is_trusted`` if its image was not even read."""

    piece: Piece
    before: bool
    image: bool
    after: bool
    is_trusted: bool

    @property
    def size(self) -> int:
        """How many bytes have to be written."""
        sizes = (len(self.piece.frame.before), self.piece.looked.size, self.piece.frame.after)
        return sum(size for size, written in zip(sizes, (self.before, self.image, self.after), strict=True) if written)


def pieces_of(looked: Sequence[ImageFile], framed: Sequence[Frame]) -> list[Piece]:
    """Images and frames with their places."""
    pieces, start = [], 0
    for one, frame in zip(looked, framed, strict=True):
        pieces.append(Piece(looked=one, frame=frame, start=start))
        start += frame.size
    return pieces


def identity_of(looked: ImageFile) -> FileIdentity:
    """What the record remembers of an image's file."""
    return FileIdentity.of_numbers(looked.size, looked.mtime_ns, looked.ctime_ns, looked.identity[1])


def verdicts_of(pieces: Sequence[Piece], old: int, record: Record) -> list[Verdict]:
    """The verdict on each piece against the old output, open as ``old``, and the record of how it was packed.

    Raises OffloadError for an image that has to be read and cannot be, or changes meanwhile.
    """
    recorded = {place.offset: place for place in record.places}
    return [_verdict(piece, old, recorded.get(piece.offset), record.began_ns) for piece in pieces]


def _verdict(piece: Piece, old: int, place: Place | None, began_ns: int) -> Verdict:
    is_trusted = place is not None and _is_untouched(piece.looked, place, began_ns)
    return Verdict(
        piece=piece,
        before=not _holds(old, piece.frame.before, piece.start),
        image=not (is_trusted or same_image(piece.looked, old, piece.offset)),
        after=not _holds(old, bytes(piece.frame.after), piece.end),
        is_trusted=is_trusted,
    )


def _is_untouched(looked: ImageFile, place: Place, began_ns: int) -> bool:
    """Whether an image is what was packed: nothing about it is new, and it was no new file then either."""
    last = max(looked.mtime_ns, looked.ctime_ns)
    return place.file == identity_of(looked) and last < began_ns - _RECENT


def _holds(old: int, content: bytes, offset: int) -> bool:
    return os.pread(old, len(content), offset) == content
