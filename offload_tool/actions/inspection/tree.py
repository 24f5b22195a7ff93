"""The files of trees that may hold device code, in an order that depends on names alone, and parts of them.

Of every file only the first bytes are read here, so a tree of sources costs little.
"""

from __future__ import annotations

import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator

from ...errors import OffloadError, UsageError
from ...frozen import frozen, replace
from ..mapping import opened
from ..recognize import HEAD_SIZE, FileKind, recognize

__all__ = ["Found", "Shard", "candidates"]

_SHARD = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@frozen
class Found:
    """A file that may hold device code, or, with a ``fault``, a file or folder that cannot be read.

    ``relative`` is its path below the folder that was named, the whole path of a file that was named itself.
    """

    path: str
    relative: str
    fault: str | None = None


@frozen
class Shard:
    """The ``number``-th of ``count`` parts, from 1.

    A file's relative path alone decides on its part (CRC-32 modulo ``count``), so that each file is in exactly one even
    if others come and go, and wherever the tree is mounted.
    """

    number: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Out of ``K/N``; raises UsageError for anything that is no part.

        >>> Shard.parse("2/3")
        Shard(number=2, count=3)
        """
        match = _SHARD.fullmatch(text)
        number, count = (int(match[1]), int(match[2])) if match else (0, 0)
        if not 1 <= number <= count:
            raise UsageError(f"shard {text!r} is no part; expected K/N with K from 1 to N, such as 2/8")
        return cls(number=number, count=count)

    def has(self, relative: str) -> bool:
        """Whether the file is in this part."""
        return self.count == 1 or zlib.crc32(os.fsencode(relative)) % self.count == self.number - 1


def candidates(operands: Iterable[str], shard: Shard) -> Iterator[Found]:
    """The files of a part, operand by operand: those of folders whose first bytes are of a known kind, and all named.

    A folder's entries come by name, the files of a folder in it where its own name stands.  Links to folders are not
    followed.  A link to a file counts for the file: it is left out where the file stands in the tree itself, and comes
    once, under the first of its names, where it stands elsewhere.  Pipes, sockets and devices are left out.
    """
    for operand in operands:
        is_tree = os.path.isdir(operand)
        for found in _walk(operand) if is_tree else [Found(path=operand, relative=operand)]:
            if shard.has(found.relative):
                checked = _checked(found) if is_tree else found
                if checked is not None:
                    yield checked


def _checked(found: Found) -> Found | None:
    """A file of a tree if it is of a known kind, with its fault if it cannot be opened."""
    if found.fault is not None:
        return found
    try:
        with opened(found.path) as descriptor:
            return None if recognize(os.read(descriptor, HEAD_SIZE)) is FileKind.UNKNOWN else found
    except OSError as error:
        return replace(found, fault=f"{found.path!r}: {error.strerror}")
    except OffloadError as error:
        return replace(found, fault=str(error))


def _walk(root: str) -> Iterator[Found]:
    links = _Links(root)
    pending = [(Found(path=root, relative=""), "folder")]
    while pending:
        found, kind = pending.pop()
        if kind == "folder":
            try:
                with os.scandir(found.path) as entries:
                    inside = sorted(entries, key=lambda entry: os.fsencode(entry.name), reverse=True)
            except OSError as error:
                yield replace(found, fault=f"{found.path!r}: {error.strerror}")
                continue
            for entry in inside:
                below = Found(path=entry.path, relative=os.path.join(found.relative, entry.name))
                pending.append((below, _kind(entry)))
        elif kind == "file" or (kind == "link" and links.is_new(found.path)):
            yield found


def _kind(entry: os.DirEntry[str]) -> str:
    """What an entry is; one that does not tell is a file, which then cannot be opened."""
    try:
        if entry.is_symlink():
            return "link"
        if entry.is_dir():
            return "folder"
        return "file" if entry.is_file() else "special"
    except OSError:
        return "file"


class _Links:
    """Which links lead to a regular file that is found in no other way."""

    def __init__(self, root: str) -> None:
        self._inside = os.path.join(os.path.realpath(root), "")
        self._seen: set[tuple[int, int]] = set()

    def is_new(self, path: str) -> bool:
        try:
            status = os.stat(path)
        except OSError:
            return False
        identity = status.st_dev, status.st_ino
        is_elsewhere = stat.S_ISREG(status.st_mode) and not os.path.realpath(path).startswith(self._inside)
        if not is_elsewhere or identity in self._seen:
            return False
        self._seen.add(identity)
        return True
