"""What ``llvm-offload-binary`` does with ``-o``, as it does it: any keys, unknown kinds, any file that can be read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import lru_cache

from ..codec.record_order import stored_order
from ..codec.writer import NewImage, encode_string
from ..errors import OffloadError
from ..frozen import constructor
from ..model import KINDS, ImageKind, OffloadKind
from ..wire.magic import BITCODE, BITCODE_WRAPPER
from .copying import copy_range, write_all
from .file_state import FileState
from .form import Form
from .temporary import temporary_faults, temporary_file
from .whole_files import WholeFiles
from .writing import Content, Copy, is_streamed, write_binaries

__all__ = ["Arguments", "bundle", "file_extension", "kind_number", "opened_input"]
Arguments = Mapping[str, str]
"""One ``--image``: its keys and values in the order given."""

_HEAD_SIZE = 4
_BITCODE = (BITCODE, BITCODE_WRAPPER)
_TRIPLE_OPTIONAL_SINCE = 22
_FILE_MISSING = "'file' is a required image arguments"
_TRIPLE_MISSING = "'file' and 'triple' are required image arguments"


def bundle(images: Sequence[Arguments], output: str, form: Form) -> None:
    """Writes ``output`` with one image for each file of each of ``images``.

    Raises OffloadError in LLVM's words: what the system says of a file, without the file's name.
    """
    with ExitStack() as copies:
        whole_files = WholeFiles(len(images), are_held=not is_streamed(output, form))
        new = _Bundling(copies, form, whole_files).new_images(images)
        write_binaries(output, new, form, keep_mode=False)


class _Bundling:
    """Files on their way into one output; what can be read but once is kept open, as a copy, by ``copies``."""

    def __init__(self, copies: ExitStack, form: Form, whole_files: WholeFiles) -> None:
        self._copies = copies
        self._whole_files = whole_files
        number, of_suffix = form.toolchain.image_kind_number, form.toolchain.image_kind_of_suffix
        self._bitcode = number(ImageKind.BITCODE)
        self._number_of_suffix = lru_cache(maxsize=64)(lambda suffix: int(number(of_suffix(suffix))))
        self._kinds = {word: form.kind_numbers.get(kind, 0) for word, kind in KINDS.items()}
        self._needs_triple = form.toolchain.llvm is not None and form.toolchain.llvm < _TRIPLE_OPTIONAL_SINCE

    def new_images(self, images: Sequence[Arguments]) -> Iterator[tuple[NewImage, Content]]:
        """Each file as an image, and its bytes or what writes them; one by one, since there may be many."""
        make_image: Callable[..., NewImage] = constructor(NewImage)
        for arguments in images:
            if "file" not in arguments or (self._needs_triple and "triple" not in arguments):
                raise OffloadError(_TRIPLE_MISSING if self._needs_triple else _FILE_MISSING)
            offload_kind = self._kinds.get(arguments.get("kind", ""), 0)
            keys = stored_order(tuple(arguments))
            strings = tuple([(stored, encode_string(arguments[key])) for key, stored in keys])
            for file in arguments["file"].split(","):
                head, size, content = self._content(file)
                if head.startswith(_BITCODE):
                    image_kind = self._bitcode
                else:
                    image_kind = self._number_of_suffix(file_extension(file))
                yield make_image(image_kind, offload_kind, strings, size), content

    def _content(self, file: str) -> tuple[bytes, int, Content]:
        """The first bytes of a file, its size, and all of it or what copies it."""
        descriptor = _opened(file)
        try:
            status = os.fstat(descriptor)
            content = self._whole(file, descriptor, status)
            if content is not None:
                return content, status.st_size, content
            is_read_once = file == "-" or not stat.S_ISREG(status.st_mode)
            copy = self._copies.enter_context(_seekable(os.dup(descriptor))) if is_read_once else None
            source = descriptor if copy is None else copy
            state = FileState.of(os.fstat(source))
            return os.pread(source, _HEAD_SIZE, 0), state.size, _copier(file, copy, state)
        finally:
            os.close(descriptor)

    def _whole(self, file: str, descriptor: int, status: os.stat_result) -> bytes | None:
        try:
            return self._whole_files.read(descriptor, status)
        except OffloadError as error:
            raise OffloadError(f"{file!r} {error}") from error.__cause__


def _copier(file: str, copy: int | None, state: FileState) -> Copy:
    def copy_into(target: int) -> None:
        with opened_input(file) if copy is None else nullcontext(copy) as source:
            state.check_descriptor(source, file)
            try:
                copy_range(source, 0, state.size, target)
            except OffloadError as error:
                raise OffloadError(f"{file!r} {error}") from error.__cause__
            state.check_descriptor(source, file)

    return copy_into


def file_extension(path: str) -> str:
    """What stands after the last dot of a file name, as LLVM has it: a leading dot counts.

    >>> file_extension("a.d/.o"), file_extension("k")
    ('o', '')
    """
    stem, dot, suffix = path.rpartition(".")
    if not suffix and stem.rpartition("/")[2] in ("", "."):  # the folders . and ..
        return ""
    return suffix if dot and "/" not in suffix else ""


def kind_number(word: str, form: Form) -> int:
    """The number that LLVM's program writes for a kind's word: 0 for one that it does not know."""
    return form.kind_numbers.get(KINDS.get(word, OffloadKind.NONE), 0)


@contextmanager
def opened_input(path: str) -> Iterator[int]:
    """A descriptor that can be read anywhere: ``-`` is stdin, and what is no regular file is copied aside first."""
    with _seekable(_opened(path)) as descriptor:
        yield descriptor


def _opened(path: str) -> int:
    try:
        return os.dup(0) if path == "-" else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise OffloadError(error.strerror) from error


@contextmanager
def _seekable(descriptor: int) -> Iterator[int]:
    """The descriptor itself, or that of a copy; it is closed at the end."""
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISREG(mode):
            yield descriptor
        elif stat.S_ISDIR(mode):
            raise OffloadError(os.strerror(errno.EISDIR))
        else:
            with _spooled(descriptor) as copy:
                yield copy
    finally:
        os.close(descriptor)


@contextmanager
def _spooled(descriptor: int) -> Iterator[int]:
    with temporary_file() as copy:
        with temporary_faults():
            while content := os.read(descriptor, 1 << 20):
                write_all(copy, content)
        yield copy
