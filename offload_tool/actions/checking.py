"""What a person should know of images before they are packed: not wrong, but seldom meant."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..errors import OffloadError
from ..manifest.load import place_of
from ..model import DOCUMENTED, Image, OffloadKind, TargetId, Toolchain
from ..wire.elf_head import ET_REL, elf_head
from .form import Form
from .planning import ImageFile, at_fault
from .recognize import FileKind

__all__ = ["check_equal_images", "check_inputs_kept", "is_relocatable", "warnings_for"]

_WHOLE = {
    FileKind.HIP_BUNDLE: "a code object; unbundle it first",
    FileKind.TEXT_BUNDLE: "a code object; unbundle it first",
    FileKind.OFFLOAD_BINARY: "a device image",
    FileKind.ARCHIVE: "a device image",
}
"""Files that hold images; one may be packed on purpose, for ``embed`` takes a bundle as it is."""

_RENUMBERED = (OffloadKind.HIP, OffloadKind.SYCL)


def check_equal_images(images: Sequence[Image]) -> None:
    """Raises OffloadError for an image that another one equals: same file, triple, arch, kind and metadata."""
    seen = set()
    for image in images:
        own = image.identity()
        if own in seen:
            raise at_fault([(image, f"image {image.file!r} is given twice for the same target; keep one")])
        seen.add(own)


def check_inputs_kept(outputs: Sequence[str], looked: Sequence[ImageFile], manifests: Sequence[str]) -> None:
    """Raises OffloadError where an output would take the place of an image or a manifest that it is made from."""
    for output in outputs:
        try:
            status = os.lstat(output)
        except OSError:
            continue  # what is not there cannot be an input
        place = _place(output)
        images = (one.image.file for one in looked if one.identity == (status.st_dev, status.st_ino))
        if any(_place(path) == place for path in (*images, *manifests)):
            raise OffloadError(f"output {output!r} is one of its own inputs; name another file")


def _place(path: str) -> str:
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def is_relocatable(head: bytes, found: FileKind) -> bool:
    """Whether a device linker takes such bytes as input: LLVM bitcode or a relocatable object."""
    elf = elf_head(head)
    return found is FileKind.BITCODE or (elf is not None and elf.e_type == ET_REL)


def warnings_for(looked: Sequence[ImageFile], form: Form, *, named: bool) -> Iterator[str]:
    """The warnings for a pack; ``named`` tells whether anybody chose the toolchain."""
    if form.version.is_single:
        yield from _renumbered([one.image for one in looked], form.toolchain, named=named)
    yield from _unlike_declared(looked)
    yield from _declared_twice(looked)
    yield from _bare_and_featured([one.image for one in looked])


def _renumbered(images: Sequence[Image], toolchain: Toolchain, *, named: bool) -> Iterator[str]:
    found = [image for image in images if image.kind in _RENUMBERED]
    if found and toolchain is DOCUMENTED and not named:
        yield (
            f"kind {found[0].kind.value!r} is written with the manual's number, LLVM 21 and newer read another one; "
            "name the toolchain, such as llvm-22"
        )


def _unlike_declared(looked: Sequence[ImageFile]) -> Iterator[str]:
    from .agreeing import image_contradictions

    for one in looked:
        found = [denied.text for denied in image_contradictions(one)]
        if not found and one.found in _WHOLE:
            found = [f"is {one.found.value}, not {_WHOLE[one.found]}"]
        for text in found:
            yield f"{_place_before(one.image)}image {one.image.file!r} {text}"


def _declared_twice(looked: Sequence[ImageFile]) -> Iterator[str]:
    first: dict[tuple[str, str, OffloadKind], ImageFile] = {}
    for one in looked:
        image = one.image
        other = first.setdefault((image.triple, image.arch, image.kind), one)
        finished = not is_relocatable(one.head, one.found) and one.found is not FileKind.UNKNOWN
        if other is not one and finished:
            target = f"{image.triple} {image.arch}".rstrip()
            what = f"images {other.image.file!r} and {image.file!r} are both finished"
            yield f"{what} images for {target}; a runtime uses one of them"


def _bare_and_featured(images: Sequence[Image]) -> Iterator[str]:
    """Target ids of one processor with and without features: which of them a runtime takes differs by its release."""
    first: dict[tuple[str, OffloadKind, str], dict[bool, Image]] = {}
    for image in images:
        target = TargetId.parse(image.arch)
        if target is not None:
            by_form = first.setdefault((image.triple, image.kind, target.processor), {})
            by_form.setdefault(bool(target.features), image)
    for (triple, _, _), by_form in first.items():
        if len(by_form) == 2:
            bare, featured = (f"{by_form[form].arch!r} ({_told_place(by_form[form])})" for form in (False, True))
            what = f"images for {triple} {bare} and {featured}"
            yield f"{what}: releases differ in which they take; set the features of both"


def _told_place(image: Image) -> str:
    """Where an image was declared; its file where that was on the command line or in a build file."""
    if image.declared is None:
        return image.file
    place = place_of(image.declared)
    return f"{place.file}:{place.line}:{place.column}"


def _place_before(image: Image) -> str:
    return "" if image.declared is None else f"{_told_place(image)}: "
