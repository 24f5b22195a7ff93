"""NVIDIA's names of targets, and which compute capabilities are one family.

A name is a prefix (``sm_`` machine code, ``compute_`` PTX, ``lto_`` LTO-IR), the compute capability times ten, and a
suffix: none; ``a``, features of that capability alone; ``f``, features of its family.

Source: CUDA Programming Guide, appendix "Compute Capabilities" (architecture-specific and family-specific features),
and the NVIDIA blog on family-specific architecture features of CUDA 12.9.  The families were measured too: ptxas 13.0
takes PTX with an ``f`` for the capabilities of ``FAMILIES`` and refuses it for all others that it knows.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TypeAlias

from ..frozen import frozen

__all__ = ["FAMILIES", "FORMER", "Capability", "NvidiaTarget", "TargetForm", "current", "dotted", "family"]

Capability: TypeAlias = tuple[int, int]
"""A compute capability: major, minor."""

FAMILIES: tuple[frozenset[Capability], ...] = (
    frozenset({(10, 0), (10, 3)}),
    frozenset({(11, 0)}),
    frozenset({(12, 0), (12, 1)}),
)
"""The families; a capability in none of them has no relatives that are known."""

FORMER: dict[Capability, Capability] = {(10, 1): (11, 0)}
"""Capabilities that were renamed: CUDA 12.8 and 12.9 call 11.0 10.1 (ptxas 13.0 takes ``sm_101f`` for sm_110 alone)."""

_NAME = re.compile(r"(sm|compute|lto)_([1-9][0-9]?)([0-9])([af]?)", re.ASCII)


class TargetForm(Enum):
    """What a target's code is; the value is the prefix of its name."""

    REAL = "sm"
    VIRTUAL = "compute"
    LTO = "lto"


@frozen
class NvidiaTarget:
    """One target as it is named, a former capability left as it is; ``suffix`` is ``a``, ``f`` or empty.

    >>> str(NvidiaTarget.parse("sm_90a"))
    'sm_90a'
    """

    form: TargetForm
    major: int
    minor: int
    suffix: str

    @classmethod
    def parse(cls, text: str) -> NvidiaTarget | None:
        """From text such as ``compute_100f``; None where it is no such name.

        >>> NvidiaTarget.parse("lto_100f").capability
        (10, 0)
        """
        match = _NAME.fullmatch(text)
        if match is None:
            return None
        return cls(form=TargetForm(match[1]), major=int(match[2]), minor=int(match[3]), suffix=match[4])

    @property
    def capability(self) -> Capability:
        """The compute capability that the name says."""
        return self.major, self.minor

    def __str__(self) -> str:
        return f"{self.form.value}_{self.major}{self.minor}{self.suffix}"


def current(capability: Capability) -> Capability:
    """The capability's name of today.

    >>> current((10, 1)), current((9, 0))
    ((11, 0), (9, 0))
    """
    return FORMER.get(capability, capability)


def family(capability: Capability) -> frozenset[Capability]:
    """The capabilities of one family; of one in no family itself alone.

    >>> sorted(family((12, 1)))
    [(12, 0), (12, 1)]
    """
    own = frozenset({current(capability)})
    return next((members for members in FAMILIES if own <= members), own)


def dotted(capability: Capability) -> str:
    """A capability as people write it: ``8.9``."""
    return f"{capability[0]}.{capability[1]}"
