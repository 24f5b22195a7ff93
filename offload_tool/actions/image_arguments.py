"""``--image file=F,triple=T,arch=A,kind=K``: LLVM's splitting, a manifest's rules."""

from __future__ import annotations

import os

from ..errors import UsageError
from ..manifest import fields
from ..manifest.faults import PathFault, PathFaults
from ..model import IMAGE_KINDS, KINDS, Image
from .key_values import split_arguments

__all__ = ["image_of_argument"]

_OWN = ("file", "triple", "arch", "kind", "image_kind")


def image_of_argument(text: str) -> list[Image]:
    """The images of one ``--image``: as many as it names files; raises UsageError where a manifest would refuse it."""
    for part in text.split(","):
        if "=" not in part:
            raise UsageError(f"--image {text!r}: {part!r} is no KEY=VALUE; a comma in a path needs a manifest")
    found = split_arguments(text)
    missing = [key for key in ("file", "triple", "kind") if not found.get(key)]
    if missing:
        hint = "; kind=none if no runtime shall take it" if "kind" in missing else ""
        raise UsageError(f"--image {text!r} lacks {' and '.join(missing)}{hint}")
    faults = PathFaults()
    declared = {key: value for key, value in found.items() if key not in _OWN}
    kind = fields.choice(found["kind"], ("kind",), faults, KINDS)
    metadata = fields.metadata({**declared}, (), faults)
    image_kind = (
        fields.choice(found["image_kind"], ("image_kind",), faults, IMAGE_KINDS) if "image_kind" in found else None
    )
    for key in ("file", "triple", "arch"):
        if key in found:
            fields.text(found[key], (key,), faults)
    if faults.found or kind is None:
        raise UsageError(f"--image {text!r}: {'; '.join(_told(fault) for fault in faults.found)}")
    return [
        Image(
            file=os.path.abspath(file), triple=found["triple"], arch=found.get("arch", ""), kind=kind,
            image_kind=image_kind, metadata=tuple(metadata.items()),
        )
        for file in found["file"].split(",")
    ]  # fmt: skip


def _told(fault: PathFault) -> str:
    key = str(fault.path[-1])
    return fault.message if key in fault.message else f"{key}: {fault.message}"
