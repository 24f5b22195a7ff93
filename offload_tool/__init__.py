"""Device images in, fat binaries out: pack, list, extract and embed LLVM offload binaries.

>>> from offload_tool import load_manifest, pack, read_images
>>> pack("out.bin", load_manifest("images.yaml"))  # doctest: +SKIP
>>> [image.arch for image in read_images("out.bin")]  # doctest: +SKIP
['gfx90a', 'sm_80']
"""

from __future__ import annotations

from .version import __version__

TYPE_CHECKING = False  # as type checkers read it; the module typing costs start-up
if TYPE_CHECKING:
    from .actions.diff import ChangedImage, ChangedKernel, Difference, diff_files
    from .actions.inspection.report import Inspection, inspect_file
    from .actions.inspection.request import inspect_gpu_code_objects
    from .actions.pack import Packed, PackOptions, pack
    from .actions.pick import Pick, pick_file, pick_images
    from .actions.survey import FoundImage, read_images
    from .actions.verify import Verified, VerifyFault, verify
    from .errors import FormatError, HostError, ManifestError, OffloadError, UsageError
    from .manifest.load import load_manifest
    from .manifest.values import Manifest
    from .model import Image, ImageKind, OffloadKind

__all__ = [
    "ChangedImage",
    "ChangedKernel",
    "Difference",
    "FormatError",
    "FoundImage",
    "HostError",
    "Image",
    "ImageKind",
    "Inspection",
    "Manifest",
    "ManifestError",
    "OffloadError",
    "OffloadKind",
    "PackOptions",
    "Packed",
    "Pick",
    "UsageError",
    "Verified",
    "VerifyFault",
    "__version__",
    "diff_files",
    "inspect_file",
    "inspect_gpu_code_objects",
    "load_manifest",
    "pack",
    "pick_file",
    "pick_images",
    "read_images",
    "verify",
]

_HOMES = {
    ".actions.diff": ("ChangedImage", "ChangedKernel", "Difference", "diff_files"),
    ".actions.inspection.report": ("Inspection", "inspect_file"),
    ".actions.inspection.request": ("inspect_gpu_code_objects",),
    ".actions.pack": ("PackOptions", "Packed", "pack"),
    ".actions.pick": ("Pick", "pick_file", "pick_images"),
    ".actions.survey": ("FoundImage", "read_images"),
    ".actions.verify": ("Verified", "VerifyFault", "verify"),
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
