"""Whether the images in a file are what they are declared to be, and those that a manifest declares now."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ..errors import Fault
from ..frozen import frozen
from ..gpu.agreement import CONTRADICTIONS, Declaration
from ..manifest.load import place_of
from ..manifest.values import Manifest
from ..model import Image, OffloadKind, arch_key
from .agreeing import promised_suffix, stored_contradictions
from .mapping import mapped_descriptor
from .pairing import Entry, paired
from .planning import open_image
from .selecting import Selection, chosen
from .survey import FoundImage, read_images

__all__ = ["VERIFY_CODES", "Verified", "VerifyFault", "verify"]

VERIFY_CODES = (*CONTRADICTIONS, "stale", "unreadable", "extra", "missing")
"""Every code of a fault."""

_AMBIGUOUS_KIND = f"{OffloadKind.HIP.value} or {OffloadKind.SYCL.value}"


@frozen
class VerifyFault:
    """One fault: ``code`` is one of ``VERIFY_CODES``, ``text`` is for people.

    ``image`` is the image's number as listings have it, such as ``3`` or ``3.0``, None for a missing one.  Where two
    values contradict each other, they are ``declared`` and ``found``.  ``place`` is where a manifest declares the
    image, a Fault with the text as its message; None where none does.
    """

    code: str
    image: str | None
    triple: str
    arch: str
    kind: str
    declared: str | None
    found: str | None
    text: str
    place: Fault | None


@frozen
class Verified:
    """What was verified: the number of ``images`` in the file, nested ones too, and every fault."""

    file: str
    images: int
    faults: tuple[VerifyFault, ...]


def verify(path: str, manifest: Manifest | None = None, *, select: Selection | None = None) -> Verified:
    """Holds each image of a fat binary, or of a file that holds one, against its declared triple, arch and kind.

    With ``manifest`` also against the images that it declares (those under ``select``): missing, extra and stale ones
    are faults, and names of files count, too.  Raises OffloadError where the file cannot be read.

    >>> verify("images.bin", load_manifest("images.yaml")).faults  # doctest: +SKIP
    ()
    """
    images = [pair for image in read_images(path) for pair in image.tree()]
    if manifest is None:
        faults = [fault for label, image in images for fault in _contradicted(label, image, None)]
        return Verified(file=path, images=len(images), faults=tuple(faults))
    declared = chosen(manifest.images, select or Selection())
    return Verified(file=path, images=len(images), faults=tuple(_against(path, images, declared)))


def _contradicted(label: str, image: FoundImage, declared: Image | None) -> Iterator[VerifyFault]:
    if image.is_metadata_only:
        return
    # The number of hip is also one of sycl, so a manifest knows better.
    kind, suffix = (image.kind, "") if declared is None else (declared.kind.value, promised_suffix(declared))
    said = Declaration(
        triple=image.triple, arch=image.arch, kind=kind, image_kind=image.image_kind, suffix=suffix
    )  # fmt: skip
    for one in stored_contradictions(said, image.content):
        yield _fault(one.code, label, image, declared, one.text, values=(one.declared, one.found))


def _against(path: str, images: Sequence[tuple[str, FoundImage]], declared: Sequence[Image]) -> Iterator[VerifyFault]:
    outer = {number: image for number, (label, image) in enumerate(images) if "." not in label}
    files = _Files()
    wanted = {number: (_declared_identity(image), files.content(image)) for number, image in enumerate(declared)}
    purposes: set[Hashable] = {purpose for purpose, _ in wanted.values()}
    stored: Mapping[int, Entry] = {
        number: (_stored_identity(image, purposes), _content(image.content)) for number, image in outer.items()
    }
    partners = paired(stored, wanted)
    for number, (label, image) in enumerate(images):
        partner = partners.get(number)
        one = None if partner is None else declared[partner]
        yield from _contradicted(label, image, one)
        if one is not None and partner is not None and stored[number][1] != wanted[partner][1]:
            yield _stale(label, image, one, files.fault(one))
        elif one is None and number in outer:
            yield _fault("extra", label, image, None, "is not declared in the manifest")
    for number in sorted(set(wanted) - set(partners.values())):
        yield _missing(path, declared[number])


class _Files:
    """The images' files as they are now, each read once."""

    def __init__(self) -> None:
        self._contents: dict[str, tuple[int, str] | None] = {}
        self._faults: dict[str, str] = {}

    def content(self, image: Image) -> tuple[int, str] | None:
        """Size and digest of an image's file; None where it cannot be read."""
        if image.file not in self._contents:
            self._contents[image.file] = self._read(image)
        return self._contents[image.file]

    def fault(self, image: Image) -> str | None:
        """Why the file cannot be read."""
        return self._faults.get(image.file)

    def _read(self, image: Image) -> tuple[int, str] | None:
        try:
            descriptor = open_image(image)
        except OSError as error:
            self._faults[image.file] = error.strerror or str(error)
            return None
        try:
            return _content(mapped_descriptor(descriptor))
        finally:
            os.close(descriptor)


def _content(data: memoryview) -> tuple[int, str]:
    return len(data), hashlib.sha256(data).hexdigest()


_Identity: TypeAlias = tuple[Hashable, ...]


def _declared_identity(image: Image) -> _Identity:
    return image.triple, arch_key(image.arch), frozenset(image.metadata), image.kind.value


def _stored_identity(image: FoundImage, declared: set[Hashable]) -> _Identity:
    """The same of a stored image; a kind that its number does not tell is the one that is declared."""
    target = (image.triple, arch_key(image.arch), frozenset(image.metadata))
    if image.kind != _AMBIGUOUS_KIND:
        return (*target, image.kind)
    as_hip = (*target, OffloadKind.HIP.value)
    return as_hip if as_hip in declared else (*target, OffloadKind.SYCL.value)


def _stale(label: str, image: FoundImage, declared: Image, unreadable: str | None) -> VerifyFault:
    if unreadable is not None:
        text = f"cannot be compared: {declared.file!r}: {unreadable}"
        return _fault("unreadable", label, image, declared, text)
    text = f"is stale: {declared.file!r} has other bytes now; pack again"
    return _fault("stale", label, image, declared, text)


def _missing(path: str, image: Image) -> VerifyFault:
    what = _target(image.kind.value, image.triple, image.arch)
    text = f"image {image.file!r} ({what}) is missing in {path!r}"
    return VerifyFault(
        code="missing", image=None, triple=image.triple, arch=image.arch, kind=image.kind.value, declared=image.file,
        found=None, text=text, place=_place(image, text),
    )  # fmt: skip


def _fault(
    code: str, label: str, image: FoundImage, declared: Image | None, text: str,
    values: tuple[str | None, str | None] = (None, None),
) -> VerifyFault:  # fmt: skip
    said = f"image {label} of {image.file!r} ({_target(image.kind, image.triple, image.arch)}) {text}"
    return VerifyFault(
        code=code, image=label, triple=image.triple, arch=image.arch, kind=image.kind, declared=values[0],
        found=values[1], text=said, place=None if declared is None else _place(declared, said),
    )  # fmt: skip


def _target(kind: str, triple: str, arch: str) -> str:
    return f"{kind} {triple} {arch}".rstrip()


def _place(image: Image, message: str) -> Fault | None:
    if image.declared is None:
        return None
    place = place_of(image.declared)
    return Fault(file=place.file, line=place.line, column=place.column, message=message)
