"""Files and folders for the time of one action, in the system's folder for them; its faults are told as its own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ..errors import OffloadError

__all__ = ["remove_folder", "temporary_faults", "temporary_file", "temporary_folder"]


@contextlib.contextmanager
def temporary_faults() -> Iterator[None]:
    """Turns OSError into an OffloadError that names the folder for temporary files: it may be the one that is full."""
    try:
        yield
    except OSError as error:
        folder = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108  # only told
        raise OffloadError(f"temporary file in {folder!r}: {error.strerror or error}") from error


@contextlib.contextmanager
def temporary_file() -> Iterator[int]:
    """A descriptor of a new file without a name, to read and write; only its making raises OffloadError."""
    import tempfile

    with contextlib.ExitStack() as closing:
        with temporary_faults():
            file = closing.enter_context(tempfile.TemporaryFile(buffering=0))
        yield file.fileno()


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """A new folder, gone afterwards; every OSError within is told as its own."""
    import tempfile

    with temporary_faults():
        folder = tempfile.mkdtemp(prefix="offload-tool-")
        try:
            yield folder
        finally:
            remove_folder(folder)


def remove_folder(path: str) -> None:
    """Removes a folder with all that is in it; what cannot be removed stays, and is no fault."""
    import shutil

    with contextlib.suppress(OSError):  # closing may raise whatever is to be ignored
        shutil.rmtree(path, ignore_errors=True)
