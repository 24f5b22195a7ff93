"""Faults found while a manifest is walked: by path, since places are looked up only when there is one."""

from __future__ import annotations

from ..frozen import field, frozen, slotted
from ..limits import MANIFEST_FAULTS
from .tree import Mapping, Node, Path, Scalar, find

__all__ = ["PathFault", "PathFaults", "located"]


@frozen
class PathFault:
    """``path`` leads to the value at fault; ``on_key`` points at its key; ``offset`` counts characters into it.

    ``occurrence`` tells which of several equal keys is meant, from 0; -1 is the last.
    """

    path: Path
    message: str
    on_key: bool = False
    offset: int | None = None
    occurrence: int = -1


@slotted(kw_only=False)
class PathFaults:
    """The faults of one manifest, as they are found; ``count`` goes on where no more of them are kept."""

    found: list[PathFault] = field(default_factory=list)
    count: int = 0

    def add(
        self, path: Path, message: str, *, on_key: bool = False, offset: int | None = None, occurrence: int = -1
    ) -> None:
        """Notes one; see PathFault for the arguments."""
        self.count += 1
        if not self.is_full:
            fault = PathFault(path=path, message=message, on_key=on_key, offset=offset, occurrence=occurrence)
            self.found.append(fault)

    @property
    def is_full(self) -> bool:
        """Whether further faults are only counted: far more are kept than are shown, since they are sorted later."""
        return len(self.found) >= 10 * MANIFEST_FAULTS


def located(root: Node, fault: PathFault) -> tuple[int, int]:
    """Line and column, from 1, that ``fault`` points at; a value's parent where the value is not written."""
    key, node = find(root, fault.path)
    if fault.on_key and key is not None:
        key = _occurrence(root, fault, key)
        return key.line, key.column
    if fault.offset is not None and isinstance(node, Scalar) and node.lead is not None:
        return node.line, node.column + node.lead + fault.offset
    return node.line, node.column


def _occurrence(root: Node, fault: PathFault, key: Scalar) -> Scalar:
    _, parent = find(root, fault.path[:-1])
    if not isinstance(parent, Mapping):
        return key
    keys = [other for other, _ in parent.pairs if other.text == key.text]
    return keys[fault.occurrence] if -len(keys) <= fault.occurrence < len(keys) else key
