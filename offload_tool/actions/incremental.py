"""Incremental packing: of an old output only the bytes that differ are written.

The record of the last pack tells which images nobody touched since.  Everything else is compared with the bytes of the
old output, where it is to stand, before a byte is written: so no digest is kept, and none can be wrong.  Where there is
nothing to go by, the output is packed in full.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..codec.writer import frames
from ..deps.packager import packager_state
from ..deps.record import FileIdentity, Record
from ..errors import OffloadError
from ..frozen import frozen, replace
from .explaining import explained_verdicts
from .form import Form
from .image_bytes import check_image, copier, copy_image
from .outcome import Outcome, explained_full
from .patch_plan import Piece, Verdict, pieces_of, verdicts_of
from .patching import CannotPatch, old_output, patched, write_at
from .planning import ImageFile, new_image
from .recording import forget_record, form_text, identity_at, last_record, new_record, write_record
from .writing import write_framed

__all__ = ["write_incrementally"]


@frozen
class _Pack:
    """One pack: what goes where, in which form, and how to write it where that has to be in full."""

    output: str
    pieces: Sequence[Piece]
    form: Form
    keep_if_equal: bool

    @property
    def size(self) -> int:
        return sum(piece.frame.size for piece in self.pieces)


def write_incrementally(
    output: str, looked: Sequence[ImageFile], form: Form, *, began_ns: int, keep_if_equal: bool
) -> Outcome:
    """The fat binary of ``looked`` into ``output``, with a record beside it for the next time.

    ``began_ns`` is a time before the images were looked at.  An old output of the same bytes stays untouched where the
    record fits it; ``keep_if_equal`` asks for that where it does not.  Raises OffloadError; the old output is gone only
    if something fails that could not be seen before: the disk, or an image that changes meanwhile.
    """
    framed = frames([new_image(one, form) for one in looked], form.version, form.align)
    pack = _Pack(output=output, pieces=pieces_of(looked, framed), form=form, keep_if_equal=keep_if_equal)
    last, fault = last_record(output)
    record = new_record(pack.pieces if form.compression is None else (), form, began_ns)
    try:
        if last is None:
            raise CannotPatch(
                "the record of the last pack is damaged" if fault else "there is no record of a last pack"
            )
        identity, explanations = _patch(pack, last)
    except CannotPatch as reason:
        identity = _write_in_full(pack)
        explanations = explained_full(output, str(reason), looked)
    unwritten = ""
    if identity is None:
        forget_record(output)
    else:
        unwritten = write_record(output, replace(record, output=identity))
    return Outcome(warnings=tuple(text for text in (fault, unwritten) if text), explanations=explanations)


def _patch(pack: _Pack, last: Record) -> tuple[FileIdentity | None, Iterator[str]]:
    """The output's new identity, and what to explain; raises CannotPatch where only a full pack will do."""
    if pack.form.compression is not None:
        raise CannotPatch("a compressed form always is")
    if last.packager != packager_state():
        raise CannotPatch("the packager itself changed")
    with old_output(pack.output, last.output) as old:
        verdicts = verdicts_of(pack.pieces, old, last)
        changes = pack.size != last.output.size or any(verdict.size for verdict in verdicts)
        # Where nothing of it can stay, a full pack writes no more, and a kill does not cost the old output.
        in_full = changes and not any(verdict.piece.looked.size and not verdict.image for verdict in verdicts)
        if in_full:
            identity = _write_in_full(pack)
        else:
            if changes:
                _write_changes(pack, verdicts, old)
            identity = FileIdentity.of(os.fstat(old))
    form = form_text(pack.form)
    return identity, explained_verdicts(pack.output, verdicts, pack.size, last, form, in_full=in_full)


def _write_changes(pack: _Pack, verdicts: Sequence[Verdict], old: int) -> None:
    for verdict in verdicts:
        if verdict.image:
            check_image(verdict.piece.looked)  # while the old output can still stay
    try:
        with patched(pack.output, old, pack.size):
            for verdict in verdicts:
                _write(verdict, old)
    except OSError as error:
        raise OffloadError(f"output {pack.output!r}: {error.strerror or error}") from error


def _write(verdict: Verdict, target: int) -> None:
    piece = verdict.piece
    if verdict.before:
        write_at(target, piece.frame.before, piece.start)
    if verdict.image:
        os.lseek(target, piece.offset, os.SEEK_SET)
        copy_image(piece.looked, target)
    if verdict.after:
        write_at(target, bytes(piece.frame.after), piece.end)


def _write_in_full(pack: _Pack) -> FileIdentity | None:
    """Gives the identity of what stands there now; None where that is no regular file, or somebody else's."""
    before = identity_at(pack.output)
    inode = write_framed(
        pack.output,
        [(piece.frame, copier(piece.looked)) for piece in pack.pieces],
        pack.form,
        keep_if_equal=pack.keep_if_equal,
    )
    after = identity_at(pack.output)
    return after if after is not None and (after.inode == inode or after == before) else None
