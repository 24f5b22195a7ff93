"""``offload-tool completion``."""

from __future__ import annotations

from .arguments import CommandParser
from .printing import say_lines

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Prints the script that a shell reads."""
    from .completion_scripts import SCRIPTS

    options = command_parser().parse(arguments)
    say_lines(SCRIPTS[options.shell]())
    return 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "completion",
        description="Prints what makes a shell complete commands, options and their values.  For bash put "
        "'source <(offload-tool completion bash)' into ~/.bashrc; for zsh write it to a file _offload-tool in a folder "
        "of $fpath; for fish to ~/.config/fish/completions/offload-tool.fish.",
        example="offload-tool completion bash",
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    return parser
