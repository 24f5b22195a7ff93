"""The budget of a manifest: how large the images of one pack may be together."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Fault, ManifestError
from ..manifest.load import place_of
from ..manifest.values import Budget
from .planning import ImageFile
from .words import one_line

__all__ = ["check_budget"]

_SHOWN = 10


def check_budget(budget: Budget | None, looked: Sequence[ImageFile]) -> None:
    """Raises ManifestError, with a table of the largest images, where they are over the budget.

    The images' own bytes count, as they are before compression.
    """
    total = sum(one.size for one in looked)
    if budget is None or total <= budget.size:
        return
    place = place_of(budget.declared)
    what = f"the images are {total:,} bytes, over the budget of {budget.text} ({budget.size:,} bytes); the largest are"
    message = "\n".join([what, *_table(looked)])
    raise ManifestError((Fault(file=place.file, line=place.line, column=place.column, message=message),))


def _table(looked: Sequence[ImageFile]) -> list[str]:
    largest = sorted(looked, key=lambda one: -one.size)[:_SHOWN]
    rows = [
        (f"{one.size:,}", one_line(one.image.arch) or "-", one.image.kind.value, one_line(one.image.file))
        for one in largest
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        f"  {size:>{widths[0]}}  {arch:{widths[1]}}  {kind:{widths[2]}}  {file}" for size, arch, kind, file in rows
    ]
    left = len(looked) - len(largest)
    return [*lines, f"  and {left:,} smaller"] if left else lines
