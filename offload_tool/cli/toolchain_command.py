"""``offload-tool toolchain``: for build files that pass on what the compiler's own packager writes."""

from __future__ import annotations

from ..actions.probing import probe_toolchain
from .arguments import CommandParser
from .printing import say

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Prints the toolchain's name, or nothing where the compiler has no packager."""
    found = probe_toolchain(command_parser().parse(arguments).cc)
    if found is not None:
        say(found)
    return 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "toolchain",
        description="Prints the toolchain whose bytes a compiler's own packager writes; nothing if it has none.",
        example="offload-tool toolchain --cc clang-22",
    )
    parser.add_argument("--cc", metavar="CC", help="C compiler driver and flags (default: $CC, else cc)")
    return parser
