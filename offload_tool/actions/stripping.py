"""Hosts without their offload sections, by whichever ``objcopy`` there is."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Collection, Iterator

from ..errors import HostError, OffloadError
from ..wire.magic import THIN_ARCHIVE
from .copying import copy_range
from .file_state import OpenFile
from .mapping import mapped, opened
from .output import check_output, is_replaced, written
from .survey import survey
from .temporary import temporary_folder

__all__ = ["stripped"]

_OF_LLVM = ("llvm-objcopy", *(f"llvm-objcopy-{release}" for release in range(30, 14, -1)))
_OF_BINUTILS = ("objcopy",)


@contextlib.contextmanager
def stripped(source: OpenFile, output: str, sections: Collection[str]) -> Iterator[None]:
    """A copy of the host ``source`` without ``sections`` at ``output``, once what is done within succeeded.

    Raises OffloadError where the host is no object, program, library or archive that holds them, or changes meanwhile,
    HostError where no objcopy is to be found or none takes the file.  A copy that still holds images is a fault, too.
    """
    if not sections:
        raise OffloadError(f"{source.path!r} has no offload section to strip; it is no host")
    if os.pread(source.descriptor, len(THIN_ARCHIVE), 0) == THIN_ARCHIVE:  # objcopy would change the members themselves
        raise OffloadError(f"{source.path!r} is a thin archive, its members are files of their own; strip these")
    check_output(output)
    with temporary_folder() as folder:
        made = os.path.join(folder, "stripped")
        _strip(source.path, made, [f"--remove-section={section}" for section in sorted(sections)])
        source.state.check_path(source.path)
        if not _is_bare(made):
            raise OffloadError(
                f"objcopy leaves images in the copy of {source.path!r}: in members that it does not know"
            )
        with opened(made) as content, written(output, keep_mode=False) as target:
            copy_range(content, 0, os.fstat(content).st_size, target)
            if is_replaced(output):
                os.fchmod(target, stat.S_IMODE(os.fstat(source.descriptor).st_mode) & 0o777)
            yield


def _is_bare(path: str) -> bool:
    """GNU's objcopy copies members of an archive as they are, with a warning, where they are no objects."""
    with mapped(path) as data:
        try:
            return not survey(data, path)
        except OffloadError:  # an archive without its thin members, which lie elsewhere
            return False


def _strip(path: str, made: str, options: list[str]) -> None:
    """By LLVM's program; what that does not take, GNU's may."""
    from .compiler import run

    refusal = HostError("no objcopy is to be found; install binutils or llvm")
    for names in (_OF_LLVM, _OF_BINUTILS):
        program = next((found for name in names if (found := shutil.which(name))), None)
        if program is not None:
            try:
                run([program, *options, path, made])
            except HostError as error:
                refusal = error
            else:
                return
    raise refusal
