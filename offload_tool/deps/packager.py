"""The packager as a dependency of what it packs: its own modules, what they hold, and what state they are in."""

from __future__ import annotations

import os
import sys
from functools import lru_cache

from .checksum import sha256

__all__ = ["PACKAGER_FOLDER", "loaded_modules", "packager_digest", "packager_modules", "packager_state"]

PACKAGER_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""Where the package lies."""

_NAMES = ("offload_tool", "__main__")


def loaded_modules() -> tuple[str, ...]:
    """Absolute paths of those that this process has loaded so far, sorted: no other had a say in what it did."""
    own = [module for name, module in [*sys.modules.items()] if name.partition(".")[0] in _NAMES]
    paths = {os.path.abspath(getattr(module, "__file__", None) or "") for module in own}
    return tuple(sorted(path for path in paths if path.startswith(PACKAGER_FOLDER + os.sep)))


@lru_cache(maxsize=1)
def packager_modules() -> tuple[str, ...]:
    """Absolute paths of the package's Python files, sorted."""
    found = []
    for folder, folders, files in os.walk(PACKAGER_FOLDER):
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
        digest.update(f"{path[len(PACKAGER_FOLDER) :]}\0{len(content)}\0".encode())
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
