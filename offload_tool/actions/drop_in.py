"""What ``llvm-offload-binary`` does with ``-o``, as it does it: any keys, unknown kinds, any file that can be read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

from ..codec.writer import Frame, encode_string, frame
from ..containers import bitcode
from ..errors import OffloadError
from ..model import KINDS, ImageKind, OffloadKind, Toolchain
from .copying import copy_range, write_all
from .output import written

__all__ = ["Arguments", "bundle", "file_extension", "kind_number", "opened_input"]

Arguments = Mapping[str, str]
"""One ``--image``: its keys and values in the order given."""

_NOT_STORED = ("kind", "file")
_TRIPLE_OPTIONAL_SINCE = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class _Input:
    """One file to pack: its path, or a descriptor of its copy if it can be read but once; what goes around it."""

    path: str
    copy: int | None
    around: Frame


def bundle(images: Sequence[Arguments], output: str, toolchain: Toolchain) -> None:
    """Writes ``output`` with one binary for each file of each image.

    Raises OffloadError in LLVM's words: what the system says of a file, without the file's name.
    """
    with ExitStack() as copies:
        inputs = [
            _input(copies, file, arguments, toolchain) for arguments in images for file in _files(arguments, toolchain)
        ]
        with written(output, keep_mode=False) as target:
            for one in inputs:
                write_all(target, one.around.before)
                with opened_input(one.path) if one.copy is None else nullcontext(one.copy) as source:
                    copy_range(source, 0, one.around.image_size, target)
                write_all(target, bytes(one.around.after))


def _files(arguments: Arguments, toolchain: Toolchain) -> list[str]:
    needs_triple = toolchain.llvm is not None and toolchain.llvm < _TRIPLE_OPTIONAL_SINCE
    if needs_triple and not {"file", "triple"} <= arguments.keys():
        raise OffloadError("'file' and 'triple' are required image arguments")
    if "file" not in arguments:
        raise OffloadError("'file' is a required image arguments")
    return arguments["file"].split(",")


def _input(copies: ExitStack, file: str, arguments: Arguments, toolchain: Toolchain) -> _Input:
    with ExitStack() as opening:
        descriptor = opening.enter_context(opened_input(file))
        once = file == "-" or not os.path.isfile(file)
        if once:
            copies.push(opening.pop_all())
        strings = [
            (encode_string(key), encode_string(value)) for key, value in arguments.items() if key not in _NOT_STORED
        ]
        around = frame(
            strings, argument_order=tuple(map(encode_string, arguments)),
            image_kind=toolchain.image_kind_number(_image_kind(descriptor, file, toolchain)),
            offload_kind=kind_number(arguments.get("kind", ""), toolchain), image_size=os.fstat(descriptor).st_size,
        )  # fmt: skip
    return _Input(path=file, copy=descriptor if once else None, around=around)


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


def kind_number(word: str, toolchain: Toolchain) -> int:
    """The number that LLVM's program writes for a kind's word: 0 for one that it does not know."""
    return toolchain.kind_numbers.get(KINDS.get(word, OffloadKind.NONE), 0)


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
