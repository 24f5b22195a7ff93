"""One manifest that says where every image lies: other packs of the same build include it."""

from __future__ import annotations

from ..manifest.values import Manifest
from .checking import check_equal_images
from .copying import write_all
from .exported_text import manifest_text
from .output import written

__all__ = ["resolve"]


def resolve(manifest: Manifest, path: str) -> None:
    """Writes to ``path`` a manifest of the same images with the absolute paths of their files.

    Nothing in it depends on what it is read with: inputs are bound, variables filled in, included images chosen.  It
    names no toolchain and no form, which are for the pack that includes it to say.  The images need not be there yet.
    A file of the same bytes is left untouched.  Raises OffloadError if it cannot be written or two images are equal.

    >>> resolve(load_manifest("images.yaml"), "resolved.yaml")  # doctest: +SKIP
    """
    check_equal_images(manifest.images)
    text = manifest_text((image, image.file) for image in manifest.images)
    with written(path, keep_if_equal=True) as descriptor:
        write_all(descriptor, text)
