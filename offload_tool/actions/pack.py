"""Packing: images to one fat binary or one static archive, with what a build system needs around it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..codec.writer import NewImage, encode_string
from ..deps.depfile import doubtful
from ..errors import OffloadError, UsageError
from ..frozen import field, frozen
from ..manifest.values import Manifest
from ..model import DOCUMENTED, Image, toolchain_named
from .budget import check_budget
from .checking import check_equal_images, check_inputs_kept, warnings_for
from .claiming import forget_parts
from .dependencies import told_in_depfile
from .form import Form
from .image_bytes import copier, opened_image
from .outcome import Outcome, explained_full
from .output import STDOUT, check_output
from .planning import ImageFile, look_at, new_image
from .recording import forget_record, paths_beside
from .selecting import Selection, chosen
from .whole_files import WholeFiles
from .writing import Content, Copy, write_binaries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..containers.archive import Member

__all__ = ["PackOptions", "Packed", "pack"]

_NOTHING = Manifest(files=(), images=())


@frozen
class PackOptions:
    """How to pack.  None leaves a choice to the manifest; ``align`` counts bytes, ``compress``
    is ``zlib`` or ``zstd`` with an optional ``:LEVEL``.

    ``default_toolchain`` counts where neither ``toolchain`` nor a manifest says: build files pass what the packager
    of their compiler writes.  ``depfile_target`` is what the depfile names as built from its prerequisites, by
    default the stamp or the output; ``stamp`` is a file to touch after each success.  ``strict`` turns warnings into
    errors; ``check`` looks whether images are what they are declared to be, and within the manifest's budget.
    ``incremental`` leaves a record beside the output, and of an old output writes only the bytes that differ;
    ``explain`` asks why each image was or was not written.
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
    stamp: str | None = None
    write_if_changed: bool = False
    incremental: bool = False
    explain: bool = False
    strict: bool = False
    check: bool = True


@frozen
class Packed:
    """What was packed: the images in order, what the person should know of them, and explanations if asked for."""

    images: tuple[Image, ...]
    warnings: tuple[str, ...]
    explanations: tuple[str, ...] = ()


def pack(
    output: str,
    manifest: Manifest | None = None,
    options: PackOptions | None = None,
    *,
    images: Sequence[Image] = (),
) -> Packed:
    """Writes the fat binary, or the archive, of a manifest's images and then those in ``images`` to ``output``.

    Images are copied, never held in memory.  Raises OffloadError (ManifestError where a manifest is at fault); an
    old output stays then, and nothing half written is left.  (With ``incremental`` a full disk can cost the old one.)

    >>> pack("out.bin", load_manifest("images.yaml"))  # doctest: +SKIP
    """
    manifest, options = manifest or _NOTHING, options or PackOptions()
    form = _form(manifest, options)
    check_output(output)
    began_ns = time.time_ns()
    packed = chosen((*manifest.images, *images), options.select)
    inputs = [*manifest.files, *(image.file for image in packed)]
    with told_in_depfile(options.depfile, options.depfile_target, output, inputs, stamp=options.stamp):
        check_equal_images(packed)
        looked = look_at(packed, _whole_files(packed, options))
        outputs = [output, options.depfile or output, options.stamp or output, *paths_beside(output)]
        check_inputs_kept(outputs, looked, manifest.files)
        warnings = _warnings(looked, form, manifest, options)
        outcome = _write(output, looked, form, options, began_ns)
        if output != STDOUT:
            forget_parts(output)
    return Packed(
        images=tuple(packed),
        warnings=(*warnings, *outcome.warnings),
        explanations=tuple(outcome.explanations) if options.explain else (),
    )


def _whole_files(images: Sequence[Image], options: PackOptions) -> WholeFiles:
    """None where the bytes of most images are not needed, or are mapped."""
    return WholeFiles(0 if options.incremental or options.archive else len(images))


def _write(output: str, looked: Sequence[ImageFile], form: Form, options: PackOptions, began_ns: int) -> Outcome:
    if options.incremental and not options.archive and output != STDOUT:
        from .incremental import write_incrementally

        return write_incrementally(output, looked, form, began_ns=began_ns, keep_if_equal=options.write_if_changed)
    if options.archive:
        from .archiving import write_archive

        write_archive(output, _members(looked), keep_if_equal=options.write_if_changed)
    else:
        write_binaries(output, _written(looked, form), form, keep_if_equal=options.write_if_changed)
    if output != STDOUT:
        forget_record(output)
    why = "archives and standard output always are" if options.incremental else "incremental packing is off"
    return Outcome(explanations=explained_full(output, why, looked))


def _warnings(looked: Sequence[ImageFile], form: Form, manifest: Manifest, options: PackOptions) -> list[str]:
    """What to say of the images; raises OffloadError over the budget, or if there is anything and ``strict`` is set."""
    if options.check:
        check_budget(manifest.budget, looked)
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


def _written(looked: Sequence[ImageFile], form: Form) -> list[tuple[NewImage, Content]]:
    return [(new_image(one, form), copier(one) if one.content is None else one.content) for one in looked]


def _members(looked: Sequence[ImageFile]) -> list[tuple[Member, Copy]]:
    from ..containers.archive import unique_names
    from .archiving import member_name

    names = unique_names([member_name(one.image.file) for one in looked])
    return [_member(one, name) for one, name in zip(looked, names, strict=True)]


def _member(looked: ImageFile, name: str) -> tuple[Member, Copy]:
    from ..containers.archive import Member
    from .archiving import symbols_of
    from .mapping import mapped_descriptor

    with opened_image(looked) as descriptor:
        symbols = symbols_of(mapped_descriptor(descriptor))
    member = Member(name=encode_string(name), size=looked.size, symbols=symbols)
    return member, copier(looked)
