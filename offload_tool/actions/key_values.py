"""``KEY=VALUE,KEY=VALUE`` as LLVM's packager splits it."""

from __future__ import annotations

__all__ = ["split_arguments"]


def split_arguments(text: str) -> dict[str, str]:
    """Pairs at ``,``, each key up to its first ``=``; a repeated key joins its values with ``,``, as LLVM does.

    A part without ``=`` is a key with an empty value.

    >>> split_arguments("arch=a,arch=b,x")
    {'arch': 'a,b', 'x': ''}
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        key, _, value = part.partition("=")
        found[key] = f"{found[key]},{value}" if key in found else value
    return found
