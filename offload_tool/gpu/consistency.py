"""What a container declares against what the payload's bytes say."""

from __future__ import annotations

import re

from .amdgpu_targets import normalized_target, same_target
from .payload import Examined

__all__ = ["CONSISTENCIES", "consistency", "declared_target", "vendor_of"]

CONSISTENCIES = {
    "match": "container and payload name the same target",
    "conflict": "they name different targets",
    "base-only": "the payload names the base architecture only, and that is the same",
    "single-source": "only the payload names a target, as of a bare file",
    "unexamined": "the payload's bytes name no target, or cannot be read",
}
"""Every word for how a declared target and a payload's own compare."""

_NVIDIA = re.compile(r"(?:sm|compute|lto)_([0-9]+[af]?)")
_PREFIXES = {"ptx": "compute_", "relocatable-ptx": "compute_", "lto-ir": "lto_", "cubin": "sm_"}


def declared_target(kind: str, text: str) -> str | None:
    """A target as listings name it: NVIDIA's with the prefix that belongs to the kind, AMD's with features sorted.

    >>> declared_target("ptx", "sm_90a"), declared_target("code-object", "gfx90a:xnack+:sramecc-")
    ('compute_90a', 'gfx90a:sramecc-:xnack+')
    """
    found = _NVIDIA.fullmatch(text)
    if found is not None and kind in _PREFIXES:
        return _PREFIXES[kind] + found[1]
    return normalized_target(text) or None


def vendor_of(target: str | None) -> str:
    """``nvidia``, ``amd`` or ``other``.

    >>> vendor_of("gfx90a:xnack+")
    'amd'
    """
    if target is not None and _NVIDIA.fullmatch(target):
        return "nvidia"
    return "amd" if target is not None and target.startswith(("gfx", "amdgcn")) else "other"


def consistency(declared: str | None, examined: Examined) -> str:
    """One of ``CONSISTENCIES``: how ``declared`` compares with what the payload's bytes say.

    >>> consistency("sm_90a", Examined(kind="cubin", target="sm_90", is_exact=False))
    'base-only'
    """
    found = examined.target
    if found is None:
        return "unexamined"
    if declared is None:
        return "single-source"
    numbers = _NVIDIA.fullmatch(declared), _NVIDIA.fullmatch(found)
    if numbers[0] is None or numbers[1] is None:
        same = same_target(declared, found, is_exact=examined.is_exact)
        return "base-only" if same is None else "match" if same else "conflict"
    wanted, told = numbers[0][1], numbers[1][1]
    if examined.is_exact:
        return "match" if wanted == told else "conflict"
    if told[-1].isdigit():
        return "base-only" if wanted.rstrip("af") == told else "conflict"
    return "match" if wanted == told else "conflict"
