"""Images out of a file again: one to a file, many to a folder, or into a static archive."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from ..codec.writer import encode_string
from ..containers.archive import Member, unique_names
from ..errors import OffloadError, UsageError
from .archiving import Copy, symbols_of, write_archive
from .copying import copy_range
from .output import written
from .recognize import HEAD_SIZE, recognize
from .selecting import Selection
from .survey import FoundImage, read_images

__all__ = ["ExtractOptions", "Located", "copy_out", "extract", "opened", "safe_name", "suffix_of", "to_archive"]

_SUFFIXES = {"object": "o", "bitcode": "bc", "cubin": "cubin", "fatbinary": "fatbin", "ptx": "s", "spirv": "spv"}
_UNSAFE = re.compile(r"[^A-Za-z0-9._+:=@,-]")
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractOptions:
    """Which images, and where to: a file, a folder, or (``archive``) a static archive named ``output``."""

    output: str | None = None
    folder: str | None = None
    archive: bool = False
    select: Selection = field(default_factory=Selection)
    index: int | None = None


class Located(NamedTuple):
    """An image and an open descriptor of the file that it lies in."""

    descriptor: int
    image: FoundImage


def extract(path: str, options: ExtractOptions) -> list[str]:
    """Writes the chosen images of ``path``; gives the names of the files written.

    Raises OffloadError, with nothing written, where no image matches, or more than one for a single file.
    """
    images = _chosen(path, options)
    with opened(path) as source:
        if options.output is None:
            return _to_folder(source, path, images, options.folder or ".")
        if options.archive:
            names = unique_names([_file_name(path, image) for image in images])
            located = [Located(source, image) for image in images]
            to_archive(list(zip(names, located, strict=True)), options.output)
            return [options.output]
        if len(images) > 1:
            targets = ", ".join(f"{image.index}: {image.triple} {image.arch} {image.kind}" for image in images[:8])
            raise OffloadError(f"{len(images)} images of {path!r} match ({targets}); choose one by --select or --index")
        copy_out(source, images[0], options.output)
    return [options.output]


def _chosen(path: str, options: ExtractOptions) -> list[FoundImage]:
    if options.archive and options.output is None:
        raise UsageError("--archive needs -o to name the archive")
    images = read_images(path)
    chosen = [image for image in images if options.select.matches(image.words())]
    if options.index is not None:
        chosen = [image for image in chosen if image.index == options.index]
    if not chosen:
        raise OffloadError(f"no image of {path!r} matches; it holds {len(images)} images, see offload-tool list")
    return chosen


@contextmanager
def opened(path: str) -> Iterator[int]:
    """A descriptor of a file that was surveyed before."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise OffloadError(f"{path!r}: {error.strerror}") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def copy_out(source: int, image: FoundImage, output: str) -> None:
    """The bytes of one image, from descriptor ``source``, to the file ``output``."""
    with written(output) as target:
        copy_range(source, image.offset, image.size, target)


def to_archive(members: Sequence[tuple[str, Located]], output: str, *, keep_mode: bool = True) -> None:
    """The images into a static archive, each under its name."""
    planned = []
    for name, located in members:
        image = located.image
        found = recognize(os.pread(located.descriptor, min(HEAD_SIZE, image.size), image.offset))
        symbols = symbols_of(located.descriptor, image.offset, image.size, found)
        member = Member(name=encode_string(name), size=image.size, symbols=symbols)
        planned.append((member, _copier(located)))
    write_archive(output, planned, keep_mode=keep_mode)


def suffix_of(image_kind: str) -> str:
    """The file suffix that LLVM's packager gives to images of a kind, empty for none."""
    return _SUFFIXES.get(image_kind, "")


def safe_name(text: str) -> str:
    """``text`` as part of a file name that cannot leave its folder.

    >>> safe_name("../gfx90a:xnack+")
    '.._gfx90a:xnack+'
    """
    return _UNSAFE.sub("_", text)[:_LONGEST_NAME]


def _copier(located: Located) -> Copy:
    return lambda target: copy_range(located.descriptor, located.image.offset, located.image.size, target)


def _to_folder(source: int, path: str, images: Sequence[FoundImage], folder: str) -> list[str]:
    if not os.path.isdir(folder):
        raise OffloadError(f"folder {folder!r} does not exist; create it first")
    names = [os.path.join(folder, name) for name in unique_names([_file_name(path, image) for image in images])]
    for name, image in zip(names, images, strict=True):
        copy_out(source, image, name)
    return names


def _file_name(path: str, image: FoundImage) -> str:
    """``STEM-TRIPLE[-ARCH].INDEX[.SUFFIX]``, the form of LLVM's packager, made safe."""
    stem = os.path.splitext(os.path.basename(path))[0]
    target = "-".join(part for part in (stem, image.triple, image.arch) if part)
    suffix = suffix_of(image.image_kind)
    return safe_name(target).lstrip(".") + f".{image.index}" + (f".{suffix}" if suffix else "")
