"""What ``llvm-offload-binary`` does with input files, and what its manual says where the two part."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from ..containers.archive import unique_names
from ..errors import OffloadError
from ..model import Toolchain
from .copying import copy_range
from .drop_in import Arguments, file_extension, kind_number, opened_input
from .extract import Located, suffix_of, to_archive
from .output import written
from .recognize import HEAD_SIZE, FileKind, recognize
from .survey import FoundImage, mapped_descriptor, survey

__all__ = ["unbundle", "unbundle_documented"]

_HOLDERS = (FileKind.OFFLOAD_BINARY, FileKind.ELF, FileKind.CUBIN)
_UNREAD = (FileKind.ARCHIVE, FileKind.BITCODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """One input: its path, an open descriptor, and the images in it."""

    path: str
    descriptor: int
    images: Sequence[FoundImage]


def unbundle(path: str, images: Sequence[Arguments], toolchain: Toolchain, *, archive: bool) -> Iterator[str]:
    """Writes what each of ``images`` selects from the file ``path``; gives the warnings to say, as they come up.

    Raises OffloadError in LLVM's words.
    """
    with _opened(path) as source:
        for arguments in images:
            matched = [image for image in source.images if _matches(image, arguments, toolchain)]
            output = arguments.get("file")
            if archive and output is None:
                raise OffloadError("Image must have a 'file' argument.")
            if output is None:
                _write_numbered(source, matched)
            elif archive:
                _write_archive([(path, Located(source.descriptor, image)) for image in matched], output)
            else:
                yield from _write_last(source, matched, output)


def unbundle_documented(
    paths: Sequence[str], images: Sequence[Arguments], output: str, toolchain: Toolchain, *, archive: bool
) -> Iterator[str]:
    """The same by LLVM's manual: several inputs, ``-o`` names the archive or the one file, no ``--image`` means all."""
    if not output and images:
        for path in paths:
            yield from unbundle(path, images, toolchain, archive=archive)
        return
    if archive and not output:
        raise OffloadError("--archive needs -o to name the archive")
    with ExitStack() as opening:
        sources = [opening.enter_context(_opened(path)) for path in paths]
        chosen = [
            (_numbered_name(source.path, image, image.index), Located(source.descriptor, image))
            for source in sources
            for image in source.images
            if not images or any(_matches(image, arguments, toolchain) for arguments in images)
        ]
        _write_chosen(chosen, output, archive=archive)


def _write_chosen(chosen: list[tuple[str, Located]], output: str, *, archive: bool) -> None:
    names = unique_names([name for name, _ in chosen])
    if archive:
        _write_archive([(name, located) for name, (_, located) in zip(names, chosen, strict=True)], output)
    elif not output:
        for name, (_, located) in zip(names, chosen, strict=True):
            _write(located, name)
    elif len(chosen) == 1:
        _write(chosen[0][1], output)
    else:
        raise OffloadError(f"{len(chosen)} images are selected, '{output}' takes one; choose it with --image")


@contextmanager
def _opened(path: str) -> Iterator[_Source]:
    with ExitStack() as opening:
        try:
            descriptor = opening.enter_context(opened_input(path))
        except OffloadError as error:
            raise OffloadError(f"'{path}': {error}") from error
        yield _Source(path=path, descriptor=descriptor, images=_found(descriptor, path))


def _found(descriptor: int, path: str) -> list[FoundImage]:
    """The images of a file; none where it is of a kind that holds none."""
    data = mapped_descriptor(descriptor)
    found = recognize(bytes(data[:HEAD_SIZE]))
    if found in _UNREAD:
        raise OffloadError(f"'{path}': {found.value} is not read by this release")
    if found not in _HOLDERS or (found is not FileKind.OFFLOAD_BINARY and not _has_sections(data)):
        return []
    try:
        return survey(data, path)
    except OffloadError as error:
        raise OffloadError("Invalid data was encountered while parsing the file") from error


def _has_sections(data: memoryview) -> bool:
    from ..containers.elf import offloading_sections

    return bool(offloading_sections(data))


def _matches(image: FoundImage, arguments: Arguments, toolchain: Toolchain) -> bool:
    """Whether every key but ``file`` is equal; a string that the image lacks counts as empty."""
    strings = {"triple": image.triple, "arch": image.arch, **dict(image.metadata)}
    return all(
        image.raw_kind == kind_number(value, toolchain) if key == "kind" else strings.get(key, "") == value
        for key, value in arguments.items()
        if key != "file"
    )


def _write_last(source: _Source, matched: Sequence[FoundImage], output: str) -> Iterator[str]:
    for image in matched[-1:]:
        _write(Located(source.descriptor, image), output)
    if len(matched) > 1:
        yield f"Multiple inputs match to a single file, '{output}'"


def _write_numbered(source: _Source, matched: Sequence[FoundImage]) -> None:
    for number, image in enumerate(matched):
        _write(Located(source.descriptor, image), _numbered_name(source.path, image, number))


def _numbered_name(path: str, image: FoundImage, number: int) -> str:
    """``STEM-TRIPLE-ARCH.NUMBER.SUFFIX``; raises OffloadError if a string of the image would choose another folder."""
    name, extension = os.path.basename(path), file_extension(path)
    stem = name[: -len(extension) - 1] if "." in name[1:] else name
    made = f"{stem}-{image.triple}-{image.arch}.{number}.{suffix_of(image.image_kind)}"
    if "/" in made:
        raise OffloadError(os.strerror(errno.ENOENT))
    return made


def _write(located: Located, output: str) -> None:
    with written(output, keep_mode=False) as target:
        copy_range(located.descriptor, located.image.offset, located.image.size, target)


def _write_archive(members: Sequence[tuple[str, Located]], output: str) -> None:
    if members:
        to_archive(members, output, keep_mode=False)
