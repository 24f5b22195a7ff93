"""The entries of ``include``: which manifest, which of its images, and what they are made into."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from ..frozen import field, frozen, replace
from ..model import IMAGE_KINDS, KINDS, Image, OffloadKind, arch_key
from . import fields
from .expand import expanded
from .faults import PathFaults
from .tree import Path, Plain

__all__ = ["Include", "includes_of"]

_KEYS = ("manifest", "select", "set")
_SELECT_KEYS = ("triple", "arch", "kind", "image_kind", "metadata")
_SET_KEYS = ("arch", "kind", "metadata")


@frozen
class Include:
    """One entry: ``manifest`` is a name as written, its placeholders filled in; ``path`` leads to that name.

    ``select`` gives the values that each key may have, ``arch`` None keeps the image's own, and so does ``kind``.
    """

    manifest: str
    path: Path
    select: Mapping[tuple[str, ...], frozenset[Hashable]] = field(default_factory=dict)
    arch: str | None = None
    kind: OffloadKind | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    def takes(self, image: Image) -> bool:
        """Whether all keys of ``select`` agree, each with any of its values."""
        return all(_READERS[key[0]](image, key[-1]) in values for key, values in self.select.items())

    def changed(self, image: Image) -> Image:
        """The image as the including manifest has it; its file stays that of the included one."""
        return replace(
            image,
            arch=image.arch if self.arch is None else self.arch,
            kind=self.kind or image.kind,
            metadata=tuple({**dict(image.metadata), **self.metadata}.items()),
        )


_READERS: Mapping[str, Callable[[Image, str], Hashable]] = {
    "triple": lambda image, _: image.triple,
    "arch": lambda image, _: arch_key(image.arch),
    "kind": lambda image, _: image.kind.value,
    "image_kind": lambda image, _: image.image_kind.word if image.image_kind is not None else "",
    "metadata": lambda image, key: dict(image.metadata).get(key),
}


def includes_of(top: Plain, variables: Mapping[str, str], faults: PathFaults) -> list[Include]:
    """The entries of a manifest's ``include``, in order; what is wrong with them is noted in ``faults``."""
    if not isinstance(top, dict) or "include" not in top:
        return []
    declared = fields.items(top["include"], ("include",), faults)
    names = None if top.get("literal") == "true" or top.get("literal") is True else variables
    found = (_include(item, ("include", index), names, faults) for index, item in enumerate(declared))
    return [include for include in found if include is not None]


def _include(item: Plain, path: Path, variables: Mapping[str, str] | None, faults: PathFaults) -> Include | None:
    entry = fields.mapping(item, path, faults, keys=_KEYS)
    if entry is None:
        return None
    if "manifest" not in entry:
        faults.add(path, "missing key 'manifest'")
        return None
    where = (*path, "manifest")
    name = fields.text(entry["manifest"], where, faults)
    if name is not None and variables is not None:
        name = expanded(name, variables, where, faults)
    select = _select(entry.get("select", {}), (*path, "select"), faults)
    changes = fields.mapping(entry.get("set", {}), (*path, "set"), faults, keys=_SET_KEYS) or {}
    set_path = (*path, "set")
    arch = fields.text(changes["arch"], (*set_path, "arch"), faults) if "arch" in changes else None
    kind = fields.choice(changes["kind"], (*set_path, "kind"), faults, KINDS) if "kind" in changes else None
    metadata = fields.metadata(changes.get("metadata", {}), (*set_path, "metadata"), faults)
    if name is None:
        return None
    return Include(manifest=name, path=where, select=select, arch=arch, kind=kind, metadata=metadata)


def _select(value: Plain, path: Path, faults: PathFaults) -> dict[tuple[str, ...], frozenset[Hashable]]:
    declared = fields.mapping(value, path, faults, keys=_SELECT_KEYS) or {}
    select: dict[tuple[str, ...], frozenset[Hashable]] = {}
    for key in ("triple", "arch"):
        if key in declared:
            words = [word for _, word in fields.texts(declared[key], (*path, key), faults)]
            select[(key,)] = frozenset(map(arch_key, words) if key == "arch" else words)
    for key, choices in (("kind", KINDS), ("image_kind", IMAGE_KINDS)):
        if key in declared:
            select[(key,)] = frozenset(fields.choices(declared[key], (*path, key), faults, choices))
    if "metadata" in declared:
        where = (*path, "metadata")
        for name, values in (fields.mapping(declared["metadata"], where, faults) or {}).items():
            select["metadata", name] = frozenset(word for _, word in fields.texts(values, (*where, name), faults))
    return select
