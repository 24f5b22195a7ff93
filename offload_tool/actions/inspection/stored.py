"""The images of offload binaries as payloads."""

from __future__ import annotations

from collections.abc import Iterator

from ...codec.reader import StoredImage, read_images
from ...errors import FormatError
from ...frozen import replace
from ...gpu.consistency import declared_target
from ...gpu.payload import Payload, PayloadFault
from ...wire.inflate import ZSTD_MAGIC
from ..words import image_kind_word
from .located import Located, Stream, broken

__all__ = ["stored_payloads"]

_KINDS = {"cubin": "cubin", "bitcode": "bitcode", "ptx": "ptx", "spirv": "spirv", "fatbinary": "fatbin"}
"""Image kinds by the words for payloads; the others say nothing of the bytes."""


def stored_payloads(outer: Located) -> Iterator[Located]:
    """The images of the offload binaries in ``outer``, and what cannot be read of them as one payload with its fault.

    Entries without an image are left out.
    """
    try:
        for image in read_images(outer.data, outer.inflate):
            if image.size or image.version == 1:
                yield _located(outer, image)
    except FormatError as error:
        fault = PayloadFault(code="bad-header", offset=error.offset, text=error.what)
        yield replace(outer, container="offload-binary", payload=broken(outer, fault))


def _overlap(image: StoredImage) -> PayloadFault:
    text = "the images of the offload binary claim more bytes than it has, so that some share theirs"
    return PayloadFault(code="overlap", offset=image.binary_offset, text=text)


def _located(outer: Located, image: StoredImage) -> Located:
    strings = dict(image.strings)
    kind = _KINDS.get(image_kind_word(image.image_kind), "unknown")
    arch = strings.get("arch", "")
    offset = image.offset or 0
    payload = Payload(
        kind=kind, target=declared_target(kind, arch), declared=arch, triple=strings.get("triple") or None,
        header_offset=image.binary_offset, encoded_offset=offset, encoded_size=image.size, decoded_size=image.size,
        fault=_overlap(image) if image.is_shared else None,
    )  # fmt: skip
    held = replace(outer, container="offload-binary", payload=payload)
    if image.content is None or image.body_offset is None:
        return held
    is_zstd = outer.data[image.body_offset : image.body_offset + 4] == ZSTD_MAGIC
    stream = Stream(
        compression="zstd" if is_zstd else "zlib", header_offset=image.binary_offset,
        offset=image.body_offset, size=image.body_size,
    )  # fmt: skip
    return replace(held, data=image.content, stream=stream, payload=replace(payload, header_offset=0))
