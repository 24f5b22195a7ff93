"""Hosts without their offload sections, by whichever ``objcopy`` there is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection

from ..errors import HostError, OffloadError
from .copying import copy_range
from .file_state import OpenFile
from .mapping import opened
from .output import check_output, written
from .temporary import temporary_folder

__all__ = ["strip"]

_PROGRAMS = ("llvm-objcopy", *(f"llvm-objcopy-{release}" for release in range(30, 14, -1)), "objcopy")


def strip(source: OpenFile, output: str, sections: Collection[str]) -> None:
    """A copy of the host ``source`` without ``sections``, at ``output``.

    Raises OffloadError where the host is no object, program, library or archive of them or changes meanwhile, HostError
    where no objcopy is to be found or it refuses the file.
    """
    if not sections:
        raise OffloadError(f"{source.path!r} has no offload section to strip; it is no host")
    check_output(output)
    program = next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        raise HostError("no objcopy is to be found; install binutils or llvm")
    from .compiler import run

    with temporary_folder() as folder:
        made = os.path.join(folder, "stripped")
        removed = [f"--remove-section={section}" for section in sorted(sections)]
        run([program, *removed, source.path, made])
        source.state.check_path(source.path)
        with opened(made) as stripped, written(output) as target:
            copy_range(stripped, 0, os.fstat(stripped).st_size, target)
