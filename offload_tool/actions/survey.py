"""What is in a file: the images of a fat binary, or of an ELF file that holds one, and where each lies."""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..codec.reader import StoredImage
from ..codec.reader import read_images as read_stored
from ..errors import FormatError, OffloadError
from .recognize import HEAD_SIZE, FileKind, recognize
from .words import image_kind_word, kind_word

__all__ = ["FoundImage", "mapped", "mapped_descriptor", "read_images", "survey"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundImage:
    """One image in a file.

    ``index`` counts the file's images from 0; ``offset`` is that of its bytes from the start of the file, ``size``
    their number.  ``raw_kind`` is the offload kind's number on disk and ``kind`` its word, or the number as text where
    no word belongs to it.  ``container`` is ``offload-binary`` or ``elf``, ``section`` the ELF section it lies in.
    """

    file: str
    index: int
    triple: str
    arch: str
    kind: str
    image_kind: str
    raw_kind: int
    raw_image_kind: int
    flags: int
    version: int
    size: int
    offset: int
    metadata: tuple[tuple[str, str], ...]
    container: str
    section: str | None = None
    member: str | None = None

    def words(self) -> dict[str, str]:
        """What a selection is compared with."""
        own = {"triple": self.triple, "arch": self.arch, "kind": self.kind, "image_kind": self.image_kind}
        return {**dict(self.metadata), **own}


def read_images(path: str) -> list[FoundImage]:
    """The images in a fat binary or in an ELF file's offload sections, in file order.

    Raises OffloadError where the file cannot be read, is of another kind, or is damaged (with the byte offset).

    >>> read_images("out.bin")[0].arch  # doctest: +SKIP
    'sm_90'
    """
    with mapped(path) as data:
        return survey(data, path)


def survey(data: memoryview, path: str) -> list[FoundImage]:
    """``read_images`` over bytes that are already in reach."""
    found = recognize(bytes(data[:HEAD_SIZE]))
    try:
        if found is FileKind.OFFLOAD_BINARY or not data:
            return _numbered(path, [(image, None) for image in read_stored(data)])
        if found in (FileKind.ELF, FileKind.CUBIN):
            return _numbered(path, _in_sections(data, path))
    except FormatError as error:
        raise OffloadError(f"{path!r}: {error}") from error
    raise OffloadError(f"{path!r} is {found.value}; expected an offload binary or an ELF file that holds one")


@contextlib.contextmanager
def mapped(path: str) -> Iterator[memoryview]:
    """The bytes of a file without reading them; raises OffloadError if it is no file that can be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise OffloadError(f"{path!r}: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OffloadError(f"{path!r} is no regular file")
        yield mapped_descriptor(descriptor)
    finally:
        os.close(descriptor)


def mapped_descriptor(descriptor: int) -> memoryview:
    """The bytes of a regular file that is open.

    The mapping is not closed by hand: views of it may live on in an error's frames, and the last of them unmaps it.
    """
    size = os.fstat(descriptor).st_size
    return memoryview(mmap.mmap(descriptor, size, prot=mmap.PROT_READ)) if size else memoryview(b"")


def _in_sections(data: memoryview, path: str) -> list[tuple[StoredImage, str | None]]:
    from ..containers.elf import offloading_sections

    found: list[tuple[StoredImage, str | None]] = []
    holding = offloading_sections(data)
    if not holding:
        raise OffloadError(f"{path!r} holds no offload binary: it is an ELF file without such a section")
    for section in holding:
        try:
            inner = data[section.offset : section.offset + section.size]
            images = [_moved(image, section.offset) for image in read_stored(inner)]
        except FormatError as error:
            inside = error.shifted(section.offset)
            raise FormatError(f"section {section.name!r}: {inside.what}", offset=inside.offset) from error
        found += [(image, section.name) for image in images]
    return found


def _moved(image: StoredImage, distance: int) -> StoredImage:
    return replace(image, offset=image.offset + distance)


def _numbered(path: str, stored: list[tuple[StoredImage, str | None]]) -> list[FoundImage]:
    return [_found(path, index, image, section) for index, (image, section) in enumerate(stored)]


def _found(path: str, index: int, image: StoredImage, section: str | None) -> FoundImage:
    strings = dict(image.strings)
    triple, arch = strings.pop("triple", ""), strings.pop("arch", "")
    return FoundImage(
        file=path, index=index, triple=triple, arch=arch,
        kind=kind_word(image.offload_kind, triple, arch), image_kind=image_kind_word(image.image_kind),
        raw_kind=image.offload_kind, raw_image_kind=image.image_kind, flags=image.flags, version=image.version,
        size=image.size, offset=image.offset, metadata=tuple(strings.items()),
        container="elf" if section is not None else "offload-binary", section=section,
    )  # fmt: skip
