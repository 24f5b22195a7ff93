"""The environment that everything measured runs in: like that of an installed package, whoever measures."""

from __future__ import annotations

import os
import subprocess
import sys

import offload_tool

__all__ = ["settle_environment"]

_KEPT = {"PYTHONPATH", "PYTHONHOME"}
_BUILDS = {"CC", "CXX", "CFLAGS", "LDFLAGS", "MAKEFLAGS", "NINJA_STATUS", "OFFLOAD_TOOLCHAIN", "SCONSFLAGS"}


def settle_environment(folder: str) -> None:
    """Forgets the person's settings of Python and of builds, and keeps bytecode in ``folder``.

    pip compiles what it installs.  A checkout may have no bytecode, and a setting may forbid to write any: then every
    start would compile, which no user of the package pays.
    """
    for name in list(os.environ):
        if (name.startswith("PYTHON") and name not in _KEPT) or name in _BUILDS:
            del os.environ[name]
    os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "bytecode")
    assert offload_tool.__file__ is not None
    probe = [sys.executable, "-c", "import offload_tool; print(offload_tool.__file__)"]
    found = subprocess.run(probe, capture_output=True, text=True, check=False, cwd=folder)
    if found.stdout.strip() != offload_tool.__file__:  # a checkout that is not installed
        path = [os.path.dirname(os.path.dirname(offload_tool.__file__)), os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(part for part in path if part)
