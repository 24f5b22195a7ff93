"""The packager as a dependency of what it packs: its own modules, what they hold, and what state they are in."""

from __future__ import annotations

import os
from functools import lru_cache

from .checksum import sha256

__all__ = ["packager_digest", "packager_modules", "packager_state"]

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@lru_cache(maxsize=1)
def packager_modules() -> tuple[str, ...]:
    """Absolute paths of the package's Python files, sorted."""
    found = []
    for folder, folders, files in os.walk(_ROOT):
        folders[:] = [name for name in folders if name != "__pycache__" and "site_scons" not in name]
        found += [os.path.join(folder, name) for name in files if name.endswith(".py")]
    return tuple(sorted(found))


@lru_cache(maxsize=1)
def packager_digest() -> str:
    """A digest of the package's Python files: changes whenever one of them does, wherever they lie."""
    import hashlib

    digest = hashlib.sha256()
    for path in packager_modules():
        with open(path, "rb") as module:
            content = module.read()
        digest.update(f"{path[len(_ROOT) :]}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def packager_state() -> str:
    """A digest of where these files lie, of their sizes and times: changes when one is edited or installed anew.

    None is read, so that it suits what is asked of each pack on one machine.
    """
    digest = sha256()
    for path in packager_modules():
        status = os.stat(path)
        digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
