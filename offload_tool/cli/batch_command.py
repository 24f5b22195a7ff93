"""``offload-tool batch``."""

from __future__ import annotations

from collections.abc import Sequence

from ..actions.batch import read_commands, tell_together
from ..errors import UsageError
from .arguments import CommandParser, add_depfile_options
from .main import COMMANDS, INTERRUPTED, run_command

__all__ = ["command_parser", "run"]

_DEPFILE = "--depfile"


def run(arguments: list[str]) -> int:
    """Runs all commands, whatever becomes of those before; gives the largest of their exit statuses."""
    options = command_parser().parse(arguments)
    commands = read_commands(options.file)
    for number, words in enumerate(commands, 1):
        if words[0] == "batch" or words[0] not in COMMANDS:
            raise UsageError(f"{options.file!r}, line {number}: {words[0]!r} is no command that a batch runs")
    depfiles = _depfiles(commands) if options.depfile is not None else []
    status = _run_all(commands)
    if status == 0:
        target = options.depfile_target or options.stamp or options.file
        tell_together(options.depfile, target, depfiles, options.file, stamp=options.stamp)
    return status


def _run_all(commands: Sequence[Sequence[str]]) -> int:
    status = 0
    for words in commands:
        try:
            ended = run_command([*words])
        except SystemExit as told:  # a command that only shows its help, or this process is to end
            if told.code:
                raise
            continue
        status = max(status, ended)
        if ended == INTERRUPTED:
            break
    return status


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "batch",
        description="Runs the commands in a file, each a line with a JSON list of words, in one process.",
        example="offload-tool batch packs.jsonl --stamp packs.stamp --depfile packs.d",
    )
    parser.add_argument("file", metavar="FILE", help='lines such as ["pack", "images.yaml", "-o", "images.bin"]')
    add_depfile_options(parser, "FILE")
    return parser


def _depfiles(commands: Sequence[Sequence[str]]) -> list[str]:
    """Those that the commands write; what is read in all stands in them."""
    found = []
    for words in commands:
        places = [place for place, word in enumerate(words[:-1]) if word == _DEPFILE]
        if len(places) != 1:
            raise UsageError(f"{_DEPFILE} needs one in each command; {' '.join(words[:2])!r} has {len(places)}")
        found.append(words[places[0] + 1])
    return found
