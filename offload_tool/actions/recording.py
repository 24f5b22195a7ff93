"""The record of a pack, read before it and written after it: a fault here costs a full pack, nothing else."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Sequence

from ..deps.beside import beside
from ..deps.packager import packager_state
from ..deps.record import NOBODY, FileIdentity, Place, Record, read_record
from ..errors import FormatError, OffloadError
from ..frozen import replace
from .claiming import forget_parts, part_paths
from .copying import write_all
from .form import Form
from .output import written
from .patch_plan import Piece, identity_of

__all__ = ["forget_record", "form_text", "identity_at", "last_record", "new_record", "paths_beside", "write_record"]

_TRIES = 50
_TICK = 0.001
"""Seconds.  Kernels stamp files with a clock of 1 to 10 ms; one that takes longer than all tries is too coarse."""


def paths_beside(output: str) -> list[str]:
    """The paths beside an output that are its own: nobody else's file may have such a name."""
    return [beside(output, "record"), *part_paths(output)]


def last_record(output: str) -> tuple[Record | None, str]:
    """The record of the last pack and nothing; or None and, where there is a damaged one, what is wrong with it."""
    path = beside(output, "record")
    try:
        return read_record(path), ""
    except FormatError as error:
        return None, f"record {path!r} of the last pack is of no use: {error}; packed in full"
    except OSError as error:
        return None, f"record {path!r} of the last pack is of no use: {error.strerror}; packed in full"


def form_text(form: Form) -> str:
    """What a form is, for the record."""
    return f"{form.toolchain.name}, version {form.version.number}, align {form.align}"


def new_record(pieces: Sequence[Piece], form: Form, began_ns: int) -> Record:
    """The record of a pack that began at ``began_ns``, still without its output."""
    return Record(
        packager=packager_state(),
        began_ns=began_ns,
        form=form_text(form),
        output=NOBODY,
        places=tuple(
            Place(path=piece.looked.image.file, offset=piece.offset, file=identity_of(piece.looked)) for piece in pieces
        ),
    )


def identity_at(path: str) -> FileIdentity | None:
    """The identity of the regular file of this name, no link to one; None where there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return FileIdentity.of(status) if stat.S_ISREG(status.st_mode) else None


def write_record(output: str, record: Record) -> str:
    """Writes the record beside its output; gives what went wrong, if anything did.

    It is not written before the clock of the file system has gone on: a later change of the output then has a later
    time, however soon it comes.  Where that clock is too coarse, the record is one that fits no output.
    """
    path = beside(output, "record")
    try:
        with written(path) as descriptor:
            if not _clock_went_past(record.output.ctime_ns, descriptor):
                record = replace(record, output=NOBODY)
            write_all(descriptor, record.encoded())
    except OffloadError as error:
        forget_record(output)
        return f"no record of this pack, the next one is a full one: {error}"
    return ""


def _clock_went_past(moment_ns: int, descriptor: int) -> bool:
    for _ in range(_TRIES):
        os.utime(descriptor)
        if os.fstat(descriptor).st_mtime_ns > moment_ns:
            return True
        time.sleep(_TICK)
    return False


def forget_record(output: str) -> None:
    """Removes the record of an output that is packed without one."""
    path = beside(output, "record")
    with contextlib.suppress(OSError):
        os.unlink(path)
    forget_parts(path)
