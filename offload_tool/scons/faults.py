"""Faults in SCons's own terms: at read time a UserError, in an action a BuildError, never a traceback."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import SCons.Errors
import SCons.Warnings

from offload_tool.errors import OffloadError
from offload_tool.model import closest

__all__ = ["check_overrides", "refuse", "told", "warn"]

_OVERRIDES_OF_SCONS = ("chdir", "srcdir", "exitstatfunc")


def refuse(call: str, message: str) -> Exception:
    """The error that ends reading the build files; ``call`` is what the person wrote, such as ``OffloadImage``.

    The place of the call is part of the message: SCons itself shows the line of this package that raised.
    """
    error: Exception = SCons.Errors.UserError(f"{_place_of_call()}{call}: {message}")
    return error


def _place_of_call() -> str:
    """``FILE:LINE: `` of the build file that is being read; nothing outside of one."""
    for frame in reversed(traceback.extract_stack()):
        is_ours = frame.filename.startswith(os.path.dirname(os.path.abspath(__file__)))
        if not is_ours and f"{os.sep}SCons{os.sep}" not in frame.filename:
            return f"{os.path.relpath(frame.filename)}:{frame.lineno}: "
    return ""


@contextmanager
def told(target: Sequence[Any]) -> Iterator[None]:
    """Turns this package's errors into a BuildError of the target.

    A single line follows the target's name; the faults of a manifest, if there are several, stand on lines of their
    own, so that each begins with its file.
    """
    try:
        yield
    except OffloadError as error:
        text = str(error)
        raise SCons.Errors.BuildError(target[0], f"\n{text}" if "\n" in text else text) from None
    except SCons.Warnings.SConsWarning as error:  # a UserError too; raised where warnings are exceptions
        raise SCons.Errors.BuildError(target[0], " ".join(map(str, error.args[0]))) from None
    except SCons.Errors.UserError as error:
        raise SCons.Errors.BuildError(target[0], str(error)) from None
    except OSError as error:
        raise SCons.Errors.BuildError(target[0], f"{error.filename!r}: {error.strerror}") from None


def warn(messages: Iterable[str]) -> None:
    """Passes warnings on as SCons's own, which ``--warn=no-all`` silences."""
    for message in messages:
        SCons.Warnings.warn(SCons.Warnings.WarningOnByDefault, f"offload: {message}")


def check_overrides(call: str, known: Sequence[str], overrides: Mapping[str, Any]) -> None:
    """Refuses a keyword that is neither an argument of the call nor a construction variable.

    SCons takes any keyword for a variable to override, so that a misspelt argument would do nothing.
    """
    for name in overrides:
        if not (name[:1].isupper() or name.startswith("_") or name in _OVERRIDES_OF_SCONS):
            hint = closest(name, tuple(known)) or f"; expected one of {', '.join(known)}, or a construction variable"
            raise refuse(call, f"unknown argument {name!r}{hint}")
