"""Names of the hidden files beside an output: its record, and what is not whole yet."""

from __future__ import annotations

import os

__all__ = ["beside"]

_LONGEST_STEM = 200
"""Bytes; a file's name has 255 at most."""


def beside(output: str, what: str) -> str:
    """The path of a hidden file that belongs to an output: ``what`` is ``record`` or ``part``.

    >>> beside("build/app.bin", "record")
    'build/.app.bin.offload-record'
    """
    folder, name = os.path.split(output)
    encoded = os.fsencode(name)
    if len(encoded) > _LONGEST_STEM:
        from .checksum import sha256

        digest = sha256(encoded).hexdigest()[:16]
        name = f"{os.fsdecode(encoded[:_LONGEST_STEM])}.{digest}"
    return os.path.join(folder, f".{name}.offload-{what}")
