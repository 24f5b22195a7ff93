"""What can go wrong, told to a person: the fault first, the offending value in repr, what to do.

Every level that knows a place (file, line, byte offset, member) adds it; only the command line prints.
"""

from __future__ import annotations

from .frozen import frozen

__all__ = ["Fault", "FormatError", "HostError", "ManifestError", "OffloadError", "UsageError"]


class OffloadError(Exception):
    """Base of every error that this package raises on purpose."""


class UsageError(OffloadError):
    """The caller asked for something that cannot be meant: a wrong option, a wrong argument."""


class HostError(OffloadError):
    """A host object or a tool that makes one is at fault: the compiler, the linker, the object format."""


class FormatError(OffloadError):
    """Bytes that are not what their format promises.

    ``offset`` counts bytes from the start of the buffer that was read; ``what`` is the fault without its place.

    >>> str(FormatError("version 9 is not known, expected 1", offset=4))
    'version 9 is not known, expected 1 (at byte 4)'
    """

    def __init__(self, what: str, *, offset: int) -> None:
        super().__init__(what, offset)
        self.what = what
        self.offset = offset

    def __str__(self) -> str:
        return f"{self.what} (at byte {self.offset})"

    def shifted(self, distance: int) -> FormatError:
        """The same fault, told from ``distance`` bytes further out."""
        return FormatError(self.what, offset=self.offset + distance)


@frozen
class Fault:
    """One fault of a manifest: where it stands (line and column from 1) and what it is.

    >>> str(Fault(file="m.yaml", line=3, column=5, message="unknown key 'tripel'"))
    "m.yaml:3:5: error: unknown key 'tripel'"
    """

    file: str
    line: int
    column: int
    message: str
    severity: str = "error"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message}"


class ManifestError(OffloadError):
    """A manifest with one or more faults, all found in one run (``faults``, in file order)."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))
