"""Packing: images to one fat binary or one static archive, with what a build system needs around it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..codec.writer import NewImage, encode_string
from ..containers.archive import Member, unique_names
from ..deps.depfile import doubtful
from ..errors import OffloadError, UsageError
from ..manifest.values import Manifest
from ..model import DOCUMENTED, Image, toolchain_named
from .archiving import member_name, symbols_of, write_archive
from .checking import check_equal_images, check_inputs_kept, warnings_for
from .copying import copy_range
from .dependencies import told_in_depfile
from .form import Form
from .mapping import mapped_descriptor
from .output import check_output
from .planning import ImageFile, at_fault, look_at, new_image, open_image
from .selecting import Selection, chosen
from .writing import Copy, write_binaries

__all__ = ["PackOptions", "Packed", "pack"]

_NOTHING = Manifest(files=(), images=())


@dataclass(frozen=True, slots=True, kw_only=True)
class PackOptions:
    """How to pack.  None leaves a choice to the manifest; ``align`` counts bytes, ``compress``
    is ``zlib`` or ``zstd`` with an optional ``:LEVEL``.

    ``default_toolchain`` counts where neither ``toolchain`` nor a manifest says: build files pass what the packager
    of their compiler writes.  ``depfile_target`` is what the depfile names as built from its prerequisites, by
    default the output.  ``strict`` turns warnings into errors; ``check`` looks whether images are what they are
    declared to be.
    """

    toolchain: str | None = None
    default_toolchain: str | None = None
    format_version: int | None = None
    align: int | None = None
    compress: str | None = None
    archive: bool = False
    select: Selection = field(default_factory=Selection)
    depfile: str | None = None
    depfile_target: str | None = None
    write_if_changed: bool = False
    strict: bool = False
    check: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What was packed: the images in order, and what the person should know of them."""

    images: tuple[Image, ...]
    warnings: tuple[str, ...]


def pack(
    output: str,
    manifest: Manifest | None = None,
    options: PackOptions | None = None,
    *,
    images: Sequence[Image] = (),
) -> Packed:
    """Writes the fat binary, or the archive, of a manifest's images and then those in ``images`` to ``output``.

    Images are copied, never held in memory.  Raises OffloadError (ManifestError where a manifest is at fault); an
    old output stays then, and nothing half written is left.

    >>> pack("out.bin", load_manifest("images.yaml"))  # doctest: +SKIP
    """
    manifest, options = manifest or _NOTHING, options or PackOptions()
    form = _form(manifest, options)
    check_output(output)
    packed = chosen((*manifest.images, *images), options.select)
    inputs = [*manifest.files, *(image.file for image in packed)]
    with told_in_depfile(options.depfile, options.depfile_target, output, inputs):
        check_equal_images(packed)
        looked = look_at(packed)
        check_inputs_kept([output, options.depfile or output], looked, manifest.files)
        warnings = _warnings(looked, form, manifest, options)
        if options.archive:
            write_archive(output, _members(looked), keep_if_equal=options.write_if_changed)
        else:
            write_binaries(output, _written(looked, form), form, keep_if_equal=options.write_if_changed)
    return Packed(images=tuple(packed), warnings=tuple(warnings))


def _warnings(looked: Sequence[ImageFile], form: Form, manifest: Manifest, options: PackOptions) -> list[str]:
    """What to say of the images; raises OffloadError if there is anything and ``strict`` is set."""
    named = _toolchain_name(manifest, options) is not None
    warnings = [*warnings_for(looked, form, named=named)] if options.check else []
    warnings += _doubtful_paths(looked) if options.depfile is not None else []
    if options.strict and warnings:
        raise OffloadError(f"{'; '.join(warnings)} (an error because of --strict)")
    return warnings


def _toolchain_name(manifest: Manifest, options: PackOptions) -> str | None:
    return options.toolchain or manifest.toolchain or options.default_toolchain


def _form(manifest: Manifest, options: PackOptions) -> Form:
    if options.archive and (options.align, options.format_version, options.compress) != (None, None, None):
        raise UsageError("align, format version and compression have no meaning for an archive; leave them out")
    name = _toolchain_name(manifest, options)
    return Form.checked(
        toolchain_named(name) if name else DOCUMENTED,
        format_version=manifest.format_version if options.format_version is None else options.format_version,
        align=manifest.align if options.align is None else options.align,
        compress=manifest.compress if options.compress is None else options.compress,
    )


def _doubtful_paths(looked: Sequence[ImageFile]) -> list[str]:
    paths = doubtful(one.image.file for one in looked)
    return [
        f"path {path!r} holds a character that ninja misreads in a depfile; it packs at every build" for path in paths
    ]


def _written(looked: Sequence[ImageFile], form: Form) -> list[tuple[NewImage, Copy]]:
    return [(new_image(one, form), _copier(one)) for one in looked]


def _copier(looked: ImageFile) -> Copy:
    return lambda target: _copy_image(looked, target)


def _members(looked: Sequence[ImageFile]) -> list[tuple[Member, Copy]]:
    names = unique_names([member_name(one.image.file) for one in looked])
    return [_member(one, name) for one, name in zip(looked, names, strict=True)]


def _member(looked: ImageFile, name: str) -> tuple[Member, Copy]:
    descriptor = open_image(looked.image)
    try:
        symbols = symbols_of(mapped_descriptor(descriptor))
    finally:
        os.close(descriptor)
    member = Member(name=encode_string(name), size=looked.size, symbols=symbols)
    return member, _copier(looked)


def _copy_image(looked: ImageFile, target: int) -> None:
    """The image's bytes, which must still be the file that the plan was made from."""
    try:
        descriptor = open_image(looked.image)
    except OSError as error:
        raise at_fault([(looked.image, f"image {looked.image.file!r}: {error.strerror}")]) from None
    try:
        _check_unchanged(looked, descriptor)
        copy_range(descriptor, 0, looked.size, target)
        _check_unchanged(looked, descriptor)
    finally:
        os.close(descriptor)


def _check_unchanged(looked: ImageFile, descriptor: int) -> None:
    status = os.fstat(descriptor)
    if (status.st_size, status.st_mtime_ns) != (looked.size, looked.mtime_ns):
        raise at_fault([(looked.image, f"image {looked.image.file!r} changed while it was packed; run again")])
