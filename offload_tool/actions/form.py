"""The form of a fat binary: format version, alignment, compression, and the numbers that go with them."""

from __future__ import annotations

from collections.abc import Mapping

from ..codec.layout import ALIGNMENT, VERSIONS, Version
from ..codec.writer import checked_align
from ..errors import UsageError
from ..frozen import frozen
from ..model import OffloadKind, Toolchain, kind_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..wire.deflate import Compression

__all__ = ["Form"]


@frozen
class Form:
    """What a fat binary is written as; ``align`` counts bytes, ``compression`` None means plain."""

    toolchain: Toolchain
    version: Version
    align: int = ALIGNMENT
    compression: Compression | None = None

    @classmethod
    def checked(
        cls, toolchain: Toolchain, *, format_version: int | None, align: int | None, compress: str | None
    ) -> Form:
        """What was asked for, None where nothing was; raises UsageError where one wish excludes another."""
        number = toolchain.format_version if format_version is None else format_version
        if number not in toolchain.reads:
            known = ", ".join(map(str, toolchain.reads))
            raise UsageError(f"format version {number} is not read by toolchain {toolchain.name!r}; it reads {known}")
        version = VERSIONS[number]
        if compress is not None and not version.is_compressible:
            raise UsageError(f"compress {compress!r} needs format version 3, version {number} is asked for")
        checked = ALIGNMENT if align is None else checked_align(align)
        if checked > ALIGNMENT and not version.is_single:
            raise UsageError(f"align {checked} needs format version 1, version {number} is asked for")
        return cls(toolchain=toolchain, version=version, align=checked, compression=_parsed(compress))

    @property
    def kind_numbers(self) -> Mapping[OffloadKind, int]:
        """The numbers of the offload kinds: from format version 2 on there is only the newer numbering."""
        return kind_numbers(self.toolchain, self.version.number)


def _parsed(compress: str | None) -> Compression | None:
    if compress is None:
        return None
    from ..wire.deflate import Compression

    return Compression.parse(compress)
