"""The rows of a file's payloads, in their order: of all of them, of some, or of every n-th."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Generator, Iterator, Sequence

from ...errors import UsageError
from ...frozen import frozen
from ...gpu.readers import whole_reader
from ..mapping import Inflater, forget_pages
from .located import Located, Numbered, located
from .places import places
from .rows import KernelRow, ObjectRow, object_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = ["Look", "PayloadRows", "Wanted", "payload_rows"]

_PAGES = 16 << 20
"""Bytes of a mapped file that are looked at before the memory that shows them is given back."""

Look: TypeAlias = Callable[[Located, ObjectRow, Sequence[KernelRow]], None]
"""What sees each payload with its rows, in their order, while its bytes are at hand."""

PayloadRows: TypeAlias = tuple[ObjectRow, list[KernelRow]]
"""The row of a payload and those of its kernels."""


@frozen
class Wanted:
    """What is wanted of which payloads: those of ``object_ids`` if given, and of ``parts`` parts the ``part``-th.

    The first payload belongs to part 0, the second to part 1, and so on over again.
    """

    object_ids: Collection[str] | None = None
    part: int = 0
    parts: int = 1
    kernels: bool = False
    payload_digests: bool = False


def payload_rows(data: memoryview, path: str, wanted: Wanted, look: Look | None = None) -> Iterator[PayloadRows]:
    """The rows of the payloads in a file's bytes; raises UsageError at the end for an id that is not there."""
    whole = wanted.kernels or wanted.payload_digests
    left = None if wanted.object_ids is None else set(wanted.object_ids)
    found = _chosen(_payloads(data, path, whole=whole), left, wanted)
    if whole:
        from .ahead import decoded_ahead

        found = decoded_ahead(found, lambda one: wanted.payload_digests or whole_reader(one.payload.kind) is not None)
    looked_at = 0
    with contextlib.closing(found):
        for number, one in found:
            rows = object_rows(one, number, kernels=wanted.kernels, digest=wanted.payload_digests)
            if look is not None:
                look(one, *rows)
            yield rows
            looked_at += one.payload.encoded_size
            if looked_at > _PAGES:
                forget_pages(data)
                looked_at = 0
    if left:
        raise UsageError(f"{path!r} has no object with id {min(left)!r}")


def _chosen(found: Iterator[Located], left: set[str] | None, wanted: Wanted) -> Generator[Numbered, None, None]:
    """The payloads that are wanted, with their numbers; the ids of those that came are taken out of ``left``."""
    for number, one in enumerate(found):
        if number % wanted.parts == wanted.part and (left is None or str(number) in left):
            yield number, one
            if left is not None:
                left.discard(str(number))


def _payloads(data: memoryview, path: str, *, whole: bool) -> Iterator[Located]:
    inflate = Inflater()
    for place in places(data, path):
        yield from located(place, whole=whole, inflate=inflate)
