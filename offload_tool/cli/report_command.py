"""``offload-tool report``."""

from __future__ import annotations

from typing import Any

from .arguments import CommandParser, add_quiet_option
from .printing import say
from .progress import progress

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Writes the report; exit status 1 where nothing of a file could be read."""
    from ..actions.reporting.page import write_report

    options = command_parser().parse(arguments)
    paths = [path for path in (options.file, options.other) if path is not None]
    with progress(f"reading {' and '.join(map(repr, paths))}", str, quiet=options.quiet):
        model = write_report(paths, options.output)
    if options.output != "-":
        say(f"{options.output}: {'; '.join(_told(model, one) for one in model['files'])}")
    return 1 if any(one["coverage"] == "malformed" for one in model["files"]) else 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "report",
        description="Writes one page for a browser that shows where a file's bytes of device code go: by vendor, "
        "target, image and kernel, what is in it twice, and what compression would save.  With two files it shows "
        "how OTHER differs from FILE, too.",
        example="offload-tool report libsaxpy.so -o report.html",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("other", metavar="OTHER", nargs="?")
    parser.add_argument("-o", "--output", required=True, metavar="PAGE", help="the page; - is stdout")
    add_quiet_option(parser)
    return parser


def _told(model: dict[str, Any], one: dict[str, Any]) -> str:
    counts = one["counts"]
    told = ", ".join(f"{counts[name]} {noun if counts[name] == 1 else f'{noun}s'}"
                     for name, noun in (("objects", "image"), ("kernels", "kernel")))  # fmt: skip
    return f"{told} of {model['strings'][one['name']]}"
