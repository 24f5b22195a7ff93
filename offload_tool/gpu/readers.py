"""The reader that belongs to each kind of device code; only that one's module is loaded."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["HeadReader", "WholeReader", "head_reader", "whole_reader"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from .payload import Examined
else:
    Protocol = object


class HeadReader(Protocol):
    """What tells a target by a payload's first bytes."""

    def examine_head(self, head: bytes, /) -> Examined:
        """What the first bytes say."""


class WholeReader(HeadReader, Protocol):
    """What also reads a payload whole."""

    def examine(self, data: memoryview, /, *, kernels: bool) -> Examined:
        """What all the bytes say."""


def whole_reader(kind: str) -> WholeReader | None:
    """The reader of a kind that can be read whole, or None.

    >>> whole_reader("cubin").__name__.rpartition(".")[2]
    'cubin'
    """
    load = _WHOLE.get(kind)
    return None if load is None else load()


def head_reader(kind: str) -> HeadReader | None:
    """The reader of a kind's first bytes, or None where they tell no target.

    >>> head_reader("bitcode") is None
    True
    """
    load = _WHOLE.get(kind) or _HEAD.get(kind)
    return None if load is None else load()


def _cubin() -> WholeReader:
    from . import cubin

    return cubin


def _amdgpu() -> WholeReader:
    from . import amdgpu

    return amdgpu


def _ptx() -> WholeReader:
    from . import ptx

    return ptx


def _nvvm() -> HeadReader:
    from . import nvvm

    return nvvm


def _spirv() -> HeadReader:
    from . import spirv

    return spirv


_WHOLE: dict[str, Callable[[], WholeReader]] = {
    "cubin": _cubin, "code-object": _amdgpu, "ptx": _ptx, "relocatable-ptx": _ptx
}  # fmt: skip
_HEAD: dict[str, Callable[[], HeadReader]] = {"lto-ir": _nvvm, "optix-ir": _nvvm, "spirv": _spirv}
