"""AMDGPU triples and target ids as they are compared: what is declared against what a code object says.

Source: LLVM's "User Guide for AMDGPU Backend", Target Triples and Target ID.
"""

from __future__ import annotations

import re

from ..model import TargetId
from .amdgpu_machines import supports

__all__ = ["normalized_target", "normalized_triple", "same_target"]

_AMDGCN = re.compile(r"amdgcn|amdgpu[0-9a-z.]*")


def normalized_triple(triple: str) -> str:
    """The triple with one spelling for AMD's architecture, and without an environment that says nothing.

    >>> normalized_triple("amdgpu9.00-amd-amdhsa-unknown")
    'amdgcn-amd-amdhsa'
    """
    arch, *rest = triple.split("-")
    while len(rest) > 2 and rest[-1] in {"", "unknown"}:
        del rest[-1]
    return "-".join(["amdgcn" if _AMDGCN.fullmatch(arch) else arch, *rest]).rstrip("-")


def normalized_target(target: str) -> str:
    """The target with its features in the order of the alphabet; text that is no AMDGPU target id stays as it is.

    >>> normalized_target("gfx90a:xnack-:sramecc+")
    'gfx90a:sramecc+:xnack-'
    """
    found = TargetId.parse(target)
    if found is None:
        return target
    return found.processor + "".join(f":{name}{'+' if on else '-'}" for name, on in sorted(found.features.items()))


def same_target(declared: str | None, payload: str | None, *, is_exact: bool = True) -> bool | None:
    """Whether a code object is for the target that its container declares; None where that cannot be told.

    A feature that one of them leaves open and the other sets is a difference: code for any setting and code for one
    are not the same.  A generic processor is the same as itself only.  ``is_exact`` False is for a payload that does
    not tell "on" from "open" (code objects V3 and older): a feature that it does not name, but has, is one of the two.

    >>> same_target("gfx90a:xnack+", "gfx90a:xnack+"), same_target("gfx90a:xnack+", "gfx90a")
    (True, False)
    >>> same_target("gfx900:xnack+", "gfx900", is_exact=False) is None
    True
    """
    if declared is None or payload is None:
        return None
    wanted, found = TargetId.parse(declared), TargetId.parse(payload)
    if wanted is None and found is None:
        return True if declared == payload else None
    if wanted is None or found is None or wanted.processor != found.processor:
        return False
    if is_exact:
        return wanted.features == found.features
    open_features = [name for name in supports(found.processor) if name not in found.features]
    if any(wanted.features.get(name) is False for name in open_features):
        return False
    told = {name: on for name, on in wanted.features.items() if name not in open_features}
    return None if told == found.features and open_features else told == found.features
