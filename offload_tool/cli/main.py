"""``offload-tool``: finds the command and runs it; a fault is one line, never a traceback.

Exit status: 0 done; 1 the input is at fault, or there is nothing to do what was asked with; 2 wrong use.
"""

from __future__ import annotations

import signal
import sys

from ..errors import OffloadError, UsageError
from .printing import complain, complain_lines, complain_of, flush, system_words
from .process import run_as_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["COMMANDS", "GLOBAL_OPTIONS", "INTERRUPTED", "PROGRAM", "console", "main", "run_command"]

PROGRAM = "offload-tool"
COMMANDS = {
    "pack": "images to a fat binary or an archive",
    "list": "the images in files",
    "extract": "images out of a file",
    "pick": "the image that would be loaded on a device, and why",
    "inspect": "GPU targets and kernels in files and trees",
    "mcp": "inspect as a tool of an assistant, over stdin and stdout",
    "report": "a page that shows where the bytes of device code go",
    "diff": "images added, removed and changed between two files",
    "verify": "whether images are what they are declared to be",
    "embed": "a fat binary into a host object",
    "manifest": "check or show a manifest",
    "export": "a manifest and its images for another project",
    "batch": "many commands in one process",
    "toolchain": "which toolchain a compiler's packager stands for",
    "completion": "what a shell completes, for bash, zsh and fish",
    "manual": "the manual page of a command",
}

INTERRUPTED = 130
"""The exit status of a command that a person ended."""

_SHOW_SOURCE = "--show-source"
GLOBAL_OPTIONS = (_SHOW_SOURCE, "--version", "--cmake-dir", "--scons-dir", "--main-file", "--help")
"""What stands without a command, or before it."""
_USAGE = f"""usage: {PROGRAM} COMMAND ...
       {PROGRAM} {_SHOW_SOURCE} COMMAND ...    below each fault of a manifest its line, as on a terminal
       {PROGRAM} --version | --cmake-dir | --scons-dir | --main-file | --help

commands ('{PROGRAM} COMMAND --help' tells more):
"""


def console() -> NoReturn:
    """What the installed command runs."""
    run_as_process(main)


def main(arguments: list[str] | None = None) -> int:
    """Runs one command line; gives its exit status."""
    signal.signal(signal.SIGTERM, _terminated)
    return run_command(sys.argv[1:] if arguments is None else arguments)


def run_command(arguments: list[str]) -> int:
    """The same for one of several command lines of a process."""
    show_source = arguments[:1] == [_SHOW_SOURCE]
    try:
        status = _run(arguments[1:] if show_source else arguments)
        flush()
    except OffloadError as error:
        complain_of(error, PROGRAM, show_source=show_source)
        return 2 if isinstance(error, UsageError) else 1
    except BrokenPipeError:
        from ..actions.output import forget_stdout

        forget_stdout()
        return 1
    except OSError as error:
        complain(f"{PROGRAM}: error: {system_words(error)}")
        return 1
    except MemoryError:
        complain(f"{PROGRAM}: error: out of memory")
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    else:
        return status


def _run(arguments: list[str]) -> int:
    if not arguments:
        complain_lines(_help())
        return 2
    first, rest = arguments[0], arguments[1:]
    if first in COMMANDS:
        # import_module() would do, but its package loads others that nothing here needs.
        command: Any = __import__(f"{__package__}.{first}_command", fromlist=("run",))
        return int(command.run(rest))
    if first in ("-h", "--help"):
        print(_help())
    elif first == "--version":
        from ..version import __version__

        print(f"{PROGRAM} {__version__}")
    elif first in ("--cmake-dir", "--scons-dir"):
        from .data_dirs import data_dir

        print(data_dir(first[2:].removesuffix("-dir")))
    elif first == "--main-file":
        from .data_dirs import MAIN_FILE

        print(MAIN_FILE)
    else:
        raise UsageError(f"unknown command {first!r}; see {PROGRAM} --help")
    return 0


def _help() -> str:
    return _USAGE + "\n".join(f"  {name:<11}{what}" for name, what in COMMANDS.items())


def _terminated(_number: int, _frame: object) -> None:
    raise SystemExit(143)
