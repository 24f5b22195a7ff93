"""``offload-tool export``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ..actions.dependencies import told_in_depfile
from ..actions.export import EXPORTED_MANIFEST, export, without
from ..actions.resolving import resolve
from ..actions.selecting import Selection, chosen
from ..errors import UsageError
from ..frozen import replace
from ..manifest.values import Manifest
from .arguments import CommandParser, Options, add_depfile_options, add_manifest_options, pairs
from .manifests import manifest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Exports manifests and their images, or resolves them."""
    options = command_parser().parse(arguments)
    if (options.folder is None) == (options.output is None):
        raise UsageError("name either the folder of a copy with -d or the file of a manifest with -o")
    if options.output is not None and options.include:
        raise UsageError("--include belongs to a copy; give -d instead of -o")
    select = Selection.parse(options.select)
    resolving = options.output is not None
    # What is required may come by the manifests that will include a resolved one.
    manifest = manifest_of(options.manifest, options, others=None if resolving else (), images_only=resolving)
    manifest = replace(manifest, images=tuple(chosen(manifest.images, select)))
    if resolving:
        with _told(options, options.output, manifest.files):
            resolve(manifest, options.output)
        return 0
    includes = _included(options)
    files = dict.fromkeys(file for one in (manifest, *includes.values()) for file in one.files)
    manifest = without(manifest, includes.values())
    inputs = [*files, *(image.file for image in manifest.images)]
    made = os.path.join(options.folder, EXPORTED_MANIFEST)
    with _told(options, made, inputs):
        export(manifest, options.folder, includes=[*includes])
    return 0


def _told(options: Options, output: str, inputs: Sequence[str]) -> AbstractContextManager[None]:
    return told_in_depfile(options.depfile, options.depfile_target, output, inputs, stamp=options.stamp)


def _included(options: Options) -> Mapping[str, Manifest]:
    """What ``--include`` names, read as the manifests themselves are."""
    named = pairs(options.include, "--include")
    return {name: manifest_of([path], options, others=None, images_only=True) for name, path in named}


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "export",
        description="Makes a copy that another project can include: a manifest with relative names, images beside it.",
        example="offload-tool export images.yaml -d share/offload",
    )
    parser.add_argument("manifest", nargs="+", metavar="MANIFEST", help="manifests, one after the other")
    parser.add_argument("-d", dest="folder", metavar="DIR", help="the folder, made if it is not there")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="no copy: one manifest that names the images where they lie"
    )
    parser.add_argument("--select", action="append", default=[], metavar="KEY=VALUE,...", help="only these images")
    parser.add_argument(
        "--include", action="append", default=[], metavar="NAME=MANIFEST",
        help="leave out the images of MANIFEST: the copy includes NAME, which has them",
    )  # fmt: skip
    add_manifest_options(parser)
    add_depfile_options(parser, "the manifest that is written")
    return parser
