"""Checks of single values: each gives the value, or None after noting the fault."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..limits import ALIGN
from ..model import closest
from .faults import PathFaults
from .tree import Path, Plain, RepeatedKeys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Choice = TypeVar("_Choice")

__all__ = [
    "alignment",
    "boolean",
    "choice",
    "choices",
    "compression",
    "items",
    "mapping",
    "metadata",
    "number",
    "size",
    "text",
    "texts",
]

_COMPRESSION = r"(?:zlib|zstd)(?::-?[0-9]{1,6})?"
_SIZE = r"(?P<whole>[0-9]{1,18})(?:\.(?P<part>[0-9]{1,9}))? ?(?P<unit>B|[kKMGT]B|[KMGT]iB)?"
_UNITS = {
    "B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}  # fmt: skip
_SMALLEST_ALIGN = 8
_STORED_ELSEWHERE = ("file", "kind", "triple", "arch")


def mapping(value: Plain, path: Path, faults: PathFaults, *, keys: Iterable[str] = ()) -> dict[str, Plain] | None:
    """A mapping; notes unknown keys (if ``keys`` names the known ones) and keys that stand twice."""
    if not isinstance(value, dict):
        faults.add(path, f"expected a mapping of keys to values, found {_describe(value)}")
        return None
    if isinstance(value, RepeatedKeys):
        for key in value.repeated:
            for occurrence in (0, -1):
                faults.add((*path, key), f"key {key!r} stands twice; keep one", on_key=True, occurrence=occurrence)
    known = tuple(keys)
    for key in value if known else ():
        if key not in known:
            hint = "" if faults.is_full else closest(key, known) or f"; expected one of {', '.join(known)}"
            faults.add((*path, key), f"unknown key {key!r}{hint}", on_key=True)
    return value


def text(value: Plain, path: Path, faults: PathFaults) -> str | None:
    """Text that is not empty and holds no control character."""
    if isinstance(value, bool):
        value = _word(value)
    if value is None:
        faults.add(path, "no value; give one, or quote it if the word itself is meant")
    elif not isinstance(value, str):
        faults.add(path, f"expected text, found {_describe(value)}")
    elif value.isprintable() and value:
        return value
    elif not value:
        faults.add(path, "empty text; give a value or leave the key out")
    elif any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in value):
        faults.add(
            path, f"control character in {value!r}; in double quotes a backslash is an escape, use single quotes or /"
        )
    elif any("\ud800" <= character <= "\udfff" for character in value):
        faults.add(path, f"half of a surrogate pair in {value!r}; expected Unicode text")
    else:
        return value
    return None


def items(value: Plain, path: Path, faults: PathFaults) -> list[Plain]:
    """The items of a list; a single value that is no list is noted."""
    if isinstance(value, list):
        return value
    faults.add(path, f"expected a list, found {_describe(value)}")
    return []


def texts(value: Plain, path: Path, faults: PathFaults) -> list[tuple[Path, str]]:
    """One text or a list of texts, each with its own path."""
    if not isinstance(value, list):
        found = text(value, path, faults)
        return [] if found is None else [(path, found)]
    if not value:
        faults.add(path, "empty list; give a value or leave the key out")
    pairs = (((*path, index), text(item, (*path, index), faults)) for index, item in enumerate(value))
    return [(where, found) for where, found in pairs if found is not None]


def choice(value: Plain, path: Path, faults: PathFaults, choices: Mapping[str, _Choice]) -> _Choice | None:
    """One of a set of words."""
    word = text(value, path, faults)
    if word is None:
        return None
    if word not in choices:
        hint = closest(word, list(choices)) or f"; expected one of {', '.join(choices)}"
        faults.add(path, f"unknown {path[-1]} {word!r}{hint}")
        return None
    return choices[word]


def choices(value: Plain, path: Path, faults: PathFaults, known: Mapping[str, object]) -> list[str]:
    """One word or a list of words, each of a set."""
    found = []
    for where, word in texts(value, path, faults):
        if word in known:
            found.append(word)
        else:
            hint = closest(word, list(known)) or f"; expected one of {', '.join(known)}"
            faults.add(where, f"unknown {path[-1]} {word!r}{hint}")
    return found


def size(value: Plain, path: Path, faults: PathFaults) -> int | None:
    """A count of bytes, such as ``1.9GiB``, ``500MB`` or plain digits; a part of a byte is dropped."""
    word = text(value, path, faults)
    if word is None:
        return None
    match = re.fullmatch(_SIZE, word)
    if match is None or (match["part"] and not match["unit"]):
        faults.add(path, f"expected a size such as 1.9GiB, 500MB or a count of bytes, found {word!r}")
        return None
    part = match["part"] or ""
    tenths: int = 10 ** len(part)
    return int(match["whole"] + part) * _UNITS[match["unit"] or "B"] // tenths


def number(value: Plain, path: Path, faults: PathFaults) -> int | None:
    """A whole number, written in decimal."""
    word = text(value, path, faults)
    if word is None:
        return None
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        faults.add(path, f"expected a whole number, found {word!r}")
        return None
    return int(word)


def alignment(value: Plain, path: Path, faults: PathFaults) -> int | None:
    """A power of two from 8 to the limit."""
    found = number(value, path, faults)
    if found is not None and (not _SMALLEST_ALIGN <= found <= ALIGN or found & (found - 1)):
        faults.add(path, f"align {found} is not allowed; expected a power of two from {_SMALLEST_ALIGN} to {ALIGN}")
        return None
    return found


def compression(value: Plain, path: Path, faults: PathFaults) -> str | None:
    """``zlib`` or ``zstd``, with ``:LEVEL`` where wanted."""
    word = text(value, path, faults)
    if word is not None and re.fullmatch(_COMPRESSION, word) is None:
        faults.add(path, f"unknown compression {word!r}; expected zlib or zstd, with :LEVEL where wanted")
        return None
    return word


def boolean(value: Plain, path: Path, faults: PathFaults) -> bool:
    """``true`` or ``false``; False after noting a fault."""
    found = choice(value, path, faults, {"true": True, "false": False})
    return bool(found)


def metadata(value: Plain, path: Path, faults: PathFaults) -> dict[str, str]:
    """Key-value strings, without the keys that an image has of its own."""
    found = {}
    for key, item in (mapping(value, path, faults) or {}).items():
        if key in _STORED_ELSEWHERE:
            faults.add((*path, key), f"{key!r} is a key of the image itself; write it there", on_key=True)
        elif text(key, (*path, key), faults) is not None:
            content = text(item, (*path, key), faults)
            if content is not None:
                found[key] = content
    return found


def _describe(value: Plain) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        value = _word(value)
    return "nothing" if value is None else repr(value)


def _word(value: bool) -> str:
    return "true" if value else "false"
