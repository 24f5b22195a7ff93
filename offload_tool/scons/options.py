"""The construction variables OFFLOAD...: their values after expansion, as text for signatures and as pack options."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import SCons.Util

from offload_tool.actions.pack import PackOptions
from offload_tool.actions.selecting import Selection
from offload_tool.errors import UsageError
from offload_tool.scons.toolchain import default_toolchain

__all__ = ["defines_of", "expanded", "option_texts", "pack_options", "search_of", "selection_of", "variable_texts"]

_SIGNED = (
    "OFFLOADALIGN",
    "OFFLOADCHECK",
    "OFFLOADCOMPRESS",
    "OFFLOADDEFINES",
    "OFFLOADFORMATVERSION",
    "OFFLOADPATH",
    "OFFLOADSELECT",
    "OFFLOADSTRICT",
    "OFFLOADTOOLCHAIN",
)
_FALSE = ("", "0", "false", "no", "none", "off")
_TRUE = ("1", "true", "yes", "on", "all")


def expanded(env: Any, name: str) -> str:
    """A variable's text after expansion; empty where it is not set."""
    value = env.get(name)
    return "" if value is None else str(env.subst(str(value))).strip()


def option_texts(env: Any) -> list[Any]:
    """What the options are after expansion, for a signature: raises nothing, whatever was written.

    Options that change whether packing succeeds are among them: stricter checks must look at an old output again.
    """
    toolchain = expanded(env, "OFFLOADTOOLCHAIN") or default_toolchain(env)
    return [toolchain, *variable_texts(env, _SIGNED)]


def variable_texts(env: Any, names: Iterable[str]) -> list[tuple[str, Any]]:
    """Each variable with its value after expansion, for a signature."""
    texts = [(name, _plain(env, env.get(name))) for name in names]
    return [(name, _folders_within(env, value) if name == "OFFLOADPATH" else value) for name, value in texts]


def _folders_within(env: Any, texts: Any) -> list[str]:
    """Folders as written, absolute ones from the top directory: so they read the same in every checkout."""
    try:
        return [env.fs.Dir(text).get_internal_path() if os.path.isabs(text) else text for text in _listed(texts)]
    except (TypeError, ValueError):  # no folder, or no text at all
        return [repr(texts)]


def pack_options(env: Any, *, archive: bool) -> PackOptions:
    """The options of a pack; raises UsageError that names the variable at fault."""
    toolchain = expanded(env, "OFFLOADTOOLCHAIN") or None
    return PackOptions(
        toolchain=toolchain,
        default_toolchain=default_toolchain(env) if toolchain is None else None,
        # One environment packs binaries and archives; an archive has no form to choose.
        format_version=None if archive else _number(env, "OFFLOADFORMATVERSION"),
        align=None if archive else _number(env, "OFFLOADALIGN"),
        compress=None if archive else expanded(env, "OFFLOADCOMPRESS") or None,
        archive=archive,
        select=selection_of(env, env.get("OFFLOADSELECT"), "OFFLOADSELECT"),
        incremental=_flag(env, "OFFLOADINCREMENTAL", default=True),  # not signed: the bytes are the same
        strict=_flag(env, "OFFLOADSTRICT", default=False),
        check=_flag(env, "OFFLOADCHECK", default=True),
    )


def selection_of(env: Any, value: Any, name: str) -> Selection:
    """A selection written as a mapping of keys to one value or several, or as ``KEY=VALUE`` texts.

    Raises UsageError that names ``name``.
    """
    plain = _plain(env, value)
    if isinstance(plain, dict):
        return Selection.of((key, text) for key, texts in plain.items() for text in _listed(texts))
    texts = [text for text in _listed(plain) if text]
    try:
        return Selection.parse(map(str, texts))
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from None


def defines_of(env: Any) -> dict[str, str]:
    """The manifest variables in OFFLOADDEFINES: a mapping, or ``NAME=VALUE`` texts."""
    plain = _plain(env, env.get("OFFLOADDEFINES"))
    if isinstance(plain, dict):
        return {name: str(value) for name, value in plain.items()}
    found = {}
    for text in _listed(plain):
        name, equals, value = str(text).partition("=")
        if text and not (name and equals):
            raise UsageError(f"OFFLOADDEFINES: {text!r} is no pair; expected NAME=VALUE, or a mapping")
        found.update({name: value} if text else {})
    return found


def search_of(env: Any, folder: Any) -> tuple[Any, ...]:
    """The folders in OFFLOADPATH, where included manifests are looked for; ``folder`` is that of the build file."""
    value = env.get("OFFLOADPATH") or []
    listed = value if SCons.Util.is_Sequence(value) else [value]
    return tuple((folder or env.fs.Top).Rfindalldirs(tuple(env.subst_path(listed))))


def _plain(env: Any, value: Any) -> Any:
    """A value with every text in it expanded."""
    if isinstance(value, Mapping):
        return {str(env.subst(str(key))): _plain(env, item) for key, item in value.items()}
    if SCons.Util.is_Sequence(value):
        return [_plain(env, item) for item in value]
    return "" if value is None else str(env.subst(str(value)))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _number(env: Any, name: str) -> int | None:
    text = expanded(env, name)
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise UsageError(f"{name}: {text!r} is no whole number")
    return int(text)


def _flag(env: Any, name: str, *, default: bool) -> bool:
    text = expanded(env, name).lower()
    if env.get(name) is None:
        return default
    if text not in _FALSE + _TRUE:
        raise UsageError(f"{name}: {text!r} is neither true nor false")
    return text in _TRUE
