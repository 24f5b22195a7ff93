"""From images to a plan: every size and every byte around the images, before anything is written."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence

from ..codec.record_order import stored_order
from ..codec.writer import NewImage, encode_string
from ..errors import Fault, ManifestError, OffloadError
from ..frozen import frozen
from ..limits import MANIFEST_FAULTS
from ..manifest.load import place_of
from ..model import Image, ImageKind, Toolchain
from .form import Form
from .recognize import HEAD_SIZE, FileKind, image_kind_of, recognize
from .whole_files import WholeFiles

__all__ = ["ImageFile", "at_fault", "look_at", "new_image", "open_image"]


@frozen
class ImageFile:
    """An image and what its file was when it was looked at; ``size`` in bytes, ``identity`` its device and inode.

    ``content`` has the bytes where they were read then already.
    """

    image: Image
    size: int
    mtime_ns: int
    ctime_ns: int
    identity: tuple[int, int]
    head: bytes
    found: FileKind
    content: bytes | None = None

    def image_kind(self, toolchain: Toolchain) -> ImageKind:
        """The declared image kind, else that of the bytes and the suffix."""
        if self.image.image_kind is not None:
            return self.image.image_kind
        return image_kind_of(self.found, self.image.file, toolchain)


def look_at(images: Iterable[Image], whole_files: WholeFiles | None = None) -> list[ImageFile]:
    """Size and kind of each image's file, in order; raises ManifestError or OffloadError for all that fail.

    With ``whole_files`` it reads what is small, for whoever needs every byte later.
    """
    looked: list[ImageFile] = []
    failures: list[tuple[Image, str]] = []
    reading = whole_files or WholeFiles(0)
    for image in images:
        try:
            looked.append(_look_at(image, reading))
        except OSError as error:
            failures.append((image, f"image {image.file!r}: {error.strerror}"))
    if failures:
        raise at_fault(failures)
    return looked


def at_fault(failures: Sequence[tuple[Image, str]]) -> OffloadError:
    """The error that tells each failure with the place where its image was declared."""
    shown = failures[:MANIFEST_FAULTS]
    if any(image.declared is None for image, _ in shown):
        return OffloadError("; ".join(message for _, message in shown))
    return ManifestError(tuple(_fault(image, message) for image, message in shown))


def _fault(image: Image, message: str) -> Fault:
    assert image.declared is not None, "checked by the caller"
    place = place_of(image.declared)
    return Fault(file=place.file, line=place.line, column=place.column, message=message)


def open_image(image: Image) -> int:
    """A descriptor of the image's file, never one that waits for a pipe; raises OSError."""
    return _opened(image)[0]


def _opened(image: Image) -> tuple[int, os.stat_result]:
    # Encoded here, not by the locale: a manifest is UTF-8 wherever it is read.
    descriptor = os.open(encode_string(image.file), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        return descriptor, status
    os.close(descriptor)
    raise OSError(0, "is no regular file")


def _look_at(image: Image, whole_files: WholeFiles) -> ImageFile:
    descriptor, status = _opened(image)
    try:
        content = _whole(image, descriptor, status, whole_files)
        head = os.pread(descriptor, HEAD_SIZE, 0) if content is None else content[:HEAD_SIZE]
    finally:
        os.close(descriptor)
    return ImageFile(
        image=image,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        ctime_ns=status.st_ctime_ns,
        identity=(status.st_dev, status.st_ino),
        head=head,
        found=recognize(head),
        content=content,
    )


def _whole(image: Image, descriptor: int, status: os.stat_result, whole_files: WholeFiles) -> bytes | None:
    try:
        return whole_files.read(descriptor, status)
    except OffloadError as error:
        raise at_fault([(image, f"image {image.file!r} {error}")]) from None


def new_image(looked: ImageFile, form: Form) -> NewImage:
    """One image as it is to be written; raises OffloadError if the toolchain has no number for its kind."""
    image, toolchain = looked.image, form.toolchain
    if image.kind not in form.kind_numbers:
        what = f"kind {image.kind.value!r} of image {image.file!r} has no number in toolchain {toolchain.name!r}"
        raise at_fault([(image, f"{what}; name a newer one")])
    values = dict(image.strings())
    return NewImage(
        image_kind=toolchain.image_kind_number(looked.image_kind(toolchain)),
        offload_kind=form.kind_numbers[image.kind],
        strings=[(stored, encode_string(values[key])) for key, stored in stored_order(image.argument_order())],
        size=looked.size,
    )
