"""Names of files that are made of texts out of files: they cannot leave their folder, nor hide one another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..containers.archive import unique_names

__all__ = ["portable_names", "safe_name"]

_UNSAFE = re.compile(r"[^A-Za-z0-9._+:=@,-]")
_DRIVE = re.compile(r"^(.):")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)", re.IGNORECASE)
_LONGEST_NAME = 230
"""Bytes: file systems take 255, and a number may come on top."""


def safe_name(text: str) -> str:
    """``text`` as the name of a file that cannot leave its folder; a long one is cut, but keeps its suffix.

    Dots at both ends are dropped, what Windows keeps for devices gets an underline in front.  Colons stay, they are
    part of AMDGPU target ids; but not where one would follow the letter of a drive.

    >>> safe_name("../gfx90a:xnack+"), safe_name("nul.o")
    ('_gfx90a:xnack+', '_nul.o')
    """
    name = _DRIVE.sub(r"\1_", _UNSAFE.sub("_", text).strip(".")) or "image"
    if _RESERVED.match(name):
        name = f"_{name}"
    if len(name) <= _LONGEST_NAME:
        return name
    stem, dot, suffix = name.rpartition(".")
    end = f"{dot}{suffix}" if stem and len(suffix) < _LONGEST_NAME // 2 else ""
    return name[: _LONGEST_NAME - len(end)] + end


def portable_names(texts: Sequence[str]) -> list[str]:
    """A safe name for each of ``texts``, no two alike even where upper and lower case are one.

    >>> portable_names(["K.o", "k.o", "k/o"])
    ['K.o', 'k-2.o', 'k_o']
    """
    return unique_names([safe_name(text) for text in texts], ignore_case=True)
