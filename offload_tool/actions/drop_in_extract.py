"""What ``llvm-offload-binary`` does with input files, and what its manual says where the two part."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from ..codec.layout import HEAD_OF_SINGLE, MAGIC, PREFIX
from ..containers.archive import unique_names
from ..errors import FormatError, OffloadError
from ..frozen import frozen
from .drop_in import Arguments, file_extension, kind_number, opened_input
from .extract import Located, suffix_of, to_archive
from .file_state import OpenFile
from .form import Form
from .mapping import mapped_descriptor
from .output import written
from .survey import FoundImage, copy_found, survey

__all__ = ["Note", "unbundle", "unbundle_documented"]


_EXTRACTS_ALL_SINCE = 23
_NAMES_MEMBERS_SINCE = 24
_SIZE_OFFSET = PREFIX.size
_CUT = "The end of the file was unexpectedly encountered"
_DAMAGED = "Invalid data was encountered while parsing the file"


@frozen
class _Source:
    """One input, open, and the images in it."""

    file: OpenFile
    images: Sequence[FoundImage]

    @property
    def path(self) -> str:
        return self.file.path


class Note(NamedTuple):
    """What is said while images are extracted: a warning, or what was written."""

    text: str
    is_warning: bool


def unbundle(path: str, images: Sequence[Arguments], form: Form, *, archive: bool) -> Iterator[Note]:
    """Writes what each of ``images`` selects from the file ``path``; gives what is to be said, as it comes up.

    Since LLVM 23 no ``images`` at all means every image, and what is written is said.  Raises OffloadError in LLVM's
    words.
    """
    extracts_all = form.toolchain.llvm is None or form.toolchain.llvm >= _EXTRACTS_ALL_SINCE
    with _opened(path) as source:
        for arguments in images or ([{}] if extracts_all else []):
            matched = [image for image in source.images if _matches(image, arguments, form)]
            if matched:
                yield from _write_matched(source, matched, arguments.get("file"), form, archive=archive)


def unbundle_documented(
    paths: Sequence[str], images: Sequence[Arguments], output: str, form: Form, *, archive: bool
) -> Iterator[Note]:
    """The same by LLVM's manual: several inputs, ``-o`` names the archive or the one file, no ``--image`` means all."""
    if not output and images:
        for path in paths:
            yield from unbundle(path, images, form, archive=archive)
        return
    if archive and not output:
        raise OffloadError("--archive needs -o to name the archive")
    with ExitStack() as opening:
        sources = [opening.enter_context(_opened(path)) for path in paths]
        chosen = [
            (_numbered_name(source.path, image, image.index), Located(source.file, image))
            for source in sources
            for image in source.images
            if not images or any(_matches(image, arguments, form) for arguments in images)
        ]
        _write_chosen(chosen, output, archive=archive)


def _write_chosen(chosen: list[tuple[str, Located]], output: str, *, archive: bool) -> None:
    names = unique_names([name for name, _ in chosen])
    if archive:
        _write_archive([(name, located) for name, (_, located) in zip(names, chosen, strict=True)], output)
    elif not output:
        for name, (_, located) in zip(names, chosen, strict=True):
            _write(located, name, is_derived=True)
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
        yield _Source(file=OpenFile.of(path, descriptor), images=_found(descriptor, path))


def _found(descriptor: int, path: str) -> list[FoundImage]:
    """The images of a file; none where it is of a kind that holds none."""
    data = mapped_descriptor(descriptor)
    try:
        return survey(data, path)
    except OffloadError as error:
        is_cut = isinstance(error.__cause__, FormatError) and _has_wrong_size(data, error.__cause__.offset)
        raise OffloadError(_CUT if is_cut else _DAMAGED) from error


def _has_wrong_size(data: memoryview, fault: int) -> bool:
    """Whether the fault at this offset is the size of a binary whose header and entry are there."""
    start = fault - _SIZE_OFFSET
    rest = data[max(start, 0) :]
    return start >= 0 and len(rest) >= HEAD_OF_SINGLE.size and rest[:_SIZE_OFFSET] == PREFIX.pack(MAGIC, 1)


def _matches(image: FoundImage, arguments: Arguments, form: Form) -> bool:
    """Whether every key but ``file`` is equal; a string that the image lacks counts as empty."""
    strings = {"triple": image.triple, "arch": image.arch, **dict(image.metadata)}
    if form.toolchain.llvm is None or form.toolchain.llvm >= _NAMES_MEMBERS_SINCE:
        strings["member"] = image.member or ""
    return all(
        image.raw_kind == kind_number(value, form) if key == "kind" else strings.get(key, "") == value
        for key, value in arguments.items()
        if key != "file"
    )


def _write_matched(
    source: _Source, matched: Sequence[FoundImage], output: str | None, form: Form, *, archive: bool
) -> Iterator[Note]:
    if archive and output is None:
        raise OffloadError("Image must have a 'file' argument.")
    if output is None:
        yield from _write_numbered(source, matched, form)
    elif archive:
        members = [(image.member or source.path, Located(source.file, image)) for image in matched]
        _write_archive(members, "./-" if output == "-" else output)  # "-" is a file here, only else it is stdout
    else:
        yield from _write_last(source, matched, output)


def _write_last(source: _Source, matched: Sequence[FoundImage], output: str) -> Iterator[Note]:
    """Warns before it writes, as LLVM's program does: the warning stands also before a fault."""
    if len(matched) > 1:
        yield Note(f"Multiple inputs match to a single file, '{output}'", is_warning=True)
    _write(Located(source.file, matched[-1]), output)


def _write_numbered(source: _Source, matched: Sequence[FoundImage], form: Form) -> Iterator[Note]:
    says = form.toolchain.llvm is not None and form.toolchain.llvm >= _EXTRACTS_ALL_SINCE
    for number, image in enumerate(matched):
        name = _numbered_name(source.path, image, number, leaves_out_arch=says)
        _write(Located(source.file, image), name, is_derived=True)
        if says:
            yield Note(f"Extracted: {name}", is_warning=False)


def _numbered_name(path: str, image: FoundImage, number: int, *, leaves_out_arch: bool = False) -> str:
    """``STEM-TRIPLE-ARCH.NUMBER.SUFFIX``, an empty arch with or without its dash.

    Raises OffloadError if a string of the image would choose another folder.
    """
    name, extension = os.path.basename(path), file_extension(path)
    stem = name[: -len(extension) - 1] if "." in name and name not in (".", "..") else name
    target = image.triple if leaves_out_arch and not image.arch else f"{image.triple}-{image.arch}"
    made = f"{stem}-{target}.{number}.{suffix_of(image.image_kind)}"
    if "/" in made:
        raise OffloadError(os.strerror(errno.ENOENT))
    return made


def _write(located: Located, output: str, *, is_derived: bool = False) -> None:
    with written(output, keep_mode=False, is_derived=is_derived) as target:
        copy_found(located.source, located.image, target)


def _write_archive(members: Sequence[tuple[str, Located]], output: str) -> None:
    if members:
        to_archive(members, output, keep_mode=False)
