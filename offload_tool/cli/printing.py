"""Words to a person: control characters from files never reach the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from ..errors import HostError, ManifestError, OffloadError
from .terminal import has_colour, is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

__all__ = [
    "complain", "complain_lines", "complain_of", "flush", "printable", "printable_line", "say", "say_lines",
    "system_words",
]  # fmt: skip

_CONTROL = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # what terminals act on
    "\xad\u180e\u200b-\u200d\u2060-\u2065\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # what is not seen
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # what turns the order of others
    "\u2028\u2029\ud800-\udfff]"  # other ends of lines, and halves of characters
)
_ASCII_CONTROL = bytes([*range(9), *range(11, 32), 127])

_SEVERITY = r"(?<=: )(error|warning):(?= )"
_CARET = r"(?m)(?<=  )\^$"
_COLOURS = {"error": 31, "warning": 35}


def printable(text: str) -> str:
    r"""``text`` with control characters written as escapes.

    >>> printable("a\x1b[31m")
    'a\\x1b[31m'
    """
    if text.isascii() and len(text.encode("ascii").translate(None, _ASCII_CONTROL)) == len(text):
        return text  # so most large texts are, and this takes a fifth of the time
    import re

    return re.sub(_CONTROL, lambda match: repr(match.group())[1:-1], text)


def printable_line(text: str) -> str:
    r"""The same of a text that has to stay one line, such as the name of a file.

    >>> printable_line("a\nb")
    'a\\nb'
    """
    if text.isascii() and text.isprintable():
        return text  # in a tenth of the time, and tables may have hundreds of thousands of cells
    return printable(text).replace("\n", "\\n")


def say(text: str) -> None:
    """One line to stdout; raises OffloadError where that cannot be written, BrokenPipeError where nobody reads it."""
    say_lines(printable_line(text))


def say_lines(text: str) -> None:
    """The same of a text whose ends of lines are our own: a table, a JSON document."""
    with _told_of_stdout():
        _write(sys.stdout, text)


def complain(text: str) -> None:
    """One line to stderr."""
    complain_lines(printable_line(text))


def complain_lines(text: str) -> None:
    """The same of a text whose ends of lines are our own, or a compiler's.

    What was said before comes before it, also where both go into one log; what is wrong with stdout, ``flush`` tells.
    """
    with contextlib.suppress(OSError, ValueError):
        if sys.stdout is not None:
            sys.stdout.flush()
    with contextlib.suppress(OSError):
        _write(sys.stderr, text)


def complain_of(error: OffloadError, program: str, *, show_source: bool = False) -> None:
    """What is wrong, to stderr: a line for each fault; only other programs' words may take more.

    On a terminal, and with ``show_source``, the line of the manifest and a caret stand below its fault.
    """
    if isinstance(error, ManifestError):
        shown = show_source or is_terminal(sys.stderr)
        for fault, excerpt in zip(error.faults, _excerpts(error) if shown else [""] * len(error.faults), strict=True):
            # Values stand in messages as repr, so that an end of a line in one of them is our own.
            told = printable_line(fault.file) + str(fault)[len(fault.file) :]
            complain_lines(f"{told}\n{excerpt}" if excerpt else told)
    elif isinstance(error, HostError):
        complain_lines(f"{program}: error: {error}")
    else:
        complain(f"{program}: error: {error}")


def _excerpts(error: ManifestError) -> list[str]:
    from ..manifest.excerpt import excerpts

    return excerpts(error.faults, printable_line)


def flush() -> None:
    """Hands everything said to the system; raises as ``say``."""
    if sys.stdout is not None:
        with _told_of_stdout():
            sys.stdout.flush()


def system_words(error: OSError) -> str:
    """What the system said of an error that nobody put into words of our own."""
    return f"{error.filename!r}: {error.strerror}" if error.filename else str(error.strerror or error)


@contextlib.contextmanager
def _told_of_stdout() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        from ..actions.output import forget_stdout

        forget_stdout()
        raise OffloadError(f"standard output: {error.strerror or error}") from error


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:
        return  # closed by whoever started the program
    shown = printable(text)
    if not shown.isascii():
        encoding = getattr(stream, "encoding", None) or "utf-8"
        shown = shown.encode(encoding, "backslashreplace").decode(encoding)
    print(_coloured(shown) if stream is sys.stderr and has_colour(stream) else shown, file=stream)


def _coloured(text: str) -> str:
    """Words of severity in red and magenta, carets in green, as compilers have them."""
    import re

    text = re.sub(_SEVERITY, lambda match: f"\x1b[1;{_COLOURS[match[1]]}m{match[0]}\x1b[0m", text)
    return re.sub(_CARET, "\x1b[1;32m^\x1b[0m", text)
