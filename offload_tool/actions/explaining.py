"""Why an image was or was not written, in words: one line for the output, then one for each image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..deps.record import Place, Record
from .patch_plan import Piece, Verdict, identity_of

__all__ = ["explained_verdicts"]


def explained_verdicts(
    output: str, verdicts: Sequence[Verdict], size: int, record: Record, form: str, *, in_full: bool
) -> Iterator[str]:
    """For an output that was compared with the old one; ``size`` is that of the new one, ``form`` its form's text."""
    images = sum(verdict.image for verdict in verdicts)
    changed = sum(verdict.size for verdict in verdicts)
    if in_full:
        yield f"output {output!r}: packed in full, no image of the old output can stay"
    elif changed or size != record.output.size:
        yield f"output {output!r}: patched, {images} of {len(verdicts)} images and {changed} of {size} bytes written"
    else:
        yield f"output {output!r}: untouched, no byte changed"
    if record.form != form:
        yield f"output {output!r}: its form changed from {record.form!r} to {form!r}"
    yield from _explained_images(verdicts, record)


def _explained_images(verdicts: Sequence[Verdict], record: Record) -> Iterator[str]:
    recorded: dict[str, list[Place]] = {}
    for place in record.places:
        recorded.setdefault(place.path, []).append(place)
    for verdict in verdicts:
        path = verdict.piece.looked.image.file
        known = recorded.get(path, [])
        why = f"written, {_changed(verdict.piece, known)}" if verdict.image else f"not written, {_kept(verdict, known)}"
        around = "; the header before it is written, a size, kind or string changed" if verdict.before else ""
        yield f"image {path!r}: {why}{around}"
    packed = {verdict.piece.looked.image.file for verdict in verdicts}
    for path in recorded:
        if path not in packed:
            yield f"image {path!r}: gone"


def _changed(piece: Piece, known: Sequence[Place]) -> str:
    size = piece.looked.size
    if not known:
        return "it is new"
    here = next((place for place in known if place.offset == piece.offset), None)
    if here is not None and here.file.size == size:
        return "its bytes changed"
    before = here or next((place for place in known if place.file.size == size), known[0])
    if before.file.size != size:
        return f"its size changed from {before.file.size} to {size} bytes"
    return f"it moved from byte {before.offset} to byte {piece.offset}"


def _kept(verdict: Verdict, known: Sequence[Place]) -> str:
    if verdict.is_trusted:
        return "untouched since the last pack"
    piece = verdict.piece
    if piece.looked.size == 0:
        return "it is empty"
    if any(place.offset == piece.offset and place.file == identity_of(piece.looked) for place in known):
        return "changed within 2 s of the last pack, compared: the same bytes"
    return "its file is another or has new times, compared: the same bytes"
