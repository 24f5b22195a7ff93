"""Manifests put together: what each part gives to those that include it, equal images found on the way."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from ..frozen import field, slotted
from ..limits import IMAGES, JOINED_IMAGES
from ..model import Image
from .check import Context, check, equals
from .faults import PathFault
from .gather import Gathering, Part
from .require import Requirement, missing_targets, requirements_of
from .source import Source, placed
from .values import Manifest

__all__ = ["Joined", "Joining"]


@slotted(eq=False)
class Joined:
    """A part with all that it includes.

    ``own`` is what the manifest itself says.  ``toolchains`` holds those that count and who says so: the manifest's
    own, or else those of what it includes.  Only where ``is_sound`` are the images all there.
    """

    own: Manifest
    source: Source
    images: tuple[Image, ...]
    files: tuple[str, ...]
    inputs: tuple[str, ...]
    toolchains: dict[str, Source]
    requirements: Sequence[Requirement]
    is_sound: bool


@slotted
class Joining:
    """Checks parts, each after those that it includes; the faults go to ``gathering``."""

    gathering: Gathering
    _joined: dict[Part, Joined | None] = field(default_factory=dict)
    _answered: set[Part] = field(default_factory=set)
    _taken: int = 0

    def check(self, part: Part, context: Context) -> None:
        """Checks one part and puts what it includes to it."""
        if self._taken > JOINED_IMAGES:
            part.noted.add((), f"more than {JOINED_IMAGES} images in all manifests")
            self.gathering.note(part)
            return
        own = check(part.source.tree, context, part.noted)
        self._taken += len(own.images) if own is not None else 0
        requirements = requirements_of(part.source.tree, part.noted)
        parts = [child for _, child in part.includes]
        included = [joined for joined in map(self._joined.get, parts) if joined is not None]
        is_sound = not part.noted.count and part.is_complete and len(included) == len(parts)
        is_sound = is_sound and all(joined.is_sound for joined in included)
        if own is not None:
            images = self._images(own, part) if is_sound else ()
            self._joined[part] = Joined(
                own=own, source=part.source, images=images, requirements=requirements, is_sound=is_sound,
                files=_unique([own.files, *(joined.files for joined in included)]),
                inputs=_unique([own.inputs, *(joined.inputs for joined in included)]),
                toolchains={own.toolchain: part.source} if own.toolchain else _toolchains(included),
            )  # fmt: skip
        self.gathering.note(part)

    def of(self, parts: Iterable[Part | None]) -> list[Joined]:
        """What came of those parts that are manifests at all."""
        found = (self._joined.get(part) for part in parts if part is not None)
        return [joined for joined in found if joined is not None]

    def together(self, named: Sequence[Joined], others: Iterable[Image] | None) -> tuple[Image, ...]:
        """The images of the manifests that were named, in order, which must be all that these require.

        ``others`` are images that count for that too; with None that is not asked.
        """
        if not all(joined.is_sound for joined in named):
            return ()
        several = (image for joined in named for image in joined.images)
        images = named[0].images if len(named) == 1 else self._merged(several)
        everything = [*images, *(others or ())]
        for index, joined in enumerate(named):
            if joined in named[:index]:
                self._add(joined.source, [*_given_twice(joined.own.images)])
        for joined in named if others is not None else ():
            self._add(joined.source, [*missing_targets(joined.requirements, everything)])
        return images

    def _images(self, own: Manifest, part: Part) -> tuple[Image, ...]:
        if not part.includes:
            return own.images
        images = self._merged(self._offered(own, part))
        if len(images) > IMAGES or self._taken > JOINED_IMAGES:
            part.noted.add(("include",), f"too many images with those of the included manifests, at most {IMAGES}")
        return images

    def _offered(self, own: Manifest, part: Part) -> Iterator[Image]:
        """The manifest's own images and then what it takes of the included ones."""
        yield from own.images
        for include, child in part.includes:
            joined = self._joined[child]
            assert joined is not None, "sound parts have sound children"
            if child not in self._answered:
                self._answered.add(child)
                self._add(joined.source, [*missing_targets(joined.requirements, joined.images)])
            self._taken += len(joined.images)
            if self._taken > JOINED_IMAGES:
                return
            yield from (include.changed(image) for image in joined.images if include.takes(image))

    def _merged(self, images: Iterable[Image]) -> tuple[Image, ...]:
        """Each image once: the same declaration may come by several ways, an equal one elsewhere is a fault."""
        seen: dict[Hashable, Image] = {}
        for image in images:
            first = seen.setdefault(image.identity(), image)
            if first is not image and first.declared != image.declared:
                assert first.declared is not None, "images of manifests have a place"
                assert image.declared is not None, "images of manifests have a place"
                source = self.gathering.sources[image.declared.file]
                self._add(source, [PathFault(path=image.declared.path, message=equals(image, first.declared))])
        return tuple(seen.values())

    def _add(self, source: Source, found: Sequence[PathFault]) -> None:
        self.gathering.faults[source.path] += placed(source, found)


def _given_twice(images: Iterable[Image]) -> Iterator[PathFault]:
    """A manifest that is named twice is a slip; one that comes by two includes is not."""
    for image in images:
        assert image.declared is not None, "images of manifests have a place"
        yield PathFault(path=image.declared.path, message=equals(image, image.declared))


def _unique(texts: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for several in texts for text in several))


def _toolchains(included: Iterable[Joined]) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for joined in included:
        for name, source in joined.toolchains.items():
            found.setdefault(name, source)
    return found
