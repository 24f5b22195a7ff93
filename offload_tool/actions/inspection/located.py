"""Payloads out of a place: containers are opened until what is left is code for one target."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...codec.reader import Inflate
from ...errors import FormatError
from ...frozen import frozen, replace
from ...gpu.payload import Contents, Payload, PayloadFault
from ...limits import NESTING, PAYLOAD_BYTES
from ...wire.decode import decoded, decoded_head
from ..mapping import inflate
from ..recognize import HEAD_SIZE, FileKind, recognize
from .places import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = ["HEAD", "Located", "Numbered", "Stream", "broken", "located"]

HEAD = 4096
"""Bytes of a payload that suffice to tell its target, but for PTX behind a longer comment."""


@frozen
class Stream:
    """A compressed stream that several payloads share; ``offset`` counts in the buffer that holds it."""

    compression: str
    header_offset: int
    offset: int
    size: int


@frozen
class Located:
    """One payload and its place.  ``payload`` counts in ``data``, which stands at ``base`` of the outermost file.

    ``container`` is what declares it, None for a file that is itself the payload.  Where ``stream`` is given, ``data``
    is what that stream holds, and the stream counts from ``base``.  ``first`` are the payload's first bytes where its
    own are not at hand, ``decoded`` all of them where they were decoded before.  ``inflate`` opens compressed offload
    binaries.
    """

    place: Place
    container: str | None
    payload: Payload
    data: memoryview
    base: int | None
    stream: Stream | None = None
    first: bytes | None = None
    decoded: memoryview | None = None
    inflate: Inflate = inflate

    def head(self) -> bytes:
        """The payload's first bytes, decoded; raises FormatError where they cannot be."""
        if self.first is not None:
            return self.first
        if self.decoded is not None:
            return bytes(self.decoded[:HEAD])
        codec, encoded, size = self._encoded()
        return decoded_head(codec, encoded, size, HEAD)

    def whole(self) -> memoryview:
        """The payload's bytes, decoded; raises FormatError where they cannot be."""
        if self.decoded is not None:
            return self.decoded
        codec, encoded, size = self._encoded()
        if codec == "none":
            return encoded[:size]
        if size > PAYLOAD_BYTES:
            raise FormatError(
                f"the payload claims {size} bytes once decoded, at most {PAYLOAD_BYTES} are held", offset=0
            )
        return memoryview(b"".join(decoded(codec, encoded, size)))

    def _encoded(self) -> tuple[str, memoryview, int]:
        payload = self.payload
        encoded = self.data[payload.encoded_offset : payload.encoded_offset + payload.encoded_size]
        size = payload.encoded_size if payload.decoded_size is None else payload.decoded_size
        return payload.compression, encoded, size


Numbered: TypeAlias = tuple[int, Located]
"""A payload and which of its file's it is."""


def located(place: Place, *, whole: bool, inflate: Inflate = inflate) -> Iterator[Located]:
    """The payloads of a place in file order, faults among them as payloads that have one.

    ``whole`` tells that their bytes will be asked for, not only the first of them.
    """
    outer = Located(
        place=place, container=None, payload=_bare(place), data=place.data, base=place.offset, inflate=inflate
    )  # fmt: skip
    if place.fault is not None:
        yield replace(outer, payload=replace(outer.payload, fault=place.fault))
        return
    yield from _opened(outer, place.kind, whole, 0)


def _bare(place: Place) -> Payload:
    from ...gpu.entry_id import parse_entry_id

    payload = Payload(
        kind=_KINDS.get(place.kind, "unknown"), target=None, declared="", header_offset=0, encoded_offset=0,
        encoded_size=len(place.data), decoded_size=len(place.data),
    )  # fmt: skip
    if place.entry_id is None:
        return payload
    entry = parse_entry_id(place.entry_id)
    kind = "host" if entry.is_host else payload.kind
    return replace(payload, kind=kind, target=entry.target, declared=place.entry_id, triple=entry.triple)


