"""Placeholders in the path of an image: ``{arch}``, ``{triple}``, ``{kind}`` and the manifest's variables.

``{{`` and ``}}`` are braces.  The three target words are made safe for a file name: every character outside
``[A-Za-z0-9._+-]`` becomes ``_``.  A variable stands for itself, since a folder is what most of them name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .faults import PathFaults
from .tree import Path

__all__ = ["TARGET_NAMES", "expand", "expanded", "file_name_part", "unknown_names"]

TARGET_NAMES = ("arch", "triple", "kind")

_PIECE = r"\{\{|\}\}|\{([^{}]*)\}|[{}]"
_UNSAFE = r"[^A-Za-z0-9._+-]"


def file_name_part(text: str) -> str:
    """``text`` with every character that a file name may not want turned into ``_``.

    >>> file_name_part("gfx942:xnack+")
    'gfx942_xnack+'
    """
    return re.sub(_UNSAFE, "_", text)


def expand(text: str, values: Mapping[str, str]) -> str:
    """``text`` with its placeholders filled in; every name must be in ``values`` (see ``unknown_names``).

    >>> expand("k.{arch}.{{o}}", {"arch": "sm_90"})
    'k.sm_90.{o}'
    """

    def piece(match: re.Match[str]) -> str:
        name = match.group(1)
        return values[name] if name is not None else match.group()[0]

    return re.sub(_PIECE, piece, text)


def unknown_names(text: str, names: Mapping[str, str]) -> list[tuple[int, str]]:
    """Faults of the placeholders in ``text``: offset in characters and what is wrong."""
    faults = []
    for match in re.finditer(_PIECE, text):
        if match.group() in ("{", "}"):
            faults.append((match.start(), f"single {match.group()!r}; write {match.group() * 2!r} for a brace"))
        elif match.group(1) is not None and match.group(1) not in names:
            known = ", ".join(f"{{{name}}}" for name in sorted(names))
            faults.append((match.start(), f"unknown placeholder {match.group()!r}; expected one of {known}"))
    return faults


def expanded(text: str, values: Mapping[str, str], path: Path, faults: PathFaults) -> str | None:
    """``text`` with its placeholders filled in, or None after noting those that are not in ``values``."""
    if "{" not in text and "}" not in text:
        return text
    unknown = unknown_names(text, values)
    for offset, message in unknown:
        faults.add(path, message, offset=offset)
    return None if unknown else expand(text, values)
