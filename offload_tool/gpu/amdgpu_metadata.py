"""The metadata note of AMDGPU code objects of version 3 and newer: owner ``AMDGPU``, type 32, a MessagePack map.

| key | value |
|---|---|
| ``amdhsa.version`` | 1, then 0 in code objects V3, 1 in V4, 2 in V5 and V6 |
| ``amdhsa.target`` | text such as ``amdgcn-amd-amdhsa--gfx90a:xnack+``; absent in V3 |
| ``amdhsa.kernels`` | array of maps, one per kernel |
| ``.name`` of a kernel | its name; ``.symbol`` is that of its descriptor, ``NAME.kd`` |
| ``.vgpr_count`` | vector registers of a work item |
| ``.group_segment_fixed_size`` | bytes of memory that a work group shares |
| ``.kernarg_segment_size`` | bytes of its arguments |

Everything else is passed over without being built.  Source: LLVM's "User Guide for AMDGPU Backend", Code Object V3
Metadata and its successors.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import FormatError
from ..frozen import frozen
from ..limits import AMDGPU_KERNEL_FIELDS, AMDGPU_KERNELS
from .payload import Kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

__all__ = ["NT_AMDGPU_METADATA", "OWNER", "Metadata", "metadata"]

OWNER = b"AMDGPU"
NT_AMDGPU_METADATA = 32

_KERNEL_FIELDS = {
    ".name": str, ".symbol": str, ".vgpr_count": int, ".group_segment_fixed_size": int, ".kernarg_segment_size": int,
}  # fmt: skip
_Value: TypeAlias = str | int


@frozen
class Metadata:
    """What a note tells: ``triple_and_target`` as written; ``kernels`` None if not there or not wanted."""

    triple_and_target: str | None = None
    kernels: tuple[Kernel, ...] | None = None


def metadata(descriptor: memoryview, *, kernels: bool) -> Metadata:
    r"""The target of a note, and its kernels if they are asked for.

    Raises FormatError, with an offset in the note, where it is no MessagePack, a key comes twice or a value is of
    another type than its key wants.

    >>> metadata(memoryview(b"\x81\xaeamdhsa.kernels\x90"), kernels=True).kernels
    ()
    """
    reader = _Reader(descriptor)
    target: str | None = None
    found: tuple[Kernel, ...] | None = None
    for key in reader.keys("amdhsa metadata"):
        if key == "amdhsa.target":
            target = str(reader.value(str, key))
        elif key == "amdhsa.kernels" and kernels:
            found = tuple(_kernel(reader) for _ in range(reader.array(key, AMDGPU_KERNELS)))
        else:
            reader.skip()
    return Metadata(triple_and_target=target, kernels=found)


def _kernel(reader: _Reader) -> Kernel:
    found: dict[str, _Value] = {}
    for key in reader.keys("kernel"):
        if key in _KERNEL_FIELDS:
            found[key] = reader.value(_KERNEL_FIELDS[key], key)
        else:
            reader.skip()
    name = found.get(".name") or str(found.get(".symbol", "")).removesuffix(".kd")
    if not name:
        raise FormatError("a kernel of the metadata has neither .name nor .symbol", offset=reader.position)
    return Kernel(
        name=str(name), registers=_number(found, ".vgpr_count"),
        shared_bytes=_number(found, ".group_segment_fixed_size"),
        arguments_bytes=_number(found, ".kernarg_segment_size"),
    )  # fmt: skip


def _number(found: dict[str, _Value], key: str) -> int | None:
    value = found.get(key)
    return value if isinstance(value, int) else None


class _Reader:
    """MessagePack read front to back; what is not wanted is passed over without being built.

    The type of a value is looked at before it is built, so that no array or map is: their headers can claim anything.
    """

    def __init__(self, note: memoryview) -> None:
        import msgpack

        self._note = note
        size = max(len(note), 1)
        self._unpacker: Any = msgpack.Unpacker(
            raw=False, unicode_errors="surrogateescape", strict_map_key=True, max_buffer_size=size, max_str_len=size,
            max_bin_len=size, max_array_len=AMDGPU_KERNELS, max_map_len=AMDGPU_KERNEL_FIELDS, max_ext_len=size,
        )  # fmt: skip
        self._unpacker.feed(note)

    @property
    def position(self) -> int:
        """Bytes of the note that were read."""
        return int(self._unpacker.tell())

    def keys(self, what: str) -> Iterator[str]:
        """The keys of the map that is next; the caller takes each value before the next key."""
        count = self._read(self._unpacker.read_map_header, what)
        if count > AMDGPU_KERNEL_FIELDS:
            text = f"the {what} claims {count} keys, at most {AMDGPU_KERNEL_FIELDS} are read"
            raise FormatError(text, offset=self.position)
        seen = set[str]()
        for _ in range(count):
            key = str(self.value(str, f"a key of the {what}"))
            if key in seen:
                raise FormatError(f"the {what} has the key {key!r} twice", offset=self.position)
            seen.add(key)
            yield key

    def array(self, what: str, limit: int) -> int:
        """The length of the array that is next."""
        count = int(self._read(self._unpacker.read_array_header, what))
        if count > limit:
            raise FormatError(f"{what} claims {count} items, at most {limit} are read", offset=self.position)
        return count

    def value(self, wanted: type[_Value], what: str) -> _Value:
        """The text or the number, not below zero, that is next."""
        first = self._note[self.position] if self.position < len(self._note) else None
        is_text = first is not None and (0xA0 <= first < 0xC0 or 0xD9 <= first <= 0xDB)
        is_number = first is not None and (first < 0x80 or 0xCC <= first <= 0xCF)
        if first is not None and not (is_text if wanted is str else is_number):
            expected = "text" if wanted is str else "a number that is not negative"
            raise FormatError(f"{what} begins with byte {first:#04x}, expected {expected}", offset=self.position)
        found = self._read(self._unpacker.unpack, what)
        if not isinstance(found, wanted):
            raise FormatError(f"{what} is {found!r}, expected {wanted.__name__}", offset=self.position)
        return found

    def skip(self) -> None:
        """Passes over whatever is next."""
        self._read(self._unpacker.skip, "a value of the metadata")

    def _read(self, read: Any, what: str) -> Any:
        import msgpack

        try:
            return read()
        except (msgpack.UnpackException, ValueError) as error:
            text = f"{what} is no sound MessagePack: {str(error) or type(error).__name__}"
            raise FormatError(text, offset=self.position) from None
