"""Which images are meant: key=value pairs, all keys must agree, a key with several values takes any of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import UsageError
from ..frozen import field, frozen
from ..model import Image, same_arch, serves

__all__ = ["Selection", "chosen"]


@frozen
class Selection:
    """A choice among images; without criteria every image is chosen.

    With ``compatible`` an arch is what the image is to run on: an image whose target id leaves a feature open serves
    both settings, one that sets it serves that setting alone.

    >>> Selection.parse(["kind=hip,arch=gfx90a", "arch=gfx942"]).matches({"kind": "hip", "arch": "gfx942"})
    True
    """

    criteria: Mapping[str, frozenset[str]] = field(default_factory=dict)
    compatible: bool = False

    @classmethod
    def parse(cls, texts: Iterable[str], *, compatible: bool = False) -> Selection:
        """From texts ``KEY=VALUE,KEY=VALUE``; raises UsageError for a part that is no pair."""
        pairs = [part.partition("=") for text in texts for part in text.split(",")]
        for key, equals, _ in pairs:
            if not key or not equals:
                raise UsageError(f"{key + equals!r} selects nothing; expected KEY=VALUE")
        return cls.of(((key, value) for key, _, value in pairs), compatible=compatible)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], *, compatible: bool = False) -> Selection:
        """From pairs of key and value."""
        criteria: dict[str, frozenset[str]] = {}
        for key, value in pairs:
            criteria[key] = criteria.get(key, frozenset()) | {value}
        return cls(criteria=criteria, compatible=compatible)

    def matches(self, words: Mapping[str, str]) -> bool:
        """Whether an image with these strings (``kind`` and ``image_kind`` as words among them) is chosen.

        An AMDGPU target id is the same whatever the order of its features.
        """
        return all(self._agrees(key, words.get(key, ""), values) for key, values in self.criteria.items())

    def _agrees(self, key: str, word: str, values: frozenset[str]) -> bool:
        if word in values or key != "arch":
            return word in values
        agree = serves if self.compatible else same_arch
        return any(agree(word, value) for value in values)


def chosen(images: Iterable[Image], selection: Selection) -> list[Image]:
    """The images that are packed under a selection, in order: build files ask for the files of these alone."""
    return [image for image in images if not selection.criteria or selection.matches(_words(image))]


def _words(image: Image) -> dict[str, str]:
    kind = image.image_kind.word if image.image_kind is not None else ""
    return {**dict(image.strings()), "kind": image.kind.value, "image_kind": kind, "file": image.file}
