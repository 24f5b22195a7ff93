"""The text of manifests that the program writes: JSON, one value for each key, nothing left to fill in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model import Image

__all__ = ["images_named", "manifest_text"]


def manifest_text(
    images: Iterable[tuple[Image, str]], *, said: Mapping[str, Any] | None = None, includes: Sequence[str] = ()
) -> bytes:
    """A manifest of images, each with the file that it is to name; ``said`` has keys of the document, None left out.

    >>> manifest_text([]).split(b'"')[1]
    b'schema'
    """
    document = {
        "schema": 1,
        "literal": True,
        **{key: value for key, value in (said or {}).items() if value is not None},
        "images": [_declared(image, file) for image, file in images],
        **({"include": [{"manifest": name} for name in includes]} if includes else {}),
    }
    return _written(document)


def images_named(text: bytes) -> list[str] | None:
    """The files that the images of a text by ``manifest_text`` name, each once; None for any other text."""
    try:
        document = json.loads(text)
        if _written(document) != text or document["literal"] is not True:
            return None
        return list(dict.fromkeys(image["file"] for image in document["images"] if isinstance(image["file"], str)))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _written(document: Any) -> bytes:
    return json.dumps(document, indent=1).encode() + b"\n"


def _declared(image: Image, file: str) -> dict[str, Any]:
    return {
        "file": file,
        "triple": image.triple,
        **({"arch": image.arch} if image.arch else {}),
        "kind": image.kind.value,
        **({"image_kind": image.image_kind.word} if image.image_kind is not None else {}),
        **({"metadata": dict(image.metadata)} if image.metadata else {}),
    }
