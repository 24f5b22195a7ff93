"""PTX text: its first statement is ``.version``, after comments and blank lines."""

from __future__ import annotations

import re

__all__ = ["matches"]

_START = re.compile(rb"(?:\s|//[^\n]*\n|/\*.*?\*/)*\.version\s", re.DOTALL)


def matches(head: bytes) -> bool:
    r"""Whether the bytes begin as PTX does; a comment longer than ``head`` hides it.

    >>> matches(b"// made by hand\n.version 8.0\n")
    True
    """
    return _START.match(head) is not None
