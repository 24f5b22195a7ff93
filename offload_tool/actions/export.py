"""A copy of manifests that another project can include: one manifest with relative names, the images beside it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence

from ..errors import OffloadError
from ..frozen import replace
from ..manifest.expand import file_name_part
from ..manifest.values import Manifest
from .checking import check_equal_images
from .claiming import claimed_folder
from .copying import write_all
from .exported_text import images_named, manifest_text
from .file_names import portable_names
from .image_bytes import copy_image
from .output import check_output, same_bytes, written
from .planning import ImageFile, look_at

__all__ = ["EXPORTED_IMAGES", "EXPORTED_MANIFEST", "export", "exported_files", "without"]

EXPORTED_MANIFEST = "offload.yaml"
EXPORTED_IMAGES = "images"
"""The folder of the images, beside the manifest."""


def export(manifest: Manifest, folder: str, *, includes: Sequence[str] = ()) -> list[str]:
    """Writes ``folder/offload.yaml`` and the images that it names into ``folder/images``; gives the files' paths.

    The manifest is JSON text and holds no path of this machine; files that are there with the same bytes are left
    untouched.  All are written beside their places before the first one takes its place, so a failure leaves an old
    copy as it was.  Images that an earlier export wrote there, and this one does not name, are removed.  Raises
    OffloadError where an image cannot be read (nothing is written then) or a file not be written, and where the copy
    would take the place of what it is made from.

    ``includes`` are the names of other exported copies that the written manifest includes; see ``without``.

    >>> export(load_manifest("images.yaml"), "share/offload")  # doctest: +SKIP
    ['share/offload/images/k.cubin', 'share/offload/offload.yaml']
    """
    check_equal_images(manifest.images)
    looked = look_at(manifest.images)
    _check_apart(manifest, folder)
    names = _names(looked)
    images = os.path.join(folder, EXPORTED_IMAGES)
    _make(images)
    _check_no_link(images)
    old = exported_files(folder)
    paths = [*(os.path.join(images, name) for name in names.values()), os.path.join(folder, EXPORTED_MANIFEST)]
    for path in paths:
        check_output(path)
    by_file = {one.image.file: one for one in looked}
    with _stage(folder) as stage:
        staged = [os.path.join(stage, f"{index}.part") for index in range(len(paths))]
        for file, path in zip(names, staged, strict=False):
            with written(path) as copy:
                copy_image(by_file[file], copy)
        with written(staged[-1]) as descriptor:
            write_all(descriptor, _text(manifest, names, includes))
        _put_in_place(staged, paths)
    for path in {*old} - {*paths}:
        with contextlib.suppress(OSError):
            os.unlink(path)
    return paths


def without(manifest: Manifest, others: Iterable[Manifest]) -> Manifest:
    """The manifest less the images that others declare, because they come by copies that are included."""
    taken = {(image.identity(), image.declared) for other in others for image in other.images}
    kept = (image for image in manifest.images if (image.identity(), image.declared) not in taken)
    return replace(manifest, images=tuple(kept))


def exported_files(folder: str) -> list[str]:
    """The files that an export into ``folder`` left there: what its manifest names, be it there or not.

    Empty where there is no manifest as ``export`` writes it.
    """
    path = os.path.join(folder, EXPORTED_MANIFEST)
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return []
    named = images_named(text)
    if named is None or not all(map(_is_name_of_ours, named)):
        return []
    return [*(os.path.join(folder, name) for name in named), path]


def _is_name_of_ours(name: str) -> bool:
    folder, _, file = name.partition("/")
    return folder == EXPORTED_IMAGES and file == _plain(file)


def _check_apart(manifest: Manifest, folder: str) -> None:
    """Raises OffloadError if a file that is read lies where the copy is to be."""
    images = os.path.realpath(os.path.join(folder, EXPORTED_IMAGES))
    for file in dict.fromkeys(image.file for image in manifest.images):
        if os.path.realpath(os.path.dirname(file)) == images:
            raise OffloadError(f"image {file!r} lies in the folder that is exported to; name another folder")
    target = os.path.realpath(os.path.join(folder, EXPORTED_MANIFEST))
    for file in manifest.files:
        if os.path.realpath(file) == target:
            raise OffloadError(f"manifest {file!r} is what the export would write; name another folder")


def _names(looked: list[ImageFile]) -> dict[str, str]:
    """A name of its own for each file, the same whatever folder the file was in."""
    files = list(dict.fromkeys(one.image.file for one in looked))
    return dict(zip(files, portable_names([_plain(os.path.basename(file)) for file in files]), strict=True))


def _plain(name: str) -> str:
    return file_name_part(name).lstrip(".") or "image"


def _text(manifest: Manifest, names: dict[str, str], includes: Sequence[str]) -> bytes:
    said = {"toolchain": manifest.toolchain, "format_version": manifest.format_version, "align": manifest.align,
            "compress": manifest.compress}  # fmt: skip
    images = ((image, f"{EXPORTED_IMAGES}/{names[image.file]}") for image in manifest.images)
    return manifest_text(images, said=said, includes=includes)


def _make(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise OffloadError(f"folder {folder!r}: {error.strerror}") from None


def _check_no_link(folder: str) -> None:
    """The folder's name is given by nobody, so that a link of that name is not followed."""
    if os.path.islink(folder):
        raise OffloadError(f"folder {folder!r} is a symbolic link; remove it")


@contextlib.contextmanager
def _stage(folder: str) -> Iterator[str]:
    """A folder beside the places of the files, gone on leaving."""
    try:
        with claimed_folder(folder, "offload-export") as stage:
            yield stage
    except OSError as error:
        raise OffloadError(f"folder {folder!r}: {error.strerror}") from error


def _put_in_place(staged: Sequence[str], paths: Sequence[str]) -> None:
    """Each file in its place, the manifest last; one that is there with the same bytes stays."""
    for part, path in zip(staged, paths, strict=True):
        if os.path.islink(path) or not same_bytes(part, path):
            try:
                os.replace(part, path)
            except OSError as error:
                raise OffloadError(f"output {path!r}: {error.strerror}") from None
