"""One file inspected: its payloads, their targets and kernels, and how far it could be read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection

from ...errors import OffloadError, UsageError
from ...frozen import frozen
from ..mapping import mapped_descriptor, opened
from ..recognize import HEAD_SIZE, FileKind, recognize
from .file_digest import file_digest, file_digest_beside
from .payload_rows import Look, PayloadRows, Wanted, payload_rows
from .rows import KernelRow, ObjectRow
from .targets import TargetRow, joined_coverage, target_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = ["Inspection", "inspect_file"]

_LARGE = 32 << 20
"""Bytes of a file whose kernels are worth several processes."""


@frozen
class Inspection:
    """What GPU code a file carries.

    ``sha256`` is the file's, None where it was not asked for.  ``coverage`` says how far the file could be read:
    complete, partial, unsupported, malformed.  ``targets`` put the ``objects`` together; ``kernels`` is None unless
    they were asked for.
    """

    file: str
    sha256: str | None
    coverage: str
    targets: tuple[TargetRow, ...]
    objects: tuple[ObjectRow, ...]
    kernels: tuple[KernelRow, ...] | None


def inspect_file(
    path: str,
    *,
    kernels: bool = False,
    digest: bool = False,
    payload_digests: bool = False,
    expected_sha256: str | None = None,
    object_ids: Collection[str] | None = None,
    look: Look | None = None,
    jobs: int | None = 1,
) -> Inspection:
    """The GPU code in a file, told from its bytes alone: nothing is run and no vendor's tool is needed.

    ``kernels`` reads every payload whole; without, their first bytes are enough.  ``digest`` gives the file's SHA-256,
    ``payload_digests`` those of the decoded payloads.  A file whose SHA-256 is not ``expected_sha256`` is refused
    before anything in it is looked at.  ``object_ids`` limits the inspection to these payloads, and needs
    ``expected_sha256``: ids are positions in one file.  ``look`` is called with every payload.  ``jobs`` processes, or
    with None one for each usable CPU, share the kernels of a large file; a program that wants them needs a guarded main
    module, see ``multiprocessing``.  Raises OffloadError where the file cannot be read or has changed, UsageError for
    an id that is not there.

    >>> inspect_file("libsaxpy.so").targets[0].target  # doctest: +SKIP
    'sm_90'
    """
    if object_ids is not None and expected_sha256 is None:
        raise UsageError("object ids are positions in one file; give the SHA-256 of its inventory, too")
    with opened(path) as descriptor, _digest(descriptor, path, expected_sha256, is_wanted=digest) as sha256:
        data = mapped_descriptor(descriptor)
        wanted = Wanted(object_ids=object_ids, kernels=kernels, payload_digests=payload_digests)
        if kernels and jobs != 1 and object_ids is None and look is None and len(data) >= _LARGE:
            from .parts import rows_in_parts

            rows = rows_in_parts(data, path, descriptor, wanted, jobs)
        else:
            rows = list(payload_rows(data, path, wanted, look))
        return _inspection(path, sha256(), data, rows, kernels=kernels)


_Digest: TypeAlias = contextlib.AbstractContextManager[Callable[[], str | None]]


def _digest(descriptor: int, path: str, expected: str | None, *, is_wanted: bool) -> _Digest:
    if expected is None:
        return file_digest_beside(descriptor) if is_wanted else contextlib.nullcontext(lambda: None)
    sha256 = file_digest(descriptor)
    if sha256 != expected.lower():
        raise OffloadError(f"{path!r} has changed: its SHA-256 is {sha256}, {expected!r} was expected")
    return contextlib.nullcontext(lambda: sha256)


def _inspection(
    path: str, sha256: str | None, data: memoryview, rows: list[PayloadRows], *, kernels: bool
) -> Inspection:
    objects = [row for row, _ in rows]
    counts = {row.id: len(own) for row, own in rows if row.coverage == "complete" or own} if kernels else None
    return Inspection(
        file=path, sha256=sha256, coverage=_coverage(data, objects),
        targets=tuple(target_rows(objects, counts)), objects=tuple(objects),
        kernels=tuple(kernel for _, own in rows for kernel in own) if kernels else None,
    )  # fmt: skip


def _coverage(data: memoryview, objects: list[ObjectRow]) -> str:
    if not objects and len(data) and recognize(bytes(data[:HEAD_SIZE])) in (FileKind.UNKNOWN, FileKind.BITCODE):
        return "unsupported"
    return joined_coverage(row.coverage for row in objects)
