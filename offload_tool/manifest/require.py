"""The entries of ``require``: targets for which a manifest must have an image."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import product
from math import prod

from ..frozen import frozen
from ..limits import MANIFEST_FAULTS, REQUIRED_TARGETS
from ..model import KINDS, Image, arch_key
from . import fields
from .faults import PathFault, PathFaults
from .tree import Path, Plain

__all__ = ["Requirement", "missing_targets", "requirements_of"]

_KEYS = ("triple", "arch", "kind")


@frozen
class Requirement:
    """One entry: each combination of its values must have an image; ``path`` leads to the entry.

    >>> Requirement(path=("require", 0), values={"arch": ("sm_80", "sm_90")}).values["arch"]
    ('sm_80', 'sm_90')
    """

    path: Path
    values: Mapping[str, tuple[str, ...]]


def requirements_of(top: Plain, faults: PathFaults) -> list[Requirement]:
    """The entries of a manifest's ``require``, in order; what is wrong with them is noted in ``faults``."""
    if not isinstance(top, dict) or "require" not in top:
        return []
    declared = fields.items(top["require"], ("require",), faults)
    found: list[Requirement] = []
    targets = 0
    for index, item in enumerate(declared):
        path: Path = ("require", index)
        values = _values(item, path, faults)
        targets += prod(map(len, values.values())) if values else 0
        if targets > REQUIRED_TARGETS:
            faults.add(path, f"more than {REQUIRED_TARGETS} targets in 'require'")
            return []
        found += [Requirement(path=path, values=values)] if values else []
    return found


def _values(item: Plain, path: Path, faults: PathFaults) -> dict[str, tuple[str, ...]]:
    entry = fields.mapping(item, path, faults, keys=_KEYS)
    if entry is None:
        return {}
    if not entry:
        faults.add(path, f"nothing is required; name one of {', '.join(_KEYS)}")
    values: dict[str, tuple[str, ...]] = {}
    for key in _KEYS:
        if key in entry and key == "kind":
            values[key] = tuple(fields.choices(entry[key], (*path, key), faults, KINDS))
        elif key in entry:
            values[key] = tuple(word for _, word in fields.texts(entry[key], (*path, key), faults))
    return values if all(values.values()) else {}


def missing_targets(requirements: Iterable[Requirement], images: Iterable[Image]) -> Iterator[PathFault]:
    """A fault for each requirement that ``images`` leave open; it names the targets without an image."""
    requirements = tuple(requirements)
    targets = [_target_of(image) for image in images] if requirements else []
    known: dict[tuple[str, ...], set[tuple[Hashable, ...]]] = {}
    for requirement in requirements:
        keys = tuple(requirement.values)
        if keys not in known:
            known[keys] = {tuple(target[key] for key in keys) for target in targets}
        there = known[keys]
        missing = [
            " ".join(words)
            for words in product(*requirement.values.values())
            if tuple(_key(key, word) for key, word in zip(keys, words, strict=True)) not in there
        ]
        if missing:
            more = f" and {len(missing) - MANIFEST_FAULTS} more" if len(missing) > MANIFEST_FAULTS else ""
            message = f"no image for {', '.join(missing[:MANIFEST_FAULTS])}{more}; declare it or do not require it"
            yield PathFault(path=requirement.path, message=message)


def _target_of(image: Image) -> dict[str, Hashable]:
    return {"triple": image.triple, "arch": arch_key(image.arch), "kind": image.kind.value}


def _key(key: str, word: str) -> Hashable:
    return arch_key(word) if key == "arch" else word
