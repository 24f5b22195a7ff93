"""The files that a thin archive names."""

from __future__ import annotations

import os

from ..errors import FormatError
from .mapping import mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..containers.archive_reader import ArchiveMember

__all__ = ["ThinMembers"]


class ThinMembers:
    """The files that the thin archive at ``path`` names, relative to its folder; some are members of other archives.

    ``path`` is None in what a thin archive names: no thin archive is read there, it could name itself over and over.
    Tools that make thin archives put the members of the other one in its place.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._within: dict[str, dict[int, memoryview]] = {}

    def data_of(self, member: ArchiveMember) -> memoryview:
        """The bytes of a thin member; raises OffloadError if its file cannot be read."""
        if member.origin is None:
            with mapped(self._place(member.name)) as data:
                return data
        if member.name not in self._within:
            self._within[member.name] = self._members_of(member.name)
        if member.origin not in self._within[member.name]:
            raise FormatError(f"archive {member.name!r} has no member at byte {member.origin}", offset=0)
        return self._within[member.name][member.origin]

    def _members_of(self, name: str) -> dict[int, memoryview]:
        from ..containers.archive_reader import members

        with mapped(self._place(name)) as data:
            return {one.header_offset: data[one.offset : one.offset + one.size] for one in members(data)}

    def _place(self, name: str) -> str:
        if self._path is None:
            raise FormatError("a thin archive stands in what a thin archive names; name its members instead", offset=0)
        return os.path.join(os.path.dirname(self._path), name)
