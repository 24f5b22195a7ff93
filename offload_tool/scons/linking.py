"""What the link of a program with embedded images needs: clang as its driver, and the flag that starts its wrapper.

An ordinary link drops images of mode ``link`` without a word, and the linker pulls no stub out of a static archive.
Both are seen while the build files are read, when Program or a library is given the stub.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import SCons.Builder

from offload_tool.scons.faults import refuse
from offload_tool.scons.toolchain import is_clang

__all__ = ["MODES", "mark_stub", "watch_links"]

MODES = ("link", "wrap", "keep")
"""The words of ``embed.Mode``, which is loaded when something is embedded."""

_FLAG = "--offload-link"
_UNUSED_OR_NOT = f"--start-no-unused-arguments {_FLAG} --end-no-unused-arguments"
"""``-fopenmp-targets`` starts the wrapper too, but only beside ``-fopenmp``; clang warns of one flag too many."""
_LINKS = {
    "PROGEMITTER": ("Program", "LINK", "LINKFLAGS"),
    "SHLIBEMITTER": ("SharedLibrary", "SHLINK", "SHLINKFLAGS"),
    "LDMODULEEMITTER": ("LoadableModule", "LDMODULE", "LDMODULEFLAGS"),
}
_OTHER_MODES = "embed finished images by mode='wrap', or by mode='keep' for a program that loads them itself"


def mark_stub(node: Any, mode: str) -> None:
    """Notes on an object's node how it carries images."""
    node.attributes.offload_mode = mode
    node.attributes.shared = True  # it holds data alone, or position-independent code: any link may take it


def watch_links(env: Any) -> None:
    """Has every program and library of ``env`` look for stubs among its sources."""
    env["_OFFLOADLINKFLAGS"] = _link_flags
    for variable, words in _LINKS.items():
        _add_emitter(env, variable, partial(_linked, words=words))
    _add_emitter(env, "LIBEMITTER", _archived)


def _add_emitter(env: Any, variable: str, emitter: Any) -> None:
    present = env.get(variable) or []
    listed = list(present) if isinstance(present, list) else [present]
    listed = [SCons.Builder.EmitterProxy(item) if isinstance(item, str) else item for item in listed]
    env[variable] = [*listed, emitter]


def _stubs(nodes: Any, *modes: str) -> list[Any]:
    return [node for node in nodes if getattr(node.attributes, "offload_mode", None) in modes]


def _linked(target: Any, source: Any, env: Any, *, words: tuple[str, str, str]) -> tuple[Any, Any]:
    stubs = _stubs(source, "link")
    if stubs:
        call, driver_variable, flags_variable = words
        driver = str(env.subst(f"${driver_variable}", target=target, source=source))
        if not is_clang(env, driver):
            raise refuse(
                f"{call} {str(target[0])!r}",
                f"the images in {str(stubs[0])!r} were embedded by mode='link' and need clang as link driver, but "
                f"${driver_variable} is {driver!r}, which drops them; set it to clang, or {_OTHER_MODES}",
            )
        flags = str(env.subst(f"${flags_variable}", target=target, source=source))
        if _FLAG not in flags:
            _add_flag(env, flags_variable)
    return target, source


def _add_flag(env: Any, variable: str) -> None:
    """Adds a variable that each link expands for itself: programs without images are linked as before."""
    present = env.get(variable) or ""
    added = "$_OFFLOADLINKFLAGS"
    env[variable] = f"{present} {added}" if isinstance(present, str) else [*present, added]


def _link_flags(target: Any, source: Any, env: Any, for_signature: Any) -> str:  # noqa: ARG001  # SCons's names
    return _UNUSED_OR_NOT if _stubs(source or (), "link") else ""


def _archived(target: Any, source: Any, env: Any) -> tuple[Any, Any]:  # noqa: ARG001  # an emitter's arguments
    stubs = _stubs(source, "link", "wrap")
    if stubs:
        raise refuse(
            f"StaticLibrary {str(target[0])!r}",
            f"no linker takes the images in {str(stubs[0])!r} out of a static library, since nothing refers to them; "
            "give the object to the program, or embed by mode='keep'",
        )
    return target, source
