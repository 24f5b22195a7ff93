"""``offload-tool pack``."""

from __future__ import annotations

from collections.abc import Sequence

from ..actions.image_arguments import image_of_argument
from ..actions.pack import Packed, PackOptions, pack
from ..actions.selecting import Selection
from ..errors import UsageError
from ..model import Image
from .arguments import CommandParser, Options, add_depfile_options, add_manifest_options, add_quiet_option
from .manifests import manifest_of
from .plain_words import EITHER
from .printing import complain
from .progress import progress, written_text

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Packs what the command line says."""
    options = command_parser().parse(arguments)
    if not options.manifest and not options.image:
        raise UsageError("nothing to pack; name a manifest or give --image")
    images = [image for text in options.image for image in image_of_argument(text)]
    with progress(f"packing {options.output!r}", written_text, quiet=options.quiet):
        packed = _packed(options, images)
    for warning in packed.warnings:
        complain(f"offload-tool: warning: {warning}")
    for explanation in packed.explanations:
        complain(f"offload-tool: {explanation}")
    return 0


def _packed(options: Options, images: Sequence[Image]) -> Packed:
    return pack(
        options.output,
        manifest_of(options.manifest, options, others=images) if options.manifest else None,
        PackOptions(
            toolchain=options.toolchain,
            default_toolchain=options.default_toolchain,
            format_version=options.format_version,
            align=options.align,
            compress=options.compress,
            archive=options.archive,
            select=Selection.parse(options.select),
            depfile=options.depfile,
            depfile_target=options.depfile_target,
            stamp=options.stamp,
            write_if_changed=options.write_if_changed,
            incremental=options.incremental,
            explain=options.explain,
            strict=options.strict,
            check=options.check,
        ),
        images=images,
    )


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "pack",
        description="Packs device images into an LLVM offload binary, or into a static archive.",
        example="offload-tool pack images.yaml -o images.bin --toolchain llvm-22",
    )
    parser.add_argument("manifest", nargs="*", metavar="MANIFEST", help="manifests, packed one after the other")
    parser.add_argument("-o", dest="output", required=True, metavar="OUT", help="the fat binary or archive to write")
    parser.add_argument(
        "--image", action="append", default=[], metavar="KEY=VALUE,...", help="one more image: file, triple, kind, arch"
    )
    add_manifest_options(parser)
    _add_form_options(parser)
    _add_build_options(parser)
    return parser


def _add_form_options(parser: CommandParser) -> None:
    parser.add_argument("--archive", action="store_true", help="write a static archive of the images")
    parser.add_argument("--toolchain", metavar="T", help="who reads the result: documented, llvm-15 ... llvm-24")
    parser.add_argument(
        "--default-toolchain", metavar="T", help="the same, where neither --toolchain nor a manifest says"
    )
    parser.add_argument("--format-version", type=int, metavar="N", help="version of the offload binary")
    parser.add_argument("--align", type=int, metavar="N", help="sizes and image offsets become multiples of N bytes")
    parser.add_argument("--compress", metavar="CODEC[:LEVEL]", help="zlib or zstd; needs format version 3")
    parser.add_argument("--select", action="append", default=[], metavar="KEY=VALUE,...", help="pack only these images")


def _add_build_options(parser: CommandParser) -> None:
    add_depfile_options(parser, "OUT")
    parser.add_argument("--write-if-changed", action="store_true", help="leave an output of the same bytes untouched")
    parser.add_argument(
        "--incremental",
        action=EITHER,
        default=False,
        help="write only what differs from the last pack, of which a record beside OUT tells",
    )
    add_quiet_option(parser)
    parser.add_argument("--explain", action="store_true", help="say why each image was or was not written")
    parser.add_argument("--strict", action="store_true", help="make warnings errors")
    parser.add_argument(
        "--no-check", dest="check", action="store_false", help="do not look whether images are what they are called"
    )
