"""What there is to tell of a pack once it is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..frozen import frozen
from .planning import ImageFile

__all__ = ["Outcome", "explained_full"]


@frozen
class Outcome:
    """What to tell of a pack: warnings, and why each image was or was not written (for one reading)."""

    warnings: tuple[str, ...] = ()
    explanations: Iterator[str]


def explained_full(output: str, reason: str, looked: Sequence[ImageFile]) -> Iterator[str]:
    """For an output that was packed with no look at the old one."""
    yield f"output {output!r}: packed in full, {reason}"
    for one in looked:
        yield f"image {one.image.file!r}: written, the output is packed in full"
