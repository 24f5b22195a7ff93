"""Depfiles around an action: refused before anything is written, written after everything else was."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ..codec.writer import encode_string
from ..deps.depfile import depfile_text
from ..deps.packager import packager_modules
from ..errors import UsageError
from .copying import write_all
from .output import check_output, written

__all__ = ["told_in_depfile"]


@contextmanager
def told_in_depfile(depfile: str | None, target: str | None, output: str, inputs: Iterable[str]) -> Iterator[None]:
    """Writes ``depfile`` once what is done within succeeded: ``target``, or else ``output``, is built from ``inputs``.

    The packager's own modules are among the inputs.  Raises OffloadError, before anything is done, for a path that no
    depfile can say and for a depfile that cannot be written or would take the output's place.
    """
    if depfile is None:
        yield
        return
    check_output(depfile)
    if os.path.abspath(depfile) == os.path.abspath(output):
        raise UsageError(f"the depfile would replace the output {output!r}; name another file")
    text = depfile_text(target or output, (*map(os.path.abspath, inputs), *packager_modules()))
    yield
    with written(depfile) as descriptor:
        write_all(descriptor, encode_string(text))
