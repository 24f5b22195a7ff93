"""Static archives of images: unique names, an index of the symbols that ELF images define, no times or owners."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Sequence

from ..codec.writer import encode_string
from ..containers.archive import Member, plan_archive
from ..errors import FormatError
from .copying import write_all
from .output import written
from .recognize import FileKind

__all__ = ["Copy", "member_name", "symbols_of", "write_archive"]

Copy = Callable[[int], None]
"""Writes a member's bytes to the descriptor that it is given."""


def write_archive(
    output: str, members: Sequence[tuple[Member, Copy]], *, keep_if_equal: bool = False, keep_mode: bool = True
) -> None:
    """An archive of ``members``; each is copied by its own function into the descriptor that it is given."""
    plan = plan_archive([member for member, _ in members])
    with written(output, keep_if_equal=keep_if_equal, keep_mode=keep_mode) as target:
        write_all(target, plan.head)
        for header, (member, copy) in zip(plan.headers, members, strict=True):
            write_all(target, header)
            copy(target)
            write_all(target, b"\n" * (member.size % 2))


def symbols_of(descriptor: int, offset: int, size: int, found: FileKind) -> tuple[bytes, ...]:
    """The symbols that an ELF image of ``size`` bytes at ``offset`` defines; none for other images or damaged ones."""
    if found not in (FileKind.ELF, FileKind.CUBIN):
        return ()
    from ..wire.elf import defined_symbols

    page = offset - offset % mmap.ALLOCATIONGRANULARITY
    mapped = mmap.mmap(descriptor, offset + size - page, prot=mmap.PROT_READ, offset=page)
    try:
        return tuple(encode_string(name) for name in defined_symbols(memoryview(mapped)[offset - page :]))
    except FormatError:
        return ()


def member_name(path: str) -> str:
    """The name under which an image goes into an archive: that of its file, without folders."""
    return os.path.basename(path)
