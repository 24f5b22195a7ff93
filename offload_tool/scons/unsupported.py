"""What this tool does not work with, said once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from offload_tool.scons.faults import warn

__all__ = ["warn_of_ninja"]


def warn_of_ninja(env: Any) -> None:
    """Warns if SCons's experimental ninja tool is in use: ninja would not see the images as dependencies."""
    if "_NINJA_REGENERATE_DEPS_FUNC" in env:
        _warn_of_ninja_once()


@lru_cache(maxsize=1)
def _warn_of_ninja_once() -> None:
    warn(["SCons's experimental ninja tool is not supported: edited images would not be packed again; build by scons"])
