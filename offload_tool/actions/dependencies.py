"""Depfiles and stamps around an action: refused before anything is written, written after everything else was."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from ..codec.writer import encode_string
from ..deps.depfile import depfile_text, with_more
from ..deps.packager import PACKAGER_FOLDER, loaded_modules
from ..errors import OffloadError, UsageError
from .copying import write_all
from .output import check_output, written

__all__ = ["told_in_depfile", "touch"]


@contextlib.contextmanager
def told_in_depfile(
    depfile: str | None, target: str | None, output: str, inputs: Iterable[str], *, stamp: str | None = None
) -> Iterator[None]:
    """Writes ``depfile`` once what is done within succeeded: ``target``, or else ``output``, is built from ``inputs``.

    Then ``stamp`` is touched, for rules whose output may keep its age; it is what is built if no target is named.

    Those of the packager's own modules that were loaded for it are among the inputs.  Raises OffloadError, before
    anything is done, for a path that no depfile can say and for a depfile that cannot be written or would take the
    output's place.
    """
    for what, path in (("depfile", depfile), ("stamp", stamp)):
        if path is not None:
            check_output(path)
            if os.path.abspath(path) == os.path.abspath(output):
                raise UsageError(f"the {what} would replace the output {output!r}; name another file")
    if depfile is None:
        yield
    else:
        text = depfile_text(target or stamp or output, map(os.path.abspath, inputs))
        depfile_text(depfile, [PACKAGER_FOLDER])  # what no depfile can say is refused before anything is done
        yield
        with written(depfile) as descriptor:
            write_all(descriptor, encode_string(with_more(text, loaded_modules())))
    if stamp is not None:
        touch(stamp)


def touch(stamp: str) -> None:
    """Makes a file, or makes it younger; raises OffloadError where that cannot be."""
    try:
        descriptor = os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        try:
            os.utime(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise OffloadError(f"stamp {stamp!r}: {error.strerror or error}") from error
