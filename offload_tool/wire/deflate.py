"""Compressed streams, written piece by piece."""

from __future__ import annotations

import zlib
from typing import Protocol

from ..errors import UsageError
from ..frozen import frozen

__all__ = ["Compression", "Compressor"]

_DEFAULT_LEVELS = {"zlib": 6, "zstd": 5}


class Compressor(Protocol):
    """Takes bytes and gives compressed ones, as it sees fit; ``flush`` gives the rest."""

    def compress(self, data: memoryview | bytes, /) -> bytes:
        """Compressed bytes that are ready."""
        ...

    def flush(self) -> bytes:
        """The end of the stream."""
        ...


@frozen
class Compression:
    """A codec and its level: zlib 0 to 9; zstd up to 22, negative ones too."""

    codec: str
    level: int

    @classmethod
    def parse(cls, text: str) -> Compression:
        """From ``zlib``, ``zstd``, ``zlib:9`` or ``zstd:-5``; raises UsageError for anything else.

        >>> Compression.parse("zstd:-5")
        Compression(codec='zstd', level=-5)
        """
        codec, colon, level = text.partition(":")
        if codec not in _DEFAULT_LEVELS:
            raise UsageError(f"unknown compression {text!r}; expected zlib or zstd, with :LEVEL where wanted")
        if not colon:
            return cls(codec=codec, level=_DEFAULT_LEVELS[codec])
        try:
            number = int(level)
        except ValueError:
            raise UsageError(f"compression level {level!r} of {text!r} is no whole number") from None
        return cls.checked(codec, number)

    @classmethod
    def checked(cls, codec: str, level: int) -> Compression:
        """A codec and a level that it has; raises UsageError that names the levels there are."""
        lowest, highest = (0, 9) if codec == "zlib" else (-131072, 22)
        if not lowest <= level <= highest:
            raise UsageError(f"compression level {level} is not allowed; {codec} has {lowest} to {highest}")
        return cls(codec=codec, level=level)

    def compressor(self, size: int) -> Compressor:
        """A new stream for ``size`` bytes; raises UsageError if the codec's package is missing."""
        if self.codec == "zlib":
            return zlib.compressobj(self.level)
        try:
            import zstandard
        except ImportError:
            raise UsageError("zstd needs the package zstandard; pip install zstandard") from None
        # 0 would be zstd's default, 3; LLVM passes its own.
        return zstandard.ZstdCompressor(level=self.level or 3).compressobj(size=size)
