"""OffloadEmbed: a fat binary as a host object for Program and SharedLibrary."""

from __future__ import annotations

from typing import Any

import SCons.Builder
import SCons.Node.FS

from offload_tool.frozen import frozen
from offload_tool.model import closest
from offload_tool.scons.explaining import explained_action, settings_text
from offload_tool.scons.faults import check_overrides, refuse, told
from offload_tool.scons.linking import MODES, mark_stub
from offload_tool.scons.nodes import path_of
from offload_tool.scons.packing import digest_of
from offload_tool.scons.toolchain import compiler_of
from offload_tool.scons.unsupported import warn_of_ninja

__all__ = ["offload_embed"]

_CALL = "OffloadEmbed"


@frozen(eq=False)
class EmbedRequest:
    """How to embed."""

    mode: str
    symbol: str | None

    def signature(self, target: Any, source: Any, env: Any, for_signature: Any) -> str:  # noqa: ARG002  # SCons's names
        """Changes with the options, the compiler's command line and the packager."""
        return digest_of(self.mode, self.symbol, compiler_of(env))

    def settings(self, _target: Any, env: Any) -> str:
        """The same for people."""
        return settings_text(_CALL, [("mode", self.mode), ("symbol", self.symbol), ("compiler", compiler_of(env))])


def offload_embed(
    env: Any, target: Any, fatbin: Any, mode: str = "link", symbol: str | None = None, **overrides: Any
) -> Any:
    """The object that carries ``fatbin``; give it to Program among the sources.

    ``mode`` is ``link``, ``wrap`` or ``keep``; ``symbol`` names the bytes for ``keep``.
    Raises UserError for a mode or a symbol that cannot be meant.

    >>> env.Program("app", ["main.c", env.OffloadEmbed("app_images", images, mode="keep")])  # doctest: +SKIP
    """
    check_overrides(_CALL, ("target", "fatbin", "mode", "symbol"), overrides)
    warn_of_ninja(env)
    mode = _mode(str(env.subst(mode)))
    request = EmbedRequest(mode=mode, symbol=_symbol(env, symbol, mode))
    return _BUILDER(env, target, fatbin, **overrides, _OFFLOADREQUEST=request, _OFFLOADSIGNATURE=request.signature)


def _mode(word: str) -> str:
    if word not in MODES:
        hint = closest(word, MODES) or f"; expected one of {', '.join(MODES)}"
        raise refuse(_CALL, f"unknown mode {word!r}{hint}")
    return word


def _symbol(env: Any, symbol: str | None, mode: str) -> str | None:
    if symbol is None:
        return None
    name = str(env.subst(symbol))
    if mode != "keep":
        raise refuse(_CALL, f"symbol {name!r} is for mode 'keep' alone, not for {mode!r}")
    if not (name.isascii() and name.isidentifier()):
        raise refuse(_CALL, f"symbol {name!r} is no C identifier")
    return name


def _emit(target: Any, source: Any, env: Any) -> tuple[Any, Any]:
    if len(target) != 1 or len(source) != 1:
        raise refuse(_CALL, f"{len(source)} fat binaries into {len(target)} objects, expected one into one")
    mark_stub(target[0], env["_OFFLOADREQUEST"].mode)
    return target, source


def _embed(target: Any, source: Any, env: Any) -> None:
    # Loaded here: most runs of a build embed nothing, and its readers of host objects are slow to load.
    from offload_tool.actions.embed import EmbedOptions, Mode, embed

    request = env["_OFFLOADREQUEST"]
    options = EmbedOptions(mode=Mode(request.mode), compiler=compiler_of(env) or None, symbol=request.symbol)
    with told(target):
        embed(path_of(source[0]), path_of(target[0]), options)


_BUILDER = SCons.Builder.Builder(
    name=_CALL,
    action=explained_action(_embed),
    emitter=_emit,
    suffix="$OBJSUFFIX",
    src_suffix=".bin",
    source_factory=SCons.Node.FS.File,
    target_factory=SCons.Node.FS.File,
)
