"""Static archives of images: unique names, an index of symbols (ELF and bitcode images), no times or owners."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..codec.writer import encode_string
from ..containers import bitcode_file
from ..containers.archive import Member, plan_archive
from ..errors import FormatError
from ..wire import elf_head
from .copying import write_all
from .output import written
from .writing import Copy

__all__ = ["member_name", "symbols_of", "write_archive"]


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


def symbols_of(image: memoryview) -> tuple[bytes, ...]:
    """The symbols that an ELF or bitcode image defines; none for other images or damaged ones."""
    head = bytes(image[:4])
    try:
        if elf_head.matches(head):
            return _elf_symbols(image)
        if bitcode_file.matches(head):
            return _bitcode_symbols(image)
    except FormatError:
        pass
    return ()


def _elf_symbols(image: memoryview) -> tuple[bytes, ...]:
    from ..wire.elf_symbols import defined_symbols

    return tuple(encode_string(name) for name in defined_symbols(image))


def _bitcode_symbols(image: memoryview) -> tuple[bytes, ...]:
    from ..containers.bitcode_symbols import defined_symbols

    return tuple(defined_symbols(image))


def member_name(path: str) -> str:
    """The name under which an image goes into an archive: that of its file, without folders."""
    return os.path.basename(path)
