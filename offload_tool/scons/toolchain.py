"""The compiler of a construction environment, and the toolchain that its own packager stands for."""

from __future__ import annotations

import shlex
from functools import cache
from typing import Any

from offload_tool.actions.compiler import run
from offload_tool.actions.probing import probe_toolchain
from offload_tool.errors import OffloadError

__all__ = ["compiler_of", "default_toolchain", "is_clang", "located"]


def compiler_of(env: Any) -> str:
    """The C compiler driver and its flags: OFFLOADCC, else $CC; empty where neither is set.

    The program is looked for where the environment's own compile commands find it.
    """
    written = str(env.get("OFFLOADCC") or "").strip() or "$CC"
    return located(env, str(env.subst(written)).strip())


def located(env: Any, command: str) -> str:
    """A command with the path of its program, if that is to be found in the environment's PATH."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    path = env.WhereIs(words[0]) if words else None
    return shlex.join([path, *words[1:]]) if path else command


def default_toolchain(env: Any) -> str | None:
    """The toolchain of the compiler's packager; None where there is no compiler, or none with a packager."""
    compiler = compiler_of(env)
    return _probed(compiler) if compiler else None


@cache
def _probed(compiler: str) -> str | None:
    try:
        return probe_toolchain(compiler)
    except OffloadError:
        return None


def is_clang(env: Any, command: str) -> bool:
    """Whether a link command runs clang, by its own words and not by its name: ``cc`` may be either."""
    return _says_clang(located(env, command))


@cache
def _says_clang(command: str) -> bool:
    try:
        return "clang" in run([*shlex.split(command), "--version"])
    except (OffloadError, ValueError):
        return False
