"""``offload-tool extract``."""

from __future__ import annotations

from ..actions.extract import ExtractOptions, extract
from ..actions.selecting import Selection
from ..errors import UsageError
from .arguments import CommandParser
from .printing import say

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Extracts the chosen images."""
    options = command_parser().parse(arguments)
    if options.output is not None and options.folder is not None:
        raise UsageError("-o and -d exclude each other; -o names one file, -d a folder for many")
    names = extract(
        options.file,
        ExtractOptions(
            output=options.output,
            folder=options.folder,
            archive=options.archive,
            select=Selection.parse(options.select, compatible=options.compatible),
            index=options.index,
            all_images=options.all,
            strip=options.strip,
        ),
    )
    if options.output is None:
        for name in names:
            say(name)
    return 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "extract",
        description="Writes images of a fat binary, or of a file that holds one, to files of their own.",
        example="offload-tool extract images.bin --select arch=gfx90a -o saxpy.hsaco",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--select", action="append", default=[], metavar="KEY=VALUE,...", help="only these images")
    parser.add_argument("--index", metavar="N", help="only the image with this index in the listing")
    parser.add_argument("--all", action="store_true", help="images nested in images too")
    parser.add_argument(
        "--compatible",
        action="store_true",
        help="arch= is what the image is to run on: AMDGPU target ids that serve it",
    )
    parser.add_argument("--strip", metavar="OUT", help="also write the host without its offload sections")
    parser.add_argument("-o", dest="output", metavar="FILE", help="the one image, or the archive, into this file")
    parser.add_argument(
        "-d", dest="folder", metavar="DIR", help="each image into a file in this folder (default: here)"
    )
    parser.add_argument("--archive", action="store_true", help="the images into the static archive that -o names")
    return parser