def _opened(outer: Located, kind: FileKind, whole: bool, depth: int) -> Iterator[Located]:
    opener = _OPENERS.get(kind)
    if opener is None and outer.payload.kind == "host":
        return
    if opener is None:
        yield outer
    elif depth > NESTING:
        text = f"containers are nested deeper than {NESTING} levels"
        yield replace(outer, payload=replace(outer.payload, fault=PayloadFault(code="too-large", offset=0, text=text)))
    else:
        yield from opener(outer, whole, depth)


def _inner(outer: Located, container: str, payload: Payload, whole: bool, depth: int) -> Iterator[Located]:
    """A payload of a container; one that is stored plain may itself be a container, a host's is no device code."""
    # replace() would take three times as long, and there may be thousands.
    inner = Located(
        place=outer.place, container=container, payload=payload, data=outer.data, base=outer.base,
        stream=outer.stream, first=outer.first, decoded=outer.decoded, inflate=outer.inflate,
    )  # fmt: skip
    if payload.kind == "host":
        return
    if payload.kind == "ccob":
        from .compressed import compressed_payloads

        yield from compressed_payloads(inner, whole=whole)
        return
    if payload.fault is not None or payload.compression != "none":
        yield inner
        return
    content = outer.data[payload.encoded_offset : payload.encoded_offset + payload.encoded_size]
    kind = recognize(bytes(content[:HEAD_SIZE]))
    if kind not in _OPENERS:
        yield inner
        return
    base = None if outer.base is None else outer.base + payload.encoded_offset
    unpacked = replace(payload, header_offset=0, encoded_offset=0)
    yield from _opened(replace(inner, data=content, base=base, payload=unpacked), kind, whole, depth + 1)


def _contents(outer: Located, container: str, found: Iterator[Contents], whole: bool, depth: int) -> Iterator[Located]:
    for contents in found:
        for payload in contents.payloads:
            yield from _inner(outer, container, payload, whole, depth)
        if contents.fault is not None:
            yield replace(outer, container=container, payload=broken(outer, contents.fault))


def broken(outer: Located, fault: PayloadFault) -> Payload:
    """What stands for the part of a container that cannot be read."""
    offset = min(fault.offset or 0, len(outer.data))
    size = len(outer.data) - offset
    return Payload(kind="unknown", target=None, declared="", header_offset=offset, encoded_offset=offset,
                   encoded_size=size, decoded_size=None, fault=fault)  # fmt: skip


def _fatbins(outer: Located, whole: bool, depth: int) -> Iterator[Located]:
    from ...gpu.cuda_fatbin import read_fatbins

    yield from _contents(outer, "cuda-fatbin", read_fatbins(outer.data), whole, depth)


def _text_bundle(outer: Located, whole: bool, depth: int) -> Iterator[Located]:
    from ...gpu.text_bundle import read_text_bundle

    yield from _contents(outer, "text-offload-bundle", iter([read_text_bundle(outer.data)]), whole, depth)


def _offload_binaries(outer: Located, whole: bool, depth: int) -> Iterator[Located]:
    from .stored import stored_payloads

    for found in stored_payloads(outer):
        if found.payload.fault is None and found.stream is None:
            yield from _inner(outer, "offload-binary", found.payload, whole, depth)
        else:
            yield found


def _bundles(outer: Located, whole: bool, depth: int) -> Iterator[Located]:
    from ...gpu.bundle_section import read_bundles

    yield from _contents(outer, "offload-bundle", read_bundles(outer.data), whole, depth)


_OPENERS: dict[FileKind, Callable[[Located, bool, int], Iterator[Located]]] = {
    FileKind.CUDA_FATBIN: _fatbins,
    FileKind.TEXT_BUNDLE: _text_bundle,
    FileKind.OFFLOAD_BINARY: _offload_binaries,
    FileKind.HIP_BUNDLE: _bundles,
}
_KINDS = {
    FileKind.CUBIN: "cubin",
    FileKind.ELF: "code-object",
    FileKind.PTX: "ptx",
    FileKind.SPIRV: "spirv",
    FileKind.NVVM: "lto-ir",
    FileKind.BITCODE: "bitcode",
}
