"""What is in a file: the images of a fat binary, or of whatever holds one, and where each lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..codec.layout import FLAG_METADATA_ONLY, MAGIC, matches
from ..codec.reader import StoredImage
from ..codec.reader import read_images as read_stored
from ..errors import FormatError, OffloadError
from ..frozen import constructor, field, frozen, replace
from ..limits import NESTING
from .copying import copy_range, write_all
from .file_state import OpenFile
from .hosts import Span, absence, spans
from .mapping import Inflater, forget_pages, mapped
from .words import image_kind_word, kind_word

__all__ = ["FoundImage", "copy_found", "images_in", "read_images", "survey"]

_PIECE = 1 << 20


@frozen
class FoundImage:
    """One image in a file.

    ``index`` counts the file's images from 0; ``size`` is the number of its bytes.  ``offset`` is that of the first
    from the start of the file; it is None where they stand in no one place there (a compressed binary, bitcode, a
    member of a thin archive).  ``content`` has the bytes themselves, mapped and not read.  ``raw_kind`` is the offload
    kind's number on disk and ``kind`` its word, or the number as text where no word belongs to it.  ``container`` is
    ``offload-binary``, ``elf``, ``coff``, ``pe`` or ``bitcode``; ``section`` and ``member`` tell where in it.
    ``nested`` are the images of an image that is itself a fat binary.
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
    offset: int | None
    metadata: tuple[tuple[str, str], ...]
    container: str
    section: str | None = None
    member: str | None = None
    content: memoryview = field(repr=False, compare=False)
    nested: tuple[FoundImage, ...] = ()

    @property
    def is_metadata_only(self) -> bool:
        """Whether the entry has strings and no image, as format versions from 2 on allow."""
        return self.version > 1 and bool(self.flags & FLAG_METADATA_ONLY)

    def tree(self, label: str = "") -> Iterator[tuple[str, FoundImage]]:
        """The image and those nested in it, each with its label: ``0``, then ``0.0``, ``0.1``."""
        own = f"{label}{self.index}"
        yield own, self
        for image in self.nested:
            yield from image.tree(f"{own}.")

    def words(self) -> dict[str, str]:
        """What a selection is compared with."""
        own = {"triple": self.triple, "arch": self.arch, "kind": self.kind, "image_kind": self.image_kind}
        return {**dict(self.metadata), **own, "member": self.member or ""}


def read_images(path: str) -> list[FoundImage]:
    """The images in a fat binary, or in an object, library, program, archive or bitcode file that holds one, in order.

    Raises OffloadError where the file cannot be read, is of another kind, or is damaged (with the byte offset).

    >>> read_images("out.bin")[0].arch  # doctest: +SKIP
    'sm_90'
    """
    with mapped(path) as data:
        return images_in(data, path)


def images_in(data: memoryview, path: str) -> list[FoundImage]:
    """``read_images`` over bytes that are already in reach."""
    images = survey(data, path)
    if data and not images and not matches(bytes(data[:4])):
        raise OffloadError(absence(data, path))
    return images


def survey(data: memoryview, path: str) -> list[FoundImage]:
    """The same; a file without any has no images."""
    try:
        return _Surveying(path).images(spans(data, path))
    except FormatError as error:
        raise OffloadError(f"{path!r}: {error}") from error


def copy_found(source: OpenFile, image: FoundImage, target: int) -> None:
    """The bytes of one image to descriptor ``target``; ``source`` is the file that it was found in.

    Raises OffloadError if that changed since it was opened.
    """
    if image.offset is not None:
        try:
            copy_range(source.descriptor, image.offset, image.size, target)
        except OffloadError as error:
            raise OffloadError(f"{source.path!r} {error}") from error
    else:
        for start in range(0, image.size, _PIECE):
            write_all(target, image.content[start : start + _PIECE])
            forget_pages(image.content)
    source.check_unchanged()


class _Surveying:
    """The images of one file; what it may have once inflated is for its own compressed ones first."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._inflate = Inflater()
        self._make: Callable[..., FoundImage] = constructor(FoundImage)

    def images(self, places: Iterable[Span]) -> list[FoundImage]:
        """Those of all ``places``, in order."""
        stored = [(span, image) for span in places for image in self._stored(span)]
        return [self._found(index, span, image, 0) for index, (span, image) in enumerate(stored)]

    def _stored(self, span: Span) -> Iterator[StoredImage]:
        try:
            yield from read_stored(span.data, self._inflate)
        except FormatError as error:
            named = (("member", span.member), ("section", span.section))
            place = ", ".join(f"{what} {name!r}" for what, name in named if name)
            if span.offset is not None and not place:
                raise
            inside = error.shifted(span.offset or 0)
            raise FormatError(f"{place}: {inside.what}", offset=inside.offset) from error

    def _found(self, index: int, span: Span, image: StoredImage, depth: int) -> FoundImage:
        strings = dict(image.strings)
        triple, arch = strings.pop("triple", ""), strings.pop("arch", "")
        offset = None if image.offset is None or span.offset is None else span.offset + image.offset
        content = image.content
        if content is None:
            assert image.offset is not None, "an image has a place or content"
            content = span.data[image.offset : image.offset + image.size]
        nested = () if image.is_shared else self._nested(span, offset, content, depth)
        return self._make(  # in the order of the fields: to name so many takes longer than to find them
            self._path, index, triple, arch,
            kind_word(image.offload_kind, image.version, triple, arch), image_kind_word(image.image_kind),
            image.offload_kind, image.image_kind, image.flags, image.version,
            image.size, offset, tuple(strings.items()),
            span.container, section=span.section, member=span.member, content=content, nested=nested,
        )  # fmt: skip

    def _nested(self, span: Span, offset: int | None, content: memoryview, depth: int) -> tuple[FoundImage, ...]:
        """The images of an image; none if it is no fat binary or a damaged one: its holder takes it for mere bytes."""
        if bytes(content[:4]) != MAGIC or depth >= NESTING:
            return ()
        inner = replace(span, data=content, offset=offset)
        try:
            stored = list(read_stored(content, self._inflate))
        except FormatError:
            return ()
        return tuple(self._found(index, inner, image, depth + 1) for index, image in enumerate(stored))
