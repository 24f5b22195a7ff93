"""The host compiler and LLVM's programs, run without a shell; their words are passed on when they fail."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence

from ..errors import HostError
from ..wire import elf_head

__all__ = ["check_elf", "compiler_command", "default_compiler", "host_triple", "program_of", "run"]


def default_compiler() -> str:
    """``$CC``, else ``cc``."""
    return os.environ.get("CC") or "cc"


def compiler_command(compiler: str) -> list[str]:
    """A compiler and its flags as a command; raises HostError where there is no such program."""
    try:
        command = shlex.split(compiler)
    except ValueError as error:
        raise HostError(f"compiler {compiler!r} cannot be split into words: {error}") from None
    if not command or shutil.which(command[0]) is None:
        raise HostError(f"compiler {compiler!r} is not to be found; name another with --cc or CC")
    return command


def run(command: Sequence[str], folder: str | None = None) -> str:
    """Runs a program in ``folder`` and gives its stdout; raises HostError with its words if it fails."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise HostError(f"{command[0]!r} cannot be run: {error.strerror}") from None
    if done.returncode != 0:
        words = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise HostError(f"{shlex.join(command)} failed with status {done.returncode}: {words}")
    return done.stdout.decode("utf-8", "replace")


def program_of(command: Sequence[str], names: Sequence[str]) -> str | None:
    """The path of the first of ``names`` that a compiler driver knows as its own program, or None."""
    for name in names:
        path = run([*command, f"-print-prog-name={name}"]).strip()
        if os.path.isabs(path) and os.access(path, os.X_OK):
            return path
    return None


def host_triple(command: Sequence[str]) -> str:
    """The triple that a compiler driver makes code for, in the four parts that LLVM wants."""
    parts = run([*command, "-dumpmachine"]).strip().split("-")
    return "-".join([parts[0], "unknown", *parts[1:]] if len(parts) == 3 else parts)


def check_elf(path: str) -> None:
    """Raises HostError where an object that a compiler has made is no ELF file."""
    with open(path, "rb") as made:
        if not elf_head.matches(made.read(len(elf_head.MAGIC))):
            raise HostError("the compiler made no ELF object; offload-tool embeds into ELF hosts")
