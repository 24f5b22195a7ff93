"""Where what build systems ask for lies: in the checkout that runs, else in the installed package."""

from __future__ import annotations

import os

from ..errors import OffloadError

__all__ = ["MAIN_FILE", "data_dir"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAIN_FILE = os.path.join(_PACKAGE, "__main__.py")
"""The file that a Python runs as the program, in a tenth less of the time than with ``-m``."""

_FOLDERS = {"cmake": "cmake", "scons": os.path.join("site_scons", "site_tools")}


def data_dir(face: str) -> str:
    """The folder for ``cmake`` or ``scons``.

    A checkout's own folders count before those in the package: an editable install holds old copies of them.
    """
    for root in (os.path.dirname(_PACKAGE), _PACKAGE):
        folder = os.path.join(root, _FOLDERS[face])
        is_checkout = root == _PACKAGE or os.path.exists(os.path.join(root, "pyproject.toml"))
        if is_checkout and os.path.isdir(folder):
            return folder
    raise OffloadError(f"the {face} files are missing from the installation under {_PACKAGE!r}; install again")
