r"""Dependency files in the form that make and ninja both read.

A space is written as ``\ ``, ``#`` as ``\#``, ``$`` as ``$$``.  There is no escape that both readers take for
newline, tab, ``;``, ``|``, ``:`` and the backslash: a path that holds one is refused, since a wrong line makes builds
stale without a word.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import OffloadError

__all__ = ["depfile_text", "doubtful", "merged", "with_more"]

_REFUSED = "\n\r\t;|\\:"
_DOUBTFUL = "&'\"*^<"
_SEPARATOR = " \\\n  "
_ESCAPES = str.maketrans({" ": "\\ ", "#": "\\#", "$": "$$"})


def depfile_text(target: str, prerequisites: Iterable[str]) -> str:
    r"""The text of a depfile; raises OffloadError, naming the path, for one that cannot be written.

    >>> depfile_text("out.bin", ["in 1.o"])
    'out.bin: \\\n  in\\ 1.o\n'
    """
    lines = [_escaped(path) for path in dict.fromkeys(prerequisites)]
    return _SEPARATOR.join([f"{_escaped(target)}:", *lines]) + "\n"


def with_more(text: str, prerequisites: Iterable[str]) -> str:
    r"""A depfile's text with prerequisites that were not known before.

    >>> with_more("out.bin: a\n", ["b"])
    'out.bin: a \\\n  b\n'
    """
    return _SEPARATOR.join([text.removesuffix("\n"), *map(_escaped, prerequisites)]) + "\n"


def merged(target: str, texts: Iterable[str]) -> str:
    r"""One depfile for what several tell, each prerequisite once.

    >>> merged("all", ["a: \\\n  x \\\n  y\n", "b: y \\\n  z\n"])
    'all: \\\n  x \\\n  y \\\n  z\n'
    """
    lines = dict.fromkeys(line for text in texts for line in text.removesuffix("\n").split(_SEPARATOR)[1:])
    return _SEPARATOR.join([f"{_escaped(target)}:", *lines]) + "\n"


def doubtful(paths: Iterable[str]) -> list[str]:
    """The paths that one of ninja and make misreads, so that it packs at every build."""
    return [path for path in paths if any(character in path for character in _DOUBTFUL)]


def _escaped(path: str) -> str:
    for character in _REFUSED:
        if character in path:
            raise OffloadError(f"path {path!r} holds {character!r}, which no dependency file can say; rename it")
    return path.translate(_ESCAPES)
