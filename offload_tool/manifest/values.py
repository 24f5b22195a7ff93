"""What a checked manifest is."""

from __future__ import annotations

from types import MappingProxyType

from ..frozen import field, frozen
from ..model import Declared, Image

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["INPUT_PREFIX", "Budget", "Manifest"]

INPUT_PREFIX = "input:"
"""How the file of an image reads that a build has yet to bind; no file of a checked manifest begins so."""


@frozen
class Budget:
    """How large the images may be together: ``size`` in bytes, ``text`` as it was written, and where."""

    text: str
    size: int
    declared: Declared


@frozen
class Manifest:
    """One manifest, or several that are packed together, ready to pack.

    ``files`` are the absolute paths of the manifests that were read, included ones too, in order; ``images`` the
    images in the order declared, each manifest's own before those that it includes, with absolute files.
    ``toolchain``, ``format_version``, ``align`` and ``compress`` are None where no manifest says.  ``budget`` is the
    smallest that one of the outermost manifests sets.
    ``inputs`` are the names that images use in ``input:``, in order; an image whose input is not bound has the file
    ``input:NAME``, which only ``load_manifests(..., allow_unbound=True)`` gives.
    """

    files: tuple[str, ...]
    images: tuple[Image, ...]
    toolchain: str | None = None
    format_version: int | None = None
    align: int | None = None
    compress: str | None = None
    budget: Budget | None = None
    inputs: tuple[str, ...] = ()
    bind: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
