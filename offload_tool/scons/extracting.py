"""OffloadExtract: one image out of a fat binary, a host object or a program."""

from __future__ import annotations

from typing import Any

import SCons.Action
import SCons.Builder
import SCons.Node.FS

from offload_tool.actions.selecting import Selection
from offload_tool.errors import UsageError
from offload_tool.frozen import frozen
from offload_tool.scons.faults import check_overrides, refuse, told
from offload_tool.scons.nodes import path_of
from offload_tool.scons.options import selection_of
from offload_tool.scons.packing import digest_of

__all__ = ["offload_extract"]

_CALL = "OffloadExtract"


@frozen(eq=False)
class ExtractRequest:
    """Which image."""

    select: Selection

    def signature(self, target: Any, source: Any, env: Any, for_signature: Any) -> str:  # noqa: ARG002  # SCons's names
        """Changes with the selection and the packager."""
        return digest_of(sorted((key, sorted(values)) for key, values in self.select.criteria.items()))


def offload_extract(env: Any, target: Any, source: Any, select: Any = None, **overrides: Any) -> Any:
    """The one image of ``source`` that ``select`` matches, as the file ``target``.

    >>> env.OffloadExtract("saxpy.cubin", images, select={"arch": "sm_90"})  # doctest: +SKIP
    """
    check_overrides(_CALL, ("target", "source", "select"), overrides)
    try:
        request = ExtractRequest(select=selection_of(env, select, "select"))
    except UsageError as error:
        raise refuse(_CALL, str(error)) from None
    return _BUILDER(env, target, source, **overrides, _OFFLOADREQUEST=request, _OFFLOADSIGNATURE=request.signature)


def _emit(target: Any, source: Any, env: Any) -> tuple[Any, Any]:
    if len(target) != 1 or len(source) != 1:
        raise refuse(_CALL, f"{len(target)} targets of {len(source)} sources, expected one of one")
    env.Precious(target)
    return target, source


def _extract(target: Any, source: Any, env: Any) -> None:
    from offload_tool.actions.extract import ExtractOptions, extract

    with told(target):
        options = ExtractOptions(output=path_of(target[0]), select=env["_OFFLOADREQUEST"].select)
        extract(path_of(source[0]), options)


_BUILDER = SCons.Builder.Builder(
    name=_CALL,
    action=SCons.Action.Action(_extract, "$OFFLOADCOMSTR", varlist=["_OFFLOADSIGNATURE"]),
    emitter=_emit,
    src_suffix=".bin",
    source_factory=SCons.Node.FS.File,
    target_factory=SCons.Node.FS.File,
)
