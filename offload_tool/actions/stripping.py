"""Hosts without their offload sections, by whichever ``objcopy`` there is."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection

from ..errors import HostError, OffloadError
from .copying import copy_range
from .output import check_output, written

__all__ = ["strip"]

_PROGRAMS = ("llvm-objcopy", *(f"llvm-objcopy-{release}" for release in range(30, 14, -1)), "objcopy")


def strip(path: str, output: str, sections: Collection[str]) -> None:
    """A copy of the host ``path`` without ``sections``, at ``output``.

    Raises OffloadError where the host is no object, program, library or archive of them, HostError where no objcopy is
    to be found or it refuses the file.
    """
    if not sections:
        raise OffloadError(f"{path!r} has no offload section to strip; it is no host")
    check_output(output)
    program = next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        raise HostError("no objcopy is to be found; install binutils or llvm")
    from .compiler import run

    with tempfile.TemporaryDirectory(prefix="offload-tool-") as folder:
        made = os.path.join(folder, "stripped")
        removed = [f"--remove-section={section}" for section in sorted(sections)]
        run([program, *removed, path, made])
        with open(made, "rb") as source, written(output) as target:
            copy_range(source.fileno(), 0, os.fstat(source.fileno()).st_size, target)
