"""``offload-tool embed``."""

from __future__ import annotations

from ..actions.embed import DEFAULT_SYMBOL, EmbedOptions, Mode, embed
from .arguments import CommandParser, add_depfile_options

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Embeds a fat binary."""
    options = command_parser().parse(arguments)
    embed(
        options.fat,
        options.output,
        EmbedOptions(
            mode=Mode(options.mode),
            compiler=options.cc,
            symbol=options.symbol,
            depfile=options.depfile,
            depfile_target=options.depfile_target,
            stamp=options.stamp,
        ),
    )
    return 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "embed",
        description="Makes a host object that carries a fat binary.",
        example="offload-tool embed images.bin -o images.o --mode link --cc clang-22",
    )
    parser.add_argument("fat", metavar="FAT", help="a fat binary, as pack writes it")
    parser.add_argument("-o", dest="output", required=True, metavar="HOST.o", help="the object to write")
    parser.add_argument(
        "--mode",
        choices=[mode.value for mode in Mode],
        default=Mode.LINK.value,
        help="link: relocatable images, clang links; wrap: finished images, registered at start, any linker; "
        "keep: bytes between symbols, for programs that load images themselves (default: link)",
    )
    parser.add_argument("--cc", metavar="CC", help="C compiler driver and flags (default: $CC, else cc)")
    parser.add_argument(
        "--symbol", metavar="NAME", help=f"keep: NAME_start, NAME_end, NAME_size (default: {DEFAULT_SYMBOL})"
    )
    add_depfile_options(parser, "HOST.o")
    return parser
