"""``offload-tool``: finds the command and runs it; a fault is one line, never a traceback.

Exit status: 0 done; 1 the input is at fault, or there is nothing to do what was asked with; 2 wrong use.
"""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from typing import Any

from ..errors import ManifestError, OffloadError, UsageError
from .printing import complain

__all__ = ["COMMANDS", "PROGRAM", "main"]

PROGRAM = "offload-tool"
COMMANDS = {
    "pack": "images to a fat binary or an archive",
    "list": "the images in files",
    "extract": "images out of a file",
    "embed": "a fat binary into a host object",
    "manifest": "check or show a manifest",
    "export": "a manifest and its images for another project",
    "toolchain": "which toolchain a compiler's packager stands for",
}

_USAGE = f"""usage: {PROGRAM} COMMAND ...
       {PROGRAM} --version | --cmake-dir | --scons-dir | --help

commands ('{PROGRAM} COMMAND --help' tells more):
"""


def main(arguments: list[str] | None = None) -> int:
    """Runs one command line; gives its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    signal.signal(signal.SIGTERM, _terminated)
    try:
        return _run(arguments)
    except ManifestError as error:
        complain(str(error))
        return 1
    except UsageError as error:
        complain(f"{PROGRAM}: error: {error}")
        return 2
    except OffloadError as error:
        complain(f"{PROGRAM}: error: {error}")
        return 1
    except BrokenPipeError:
        from ..actions.output import forget_stdout

        forget_stdout()
        return 1
    except KeyboardInterrupt:
        return 130


def _run(arguments: list[str]) -> int:
    if not arguments:
        complain(_help())
        return 2
    first, rest = arguments[0], arguments[1:]
    if first in COMMANDS:
        command: Any = import_module(f".{first}_command", __package__)
        return int(command.run(rest))
    if first in ("-h", "--help"):
        print(_help())
    elif first == "--version":
        from ..version import __version__

        print(f"{PROGRAM} {__version__}")
    elif first in ("--cmake-dir", "--scons-dir"):
        from .data_dirs import data_dir

        print(data_dir(first[2:].removesuffix("-dir")))
    else:
        raise UsageError(f"unknown command {first!r}; see {PROGRAM} --help")
    return 0


def _help() -> str:
    return _USAGE + "\n".join(f"  {name:<10}{what}" for name, what in COMMANDS.items())


def _terminated(_number: int, _frame: object) -> None:
    raise SystemExit(143)
