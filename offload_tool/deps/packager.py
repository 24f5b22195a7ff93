"""The packager as a dependency of what it packs: its own modules, and one digest over them."""

from __future__ import annotations

import os
from functools import lru_cache

__all__ = ["packager_digest", "packager_modules"]

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
        digest.update(f"{os.path.relpath(path, _ROOT)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
