"""The packager as a dependency of what it packs, for build tools that call it within their own process."""

from __future__ import annotations

from ..deps.packager import packager_digest

__all__ = ["packager_digest"]
