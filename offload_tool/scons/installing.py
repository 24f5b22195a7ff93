"""Install of an export: its images go with its manifest, which SCons's own Install would copy alone."""

from __future__ import annotations

from functools import partial
from typing import Any

from offload_tool.scons.exporting import offload_export
from offload_tool.scons.faults import refuse
from offload_tool.scons.nodes import export_of

__all__ = ["watch_installs"]


def watch_installs(env: Any) -> None:
    """Has ``env.Install`` export exports once more, into the directory that it is given."""
    for name, method in (("Install", _install), ("InstallAs", _install_as)):
        present: Any = getattr(env, name, None)
        if hasattr(present, "method") and getattr(present.method, "func", None) is not method:
            env.AddMethod(partial(method, present.method), name)


def _install(
    original: Any,
    env: Any,
    target: Any = None,
    source: Any = None,
    dir: Any = None,  # noqa: A002  # SCons's name
    **more: Any,
) -> Any:
    nodes = env.arg2nodes(source, env.fs.Entry)
    exports = [node for node in nodes if export_of(node) is node]
    if not exports:
        return original(env, target, source, dir, **more)
    # It also loads SCons's install tool, and with that the option that is asked for below.
    installed = list(original(env, target, [node for node in nodes if node not in exports], dir, **more))
    for folder in env.arg2nodes(dir or target, _factory(env).Dir):
        for export in exports:
            installed += _registered(offload_export(env, folder, export, **more), env)
    return installed


def _install_as(original: Any, env: Any, target: Any = None, source: Any = None, **more: Any) -> Any:
    for node in env.arg2nodes(source, env.fs.Entry):
        if export_of(node) is node:
            raise refuse("InstallAs", f"the export {str(node)!r} keeps its name beside its images; use Install")
    return original(env, target, source, **more)


def _factory(env: Any) -> Any:
    """Where directories are looked up: below ``--install-sandbox``, if that is given."""
    import SCons.Script
    import SCons.Tool.install

    sandbox = SCons.Script.GetOption("install_sandbox")
    return SCons.Tool.install.DESTDIR_factory(env, sandbox) if sandbox else env.fs


def _registered(targets: Any, env: Any) -> Any:
    """Has ``FindInstalledFiles`` know the targets."""
    import SCons.Tool.install

    SCons.Tool.install.add_targets_to_INSTALLED_FILES(targets, [], env)
    return targets
