"""Device images in, fat binaries out: pack, list, extract and embed LLVM offload binaries.

>>> from offload_tool import load_manifest, pack, read_images
>>> pack("out.bin", load_manifest("images.yaml"))  # doctest: +SKIP
>>> [image.arch for image in read_images("out.bin")]  # doctest: +SKIP
['gfx90a', 'sm_80']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .version import __version__

if TYPE_CHECKING:
    from .actions.pack import Packed, PackOptions, pack
    from .actions.survey import FoundImage, read_images
    from .errors import FormatError, HostError, ManifestError, OffloadError, UsageError
    from .manifest.load import load_manifest
    from .manifest.values import Manifest
    from .model import Image, ImageKind, OffloadKind

__all__ = [
    "FormatError",
    "FoundImage",
    "HostError",
    "Image",
    "ImageKind",
    "Manifest",
    "ManifestError",
    "OffloadError",
    "OffloadKind",
    "PackOptions",
    "Packed",
    "UsageError",
    "__version__",
    "load_manifest",
    "pack",
    "read_images",
]

_HOMES = {
    ".actions.pack": ("PackOptions", "Packed", "pack"),
    ".actions.survey": ("FoundImage", "read_images"),
    ".errors": ("FormatError", "HostError", "ManifestError", "OffloadError", "UsageError"),
    ".manifest.load": ("load_manifest",),
    ".manifest.values": ("Manifest",),
    ".model": ("Image", "ImageKind", "OffloadKind"),
}


def __getattr__(name: str) -> object:
    """Names load their module when first asked for: importing the package costs nothing."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home, __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
