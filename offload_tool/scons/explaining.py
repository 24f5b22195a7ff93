"""What ``scons --debug=explain`` says of an action: the settings behind it, so that a changed one can be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import SCons.Action

from offload_tool.actions.packager import packager_digest

__all__ = ["explained_action", "settings_text"]

_ENOUGH = 12


def explained_action(function: Callable[..., None]) -> Any:
    """An action whose signature is the request's, and whose text is what ``settings`` of the request says.

    SCons keeps that text beside the signature.  When the signature alone has changed, it shows the old and the new one.
    """
    action = SCons.Action.Action(function, "$OFFLOADCOMSTR", varlist=["_OFFLOADSIGNATURE"])
    action.genstring = _settings
    return action


def _settings(target: Any, source: Any, env: Any, executor: Any = None) -> str:  # noqa: ARG001  # SCons's names
    return str(env["_OFFLOADREQUEST"].settings(target, env))


def settings_text(call: str, settings: Iterable[tuple[str, Any]]) -> str:
    """The settings that are not empty, and a short name of the packager's own code."""
    told = [f"{name}={value!r}" for name, value in settings if value not in ("", None, [], {})]
    return " ".join([call, *told, f"packager={packager_digest()[:_ENOUGH]}"])
