"""Words to a person: control characters from files never reach the terminal."""

from __future__ import annotations

import re
import sys

__all__ = ["complain", "printable", "say"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""``text`` with control characters written as escapes.

    >>> printable("a\x1b[31m")
    'a\\x1b[31m'
    """
    return _CONTROL.sub(lambda match: repr(match.group())[1:-1], text)


def say(text: str) -> None:
    """One text to stdout."""
    _write(sys.stdout, text)


def complain(text: str) -> None:
    """One text to stderr."""
    _write(sys.stderr, text)


def _write(stream: object, text: str) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    safe = printable(text).encode(encoding, "backslashreplace").decode(encoding)
    print(safe, file=stream)  # type: ignore[call-overload]
