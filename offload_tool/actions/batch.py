"""Many command lines in one file, for one process: its start is most of what a small pack costs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from ..codec.writer import encode_string
from ..deps.depfile import merged, with_more
from ..errors import OffloadError
from ..limits import MANIFEST_BYTES
from .copying import write_all
from .dependencies import touch
from .mapping import opened
from .output import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["read_commands", "tell_together"]


def read_commands(path: str) -> list[list[str]]:
    """The commands of a file, a JSON list of words a line; empty lines are none.

    Raises OffloadError, with the line, for anything else.
    """
    with opened(path) as descriptor, open(descriptor, "rb", closefd=False) as file:
        content = file.read(MANIFEST_BYTES + 1)
    if len(content) > MANIFEST_BYTES:
        raise OffloadError(f"{path!r} is larger than {MANIFEST_BYTES} bytes; make several batches of it")
    lines = enumerate(content.split(b"\n"), 1)
    return [_words(line, f"{path!r}, line {number}") for number, line in lines if line.strip()]


def tell_together(
    depfile: str | None, target: str, parts: Sequence[str], batch: str, *, stamp: str | None = None
) -> None:
    """Writes ``depfile`` for what was done together: ``target`` is built from ``batch`` and what ``parts`` tell.

    Those are the depfiles of the single actions.  Then ``stamp`` is touched.
    """
    if depfile is not None:
        texts = [with_more(f"{target}:", [os.path.abspath(batch)]), *map(_read, parts)]
        with written(depfile) as descriptor:
            write_all(descriptor, encode_string(merged(target, texts)))
    if stamp is not None:
        touch(stamp)


def _read(path: str) -> str:
    with (
        opened(path) as descriptor,
        open(descriptor, encoding="utf-8", errors="surrogateescape", closefd=False) as file,
    ):
        return file.read()


def _words(line: bytes, place: str) -> list[str]:
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise OffloadError(f"{place}: no JSON text: {error}") from None
    if not isinstance(found, list) or not found or not all(isinstance(word, str) for word in found):
        raise OffloadError(f"{place}: expected a list of words, the command first")
    return found
