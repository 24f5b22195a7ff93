"""``@FILE`` on a command line: the words in a file, split by GNU's quoting rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import OffloadError
from ..limits import RESPONSE_FILE_BYTES, RESPONSE_FILE_DEPTH, RESPONSE_FILES

__all__ = ["expand_response_files", "tokenize"]

_QUOTING = "\\'\""
_SPACES = str.maketrans("\t\r\n", "   ")


def expand_response_files(words: Sequence[str]) -> list[str]:
    """``words`` with each ``@FILE`` that exists replaced by what is in it; raises OffloadError for one in itself."""
    expanded: list[str] = []
    numbers = iter(range(RESPONSE_FILES))
    for word in words:
        expanded += _expanded(word, (), numbers)
    return expanded


def _expanded(word: str, outer: tuple[str, ...], numbers: Iterator[int]) -> list[str]:
    """``numbers`` has one for each file that may still be read."""
    if not word.startswith("@") or len(word) == 1:
        return [word]
    path = word[1:]
    try:
        with open(path, "rb") as file:
            content = file.read(RESPONSE_FILE_BYTES + 1)
    except (OSError, ValueError):  # a word that holds a NUL names no file
        return [word]
    if path in outer or len(outer) >= RESPONSE_FILE_DEPTH:
        raise OffloadError(f"recursive expansion of: '{path}'")
    if len(content) > RESPONSE_FILE_BYTES:
        raise OffloadError(f"'{path}' is larger than {RESPONSE_FILE_BYTES} bytes")
    if next(numbers, None) is None:
        raise OffloadError(f"'{path}' is one response file too many, at most {RESPONSE_FILES} are read")
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    tokens = tokenize(text)
    if "@" not in text:
        return tokens
    words: list[str] = []
    for token in tokens:
        if token[0] == "@":
            words += _expanded(token, (*outer, path), numbers)
        else:
            words.append(token)
    return words


def tokenize(text: str) -> list[str]:
    r"""Words by GNU's rules: a backslash takes the next character as it is, within quotes too; empty words vanish.

    >>> tokenize(r"-o 'a b' c\ d")
    ['-o', 'a b', 'c d']
    """
    if not any(quoting in text for quoting in _QUOTING):
        return [word for word in text.translate(_SPACES).split(" ") if word]
    words: list[str] = []
    word, quote = "", ""
    characters = iter(text)
    for character in characters:
        if character == "\\":
            word += next(characters, "\\")
        elif quote:
            word, quote = (word, "") if character == quote else (word + character, quote)
        elif character in "'\"":
            quote = character
        elif character in " \t\r\n":
            words += [word] if word else []
            word = ""
        else:
            word += character
    return [*words, word] if word else words
