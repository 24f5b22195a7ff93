"""What ``llvm-offload-binary`` does with ``-o``, as it does it: any keys, unknown kinds, any file that can be read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext

from ..codec.record_order import ordered_strings
from ..codec.writer import NewImage, encode_string
from ..containers import bitcode
from ..errors import OffloadError
from ..model import KINDS, ImageKind, OffloadKind, Toolchain
from .copying import copy_range, write_all
from .form import Form
from .writing import Copy, write_binaries

__all__ = ["Arguments", "bundle", "file_extension", "kind_number", "opened_input"]
Arguments = Mapping[str, str]
"""One ``--image``: its keys and values in the order given."""

_NOT_STORED = (b"kind", b"file")
_TRIPLE_OPTIONAL_SINCE = 22


def bundle(images: Sequence[Arguments], output: str, form: Form) -> None:
    """Writes ``output`` with one image for each file of each of ``images``.

    Raises OffloadError in LLVM's words: what the system says of a file, without the file's name.
    """
    with ExitStack() as copies:
        new = [
            _new_image(copies, file, arguments, form)
            for arguments in images
            for file in _files(arguments, form.toolchain)
        ]
        write_binaries(output, new, form, keep_mode=False)


def _files(arguments: Arguments, toolchain: Toolchain) -> list[str]:
    needs_triple = toolchain.llvm is not None and toolchain.llvm < _TRIPLE_OPTIONAL_SINCE
    if needs_triple and not {"file", "triple"} <= arguments.keys():
        raise OffloadError("'file' and 'triple' are required image arguments")
    if "file" not in arguments:
        raise OffloadError("'file' is a required image arguments")
    return arguments["file"].split(",")


def _new_image(copies: ExitStack, file: str, arguments: Arguments, form: Form) -> tuple[NewImage, Copy]:
    """One file as an image; what can be read but once is kept open, as a copy, by ``copies``."""
    with ExitStack() as opening:
        descriptor = opening.enter_context(opened_input(file))
        once = file == "-" or not os.path.isfile(file)
        if once:
            copies.push(opening.pop_all())
        strings = [(encode_string(key), encode_string(value)) for key, value in arguments.items()]
        stored = [pair for pair in strings if pair[0] not in _NOT_STORED]
        image = NewImage(
            image_kind=form.toolchain.image_kind_number(_image_kind(descriptor, file, form.toolchain)),
            offload_kind=kind_number(arguments.get("kind", ""), form),
            strings=ordered_strings(stored, tuple(key for key, _ in strings)),
            size=os.fstat(descriptor).st_size,
        )
    return image, _copier(file, descriptor if once else None, image.size)


def _copier(file: str, copy: int | None, size: int) -> Copy:
    def copy_into(target: int) -> None:
        with opened_input(file) if copy is None else nullcontext(copy) as source:
            copy_range(source, 0, size, target)

    return copy_into


def _image_kind(descriptor: int, file: str, toolchain: Toolchain) -> ImageKind:
    if bitcode.matches(os.pread(descriptor, 4, 0)):
        return ImageKind.BITCODE
    return toolchain.image_kind_of_suffix(file_extension(file))


def file_extension(path: str) -> str:
    """What stands after the last dot of a file name, as LLVM has it: a leading dot counts.

    >>> file_extension("a.d/.o"), file_extension("k")
    ('o', '')
    """
    name = os.path.basename(path)
    return "" if name in (".", "..") else name.rpartition(".")[2] if "." in name else ""


def kind_number(word: str, form: Form) -> int:
    """The number that LLVM's program writes for a kind's word: 0 for one that it does not know."""
    return form.kind_numbers.get(KINDS.get(word, OffloadKind.NONE), 0)


@contextmanager
def opened_input(path: str) -> Iterator[int]:
    """A descriptor that can be read anywhere: ``-`` is stdin, and what is no regular file is copied aside first."""
    try:
        descriptor = os.dup(0) if path == "-" else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise OffloadError(error.strerror) from error
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
    import tempfile

    with tempfile.TemporaryFile() as copy:
        while content := os.read(descriptor, 1 << 20):
            write_all(copy.fileno(), content)
        yield copy.fileno()
