"""Images out of a file again: one to a file, many to a folder, or into a static archive."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from ..codec.writer import encode_string
from ..containers.archive import Member
from ..errors import OffloadError, UsageError
from ..frozen import field, frozen
from .archiving import symbols_of, write_archive
from .file_names import portable_names
from .file_state import OpenFile
from .mapping import mapped_descriptor, opened
from .output import check_output, written
from .selecting import Selection
from .stripping import stripped
from .survey import FoundImage, copy_found, images_in
from .words import one_line
from .writing import Copy

__all__ = ["ExtractOptions", "Located", "copy_out", "extract", "suffix_of", "to_archive"]

_SUFFIXES = {"object": "o", "bitcode": "bc", "cubin": "cubin", "fatbinary": "fatbin", "ptx": "s", "spirv": "spv"}
_LABEL = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_LONGEST_TARGET = 200


@frozen
class ExtractOptions:
    """Which images, and where to: a file, a folder, or (``archive``) a static archive named ``output``.

    ``index`` is an image's label in the listing, such as ``3`` or, for a nested one, ``3.0``; ``all_images`` takes the
    nested ones too.  ``strip`` names a copy of the host without its offload sections.
    """

    output: str | None = None
    folder: str | None = None
    archive: bool = False
    select: Selection = field(default_factory=Selection)
    index: str | None = None
    all_images: bool = False
    strip: str | None = None


class Located(NamedTuple):
    """An image and the open file that it lies in."""

    source: OpenFile
    image: FoundImage


class _Labelled(NamedTuple):
    label: str
    image: FoundImage


def extract(path: str, options: ExtractOptions) -> list[str]:
    """Writes the chosen images of ``path``; gives the names of the files written.

    Raises OffloadError, with nothing written, where no image matches, or more than one for a single file.
    """
    if options.archive and options.output is None:
        raise UsageError("--archive needs -o to name the archive")
    if options.index is not None and not _LABEL.fullmatch(options.index):
        raise UsageError(f"index {options.index!r} is none of a listing; expected one such as 3 or 3.0")
    if options.strip is not None and options.strip == options.output:
        raise UsageError(f"the image and the stripped host cannot both be {options.output!r}; name another file")
    with opened(path) as descriptor:
        source = OpenFile.of(path, descriptor)
        images = images_in(mapped_descriptor(descriptor), path)
        chosen = _chosen(path, images, options)
        with ExitStack() as stripping:
            if options.strip is not None:
                sections = {image.section for image in images if image.section}
                stripping.enter_context(stripped(source, options.strip, sections))
            return _write(source, chosen, options)


def _write(source: OpenFile, chosen: Sequence[_Labelled], options: ExtractOptions) -> list[str]:
    path = source.path
    if options.output is None:
        return _to_folder(source, chosen, options.folder or ".")
    if options.archive:
        names = portable_names([_file_name(path, one) for one in chosen])
        to_archive(
            [(name, Located(source, one.image)) for name, one in zip(names, chosen, strict=True)], options.output
        )
    else:
        if len(chosen) > 1:
            targets = ", ".join(
                f"{label}: {one_line(f'{image.triple} {image.arch} {image.kind}')}" for label, image in chosen[:8]
            )
            raise OffloadError(f"{len(chosen)} images of {path!r} match ({targets}); choose one by --select or --index")
        copy_out(source, chosen[0].image, options.output)
    return [options.output]


def _chosen(path: str, images: Sequence[FoundImage], options: ExtractOptions) -> list[_Labelled]:
    nested = options.all_images or (options.index is not None and "." in options.index)
    listed = [
        _Labelled(*pair) for image in images for pair in (image.tree() if nested else [(str(image.index), image)])
    ]
    chosen = [one for one in listed if options.select.matches(one.image.words())]
    if options.index is not None:
        chosen = [one for one in chosen if one.label == options.index]
    if not chosen:
        held = f"{len(listed)} image{'s' if len(listed) != 1 else ''}"
        raise OffloadError(f"no image of {path!r} matches; it holds {held}, see offload-tool list")
    return chosen


def copy_out(source: OpenFile, image: FoundImage, output: str, *, is_derived: bool = False) -> None:
    """The bytes of one image of the file ``source`` to the file ``output``; see ``written`` for the option."""
    with written(output, is_derived=is_derived) as target:
        copy_found(source, image, target)


def to_archive(members: Sequence[tuple[str, Located]], output: str, *, keep_mode: bool = True) -> None:
    """The images into a static archive, each under its name."""
    planned = []
    for name, located in members:
        image = located.image
        member = Member(name=encode_string(name), size=image.size, symbols=symbols_of(image.content))
        planned.append((member, _copier(located)))
    write_archive(output, planned, keep_mode=keep_mode)


def suffix_of(image_kind: str) -> str:
    """The file suffix that LLVM's packager gives to images of a kind, empty for none."""
    return _SUFFIXES.get(image_kind, "")


def _copier(located: Located) -> Copy:
    return lambda target: copy_found(located.source, located.image, target)


def _to_folder(source: OpenFile, chosen: Sequence[_Labelled], folder: str) -> list[str]:
    if not os.path.isdir(folder):
        raise OffloadError(f"folder {folder!r} does not exist; create it first")
    names = portable_names([_file_name(source.path, one) for one in chosen])
    paths = [os.path.join(folder, name) for name in names]
    for path in paths:
        check_output(path)
    for path, one in zip(paths, chosen, strict=True):
        copy_out(source, one.image, path, is_derived=True)
    return paths


def _file_name(path: str, one: _Labelled) -> str:
    """``STEM-TRIPLE[-ARCH].INDEX[.SUFFIX]``, the form of LLVM's packager; the strings are cut so that the end stays."""
    stem = os.path.splitext(os.path.basename(path))[0]
    target = "-".join(part for part in (stem, one.image.triple, one.image.arch) if part)
    suffix = suffix_of(one.image.image_kind)
    return target[:_LONGEST_TARGET] + f".{one.label}" + (f".{suffix}" if suffix else "")
