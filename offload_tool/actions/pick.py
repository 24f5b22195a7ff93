"""Which of several images a runtime would load on a device, and why not the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..frozen import frozen, replace
from ..gpu.devices import parse_device
from ..gpu.nvidia_targets import NvidiaTarget
from ..gpu.payload_kind import HEAD_SIZE, kind_of
from ..gpu.running import Verdict, verdict
from ..model import same_arch
from .survey import FoundImage

__all__ = ["Candidate", "Loadable", "Pick", "pick", "pick_file", "pick_images", "told_target"]

_TOLD = 3
"""So many reasons are told where nothing would load; the table has them all."""

_MALFORMED = "malformed"
_RELOCATABLE = "__nv_relfatbin"


class Loadable(Protocol):
    """What is asked of an image: rows of an inspection have it, and anything else may."""

    @property
    def id(self) -> str:
        """What the image is called, unlike all others."""
        ...

    @property
    def kind(self) -> str:
        """As readers of GPU formats name it: ``cubin``, ``ptx``, ``code-object``."""
        ...

    @property
    def target(self) -> str | None:
        """What its container declares."""
        ...

    @property
    def payload_target(self) -> str | None:
        """What its bytes say."""
        ...

    @property
    def coverage(self) -> str:
        """``malformed`` where its bytes are damaged."""
        ...

    @property
    def fault(self) -> object | None:
        """What is wrong with it, with a ``text``."""
        ...


@frozen
class Candidate:
    """One image and whether it would run; ``target`` is the one that was judged, None where none is told."""

    image: Loadable
    target: str | None
    verdict: Verdict


@frozen
class Pick:
    """What would be loaded on ``device``: ``chosen``, or None.

    ``candidates`` are all images: those that would run, the best first, then the others; where nothing else decides,
    in the order that they came in.
    """

    device: str
    chosen: Candidate | None
    candidates: tuple[Candidate, ...]

    def absence(self) -> str:
        """Why nothing would load, for people; where something would, this says nothing."""
        if self.chosen is not None:
            return ""
        if not self.candidates:
            return f"there is no device image that could run on {self.device}"
        reasons = list(dict.fromkeys(found.verdict.reason for found in self.candidates))
        more = f"; and {len(reasons) - _TOLD} reasons more" if len(reasons) > _TOLD else ""
        return f"no image would run on {self.device}: {'; '.join(reasons[:_TOLD])}{more}"


def pick(images: Iterable[Loadable], device: str) -> Pick:
    """The image that a runtime would load on a device such as ``sm_89``, ``8.9`` or ``gfx90a:xnack-``.

    What the bytes say of their target counts before what is declared; damaged images are never chosen.  Raises
    UsageError where the device is none.
    """
    parse_device(device)
    judged = [_judged(image, device) for image in images]
    # Both sorts keep the order of equals.
    running = sorted((found for found in judged if found.verdict.runs), key=_rank, reverse=True)
    candidates = (*running, *(found for found in judged if not found.verdict.runs))
    return Pick(device=device, chosen=running[0] if running else None, candidates=candidates)


def pick_file(path: str, device: str) -> Pick:
    """``pick`` among the payloads that an inspection finds in a file; raises OffloadError where it cannot be read.

    >>> pick_file("app.bin", "sm_89").chosen  # doctest: +SKIP
    """
    from .inspection.report import inspect_file

    parse_device(device)
    return pick(inspect_file(path).objects, device)


def pick_images(images: Sequence[FoundImage], device: str) -> Pick:
    """``pick`` among images as ``read_images`` gives them; an id is that of the listing, such as ``3`` or ``3.0``."""
    return pick(_rows(images), device)


def told_target(kind: str, target: str | None, payload_target: str | None) -> str | None:
    """The target to go by, of the declared one and the one that the bytes say; None where neither is told.

    A cubin's bytes may say no more than the base architecture: then a declared suffix counts.

    >>> told_target("cubin", "sm_80", "sm_86"), told_target("cubin", "sm_100f", "sm_100")
    ('sm_86', 'sm_100f')
    """
    if payload_target is None or target is None:
        return payload_target or target
    declared, found = NvidiaTarget.parse(target), NvidiaTarget.parse(payload_target)
    if kind != "cubin" or declared is None or found is None or found.suffix:
        return payload_target
    return target if declared.capability == found.capability else payload_target


def _rank(found: Candidate) -> tuple[int, ...]:
    return found.verdict.rank


def _judged(image: Loadable, device: str) -> Candidate:
    target = told_target(image.kind, image.target, image.payload_target)
    return Candidate(image=image, target=target, verdict=_verdict(image, target, device))


def _verdict(image: Loadable, target: str | None, device: str) -> Verdict:
    if image.coverage == _MALFORMED:
        text = getattr(image.fault, "text", None)
        return Verdict(runs=False, rank=(), reason=f"its bytes are damaged{f': {text}' if text else ''}")
    if getattr(image, "section", None) == _RELOCATABLE:
        reason = f"relocatable code (section {_RELOCATABLE}): it is linked into the program's images, never loaded"
        return Verdict(runs=False, rank=(), reason=reason)
    found = verdict(image.kind, target, device)
    if image.target is None or target is None or _agree(image.target, target):
        return found
    return replace(found, reason=f"declared {image.target!r}, but its bytes are for {target!r}: {found.reason}")


def _agree(declared: str, target: str) -> bool:
    one, other = NvidiaTarget.parse(declared), NvidiaTarget.parse(target)
    if one is not None and other is not None:
        return (one.capability, one.suffix) == (other.capability, other.suffix)
    return same_arch(declared, target)


@frozen
class _Row:
    """An image of an offload binary: what its bytes say of their target is not looked at."""

    id: str
    kind: str
    target: str | None
    payload_target: str | None = None
    coverage: str = "unexamined"
    fault: object | None = None


def _rows(images: Sequence[FoundImage]) -> list[Loadable]:
    return [
        _Row(id=label, kind=kind_of(bytes(image.content[:HEAD_SIZE])), target=image.arch or None)
        for outer in images
        for label, image in outer.tree()
    ]
