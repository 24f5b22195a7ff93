"""``--image file=F,triple=T,arch=A,kind=K``: LLVM's splitting, a manifest's rules."""

from __future__ import annotations

import os

from ..errors import UsageError
from ..model import IMAGE_KINDS, KINDS, Image, closest

__all__ = ["image_of_argument", "split_arguments"]


def split_arguments(text: str) -> dict[str, str]:
    """Pairs at ``,``, each key up to its first ``=``; a repeated key joins its values with ``,``, as LLVM does.

    A part without ``=`` is a key with an empty value.

    >>> split_arguments("arch=a,arch=b,x")
    {'arch': 'a,b', 'x': ''}
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        key, _, value = part.partition("=")
        found[key] = f"{found[key]},{value}" if key in found else value
    return found


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
    kind, image_kind = found["kind"], found.get("image_kind")
    if kind not in KINDS:
        raise UsageError(f"--image {text!r}: unknown kind {kind!r}{closest(kind, list(KINDS))}")
    if image_kind is not None and image_kind not in IMAGE_KINDS:
        raise UsageError(f"--image {text!r}: unknown image_kind {image_kind!r}{closest(image_kind, list(IMAGE_KINDS))}")
    own = ("file", "triple", "arch", "kind", "image_kind")
    return [
        Image(
            file=os.path.abspath(file), triple=found["triple"], arch=found.get("arch", ""), kind=KINDS[kind],
            image_kind=IMAGE_KINDS[image_kind] if image_kind is not None else None,
            metadata=tuple((key, value) for key, value in found.items() if key not in own),
        )
        for file in found["file"].split(",")
    ]  # fmt: skip
