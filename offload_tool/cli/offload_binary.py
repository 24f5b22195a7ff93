"""``offload-binary``: takes the command line of LLVM's packager, gives its bytes, names, messages and exit status.

The name that it is called by says which LLVM it stands for; the variable ``OFFLOAD_TOOLCHAIN`` always decides.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence

from ..actions.drop_in import Arguments, bundle
from ..actions.form import Form
from ..actions.key_values import split_arguments
from ..actions.response_file import expand_response_files
from ..errors import OffloadError
from ..model import DOCUMENTED, TOOLCHAINS, Toolchain, toolchain_named
from .llvm_options import Given, Option, parse
from .printing import complain, flush, say, say_lines, system_words
from .process import run_as_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["console", "main", "stands_for"]

_OPTIONS = {
    "help": Option.ACTION,
    "o": Option.VALUE,
    "archive": Option.FLAG,
    "image": Option.VALUE,
    "version": Option.ACTION,
    "help-list": Option.ACTION,
    "h": Option.UNLISTED,
    "help-hidden": Option.ACTION,
    "help-list-hidden": Option.ACTION,
    "print-options": Option.FLAG,
    "print-all-options": Option.FLAG,
    "color": Option.UNLISTED,
}
_COMPRESSION_OPTIONS = {
    "compress": Option.FLAG,
    "compression-format": Option.VALUE,
    "compression-level": Option.VALUE,
}
_NAME = "llvm-offload-binary"
_AMBIGUOUS = "clang-offload-packager"
_RENUMBERED = ("hip", "sycl")
_COMPRESSES_SINCE = 24


def console() -> NoReturn:
    """What the installed command runs."""
    run_as_process(main)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line, the program's name first; gives its exit status."""
    argv0, *words = sys.argv if arguments is None else arguments
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))
    try:
        toolchain = stands_for(argv0, os.environ)
        options = {**_OPTIONS, **_COMPRESSION_OPTIONS} if _compresses(toolchain) else _OPTIONS
        status = _act(parse(expand_response_files(words), options, argv0), toolchain, argv0)
        flush()
    except OffloadError as error:
        complain(f"{argv0}: error: {_system_words(error)}")
        return 1
    except BrokenPipeError:
        from ..actions.output import forget_stdout

        forget_stdout()
        return 1
    except OSError as error:
        complain(f"{argv0}: error: {system_words(error)}")
        return 1
    except MemoryError:
        complain(f"{argv0}: error: out of memory")
        return 1
    except KeyboardInterrupt:
        return 130
    else:
        return status


def stands_for(argv0: str, environment: Mapping[str, str]) -> Toolchain | None:
    """The toolchain that a name stands for; None for the one name that two of them had.

    >>> stands_for("/opt/bin/llvm-offload-binary-19", {}).name
    'llvm-19'
    """
    if environment.get("OFFLOAD_TOOLCHAIN"):
        return toolchain_named(environment["OFFLOAD_TOOLCHAIN"])
    name = os.path.basename(argv0)
    program, _, number = name.rpartition("-")
    if program in (_NAME, _AMBIGUOUS) and number.isdecimal():
        return toolchain_named(f"llvm-{int(number)}")
    if name == _NAME:
        return TOOLCHAINS["llvm-22"]
    return None if name == _AMBIGUOUS else DOCUMENTED


def _compresses(toolchain: Toolchain | None) -> bool:
    return toolchain is DOCUMENTED or (toolchain is not None and (toolchain.llvm or 0) >= _COMPRESSES_SINCE)


def _act(given: Given, toolchain: Toolchain | None, argv0: str) -> int:
    program = os.path.basename(argv0)
    for fault in given.faults:
        complain(f"{program}: {fault}")
    if given.action is not None:
        _tell(given.action, program, compresses=_compresses(toolchain))
        return 0
    if len(given.files) > 1 and toolchain is not DOCUMENTED:
        complain(f"{program}: Too many positional arguments specified!")
        complain(f"Can specify at most 1 positional arguments: See: {argv0} --help")
        return 1
    if given.faults:
        return 1
    output, files = given.values.get("o", [""])[-1], [file for file in given.files if file]
    if given.flags.get("h") or not (output or files):
        _tell("help", program, compresses=_compresses(toolchain))
        return 0
    images = [split_arguments(text) for text in given.values.get("image", [])]
    form = _form(_chosen(toolchain, images), given)
    if files:
        _extract(images, files, output, form, argv0, archive=given.flags.get("archive", False))
    else:
        bundle(images, output, form)
    return 0


def _tell(action: str, program: str, *, compresses: bool) -> None:
    from .offload_binary_help import help_text, version_text

    hidden = "hidden" in action
    say_lines(version_text() if action == "version" else help_text(program, hidden=hidden, compresses=compresses))


def _extract(
    images: Sequence[Arguments], files: Sequence[str], output: str, form: Form, argv0: str, *, archive: bool
) -> None:
    from ..actions.drop_in_extract import unbundle, unbundle_documented

    if form.toolchain is DOCUMENTED:
        notes = unbundle_documented(files, images, output, form, archive=archive)
    elif output:
        raise OffloadError("Packaging to an output file and extracting from an input file are mutually exclusive.")
    else:
        notes = unbundle(files[0], images, form, archive=archive)
    for note in notes:
        if note.is_warning:
            complain(f"{argv0}: warning: {note.text}")
        else:
            say(note.text)


def _chosen(toolchain: Toolchain | None, images: Sequence[Arguments]) -> Toolchain:
    if toolchain is not None:
        return toolchain
    if any(image.get("kind") in _RENUMBERED for image in images):
        raise OffloadError(
            f"hip and sycl have two numbers under the name {_AMBIGUOUS}; "
            "set OFFLOAD_TOOLCHAIN, such as llvm-19 or llvm-22"
        )
    return TOOLCHAINS["llvm-20"]


def _form(toolchain: Toolchain, given: Given) -> Form:
    if not given.flags.get("compress"):
        return Form.checked(toolchain, format_version=None, align=None, compress=None)
    codec = given.values.get("compression-format", ["zstd"])[-1]
    level = given.values.get("compression-level", [""])[-1]
    compress = f"{codec}:{level}" if level else codec
    return Form.checked(toolchain, format_version=3, align=None, compress=compress)


def _system_words(error: OffloadError) -> str:
    """What the system said of an output, which is all that LLVM's program says, else the error's own words."""
    cause = error.__cause__
    return cause.strerror if isinstance(cause, OSError) and cause.strerror else str(error)
