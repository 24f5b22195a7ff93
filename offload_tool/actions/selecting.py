"""Which images are meant: key=value pairs, all keys must agree, a key with several values takes any of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import UsageError
from ..model import Image

__all__ = ["Selection", "chosen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A choice among images; without criteria every image is chosen.

    >>> Selection.parse(["kind=hip,arch=gfx90a", "arch=gfx942"]).matches({"kind": "hip", "arch": "gfx942"})
    True
    """

    criteria: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Selection:
        """From texts ``KEY=VALUE,KEY=VALUE``; raises UsageError for a part that is no pair."""
        pairs = [part.partition("=") for text in texts for part in text.split(",")]
        for key, equals, _ in pairs:
            if not key or not equals:
                raise UsageError(f"{key + equals!r} selects nothing; expected KEY=VALUE")
        return cls.of((key, value) for key, _, value in pairs)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Selection:
        """From pairs of key and value."""
        criteria: dict[str, frozenset[str]] = {}
        for key, value in pairs:
            criteria[key] = criteria.get(key, frozenset()) | {value}
        return cls(criteria=criteria)

    def matches(self, words: Mapping[str, str]) -> bool:
        """Whether an image with these strings (``kind`` and ``image_kind`` as words among them) is chosen."""
        return all(words.get(key, "") in values for key, values in self.criteria.items())


def chosen(images: Iterable[Image], selection: Selection) -> list[Image]:
    """The images that are packed under a selection, in order: build files ask for the files of these alone."""
    return [image for image in images if selection.matches(_words(image))]


def _words(image: Image) -> dict[str, str]:
    kind = image.image_kind.word if image.image_kind is not None else ""
    return {**dict(image.strings()), "kind": image.kind.value, "image_kind": kind, "file": image.file}
