"""Clang's compressed offload bundles: a header, then one zlib or zstd stream of one bundle.

All integers are little-endian; offsets count from the first byte of the header.

| version 1 | version 2 | version 3 | field |
|---|---|---|---|
| 0, 4 bytes | 0, 4 bytes | 0, 4 bytes | magic ``CCOB`` |
| 4, u16 | 4, u16 | 4, u16 | version |
| 6, u16 | 6, u16 | 6, u16 | method: 0 zlib, 1 zstd |
| | 8, u32 | 8, u64 | size of header and stream |
| 8, u32 | 12, u32 | 16, u64 | size of the bundle |
| 12, u64 | 16, u64 | 24, u64 | the first 8 bytes of the MD5 of the bundle |
| 20 | 24 | 32 | end of the header |

Source: ``OffloadBundler.cpp`` in Clang, and what LLVM 19 and 22 write; version 1 is LLVM 18's.
"""

from __future__ import annotations

from struct import Struct

from ..errors import FormatError
from ..frozen import frozen, replace
from ..limits import INFLATED_BYTES
from ..wire.bounded import unpack
from ..wire.decode import zstd_content_size
from ..wire.stream_end import zlib_end, zstd_end
from .hip_bundle import COMPRESSED_MAGIC
from .payload import Contents, Payload, PayloadFault

__all__ = ["Ccob", "ccob_contents", "read_ccob"]

_PREFIX = Struct("<4sHH")
_HEADERS = {1: Struct("<8xIQ"), 2: Struct("<8xIIQ"), 3: Struct("<8xQQQ")}
assert [header.size for header in _HEADERS.values()] == [20, 24, 32]
_METHODS = {0: "zlib", 1: "zstd"}


@frozen
class Ccob:
    """A compressed bundle as its header declares it; offsets count bytes from the start of the buffer that it is in.

    ``method`` is zlib, zstd or unknown.  ``total_size`` is None in version 1, which does not tell it.  The stream is
    ``stream_size`` bytes from ``stream_offset`` on, as far as they are there.  ``end`` is where the next thing may
    begin: the end of the buffer, if that cannot be known.  Numbers of a header that cannot be read are 0.
    """

    version: int
    method: str
    offset: int
    header_size: int
    total_size: int | None
    uncompressed_size: int
    hash: int
    stream_offset: int
    stream_size: int
    end: int
    fault: PayloadFault | None


def read_ccob(data: memoryview, offset: int = 0) -> Ccob:
    r"""The compressed bundle at ``offset``; what is wrong is its ``fault``, nothing is raised.

    The stream of version 1 is followed to its end, the others tell their size.

    >>> read_ccob(memoryview(b"CCOB\x09\x00\x01\x00")).fault.code
    'unknown-version'
    """
    try:
        magic, version, number = unpack(_PREFIX, data, offset, "the header of a compressed offload bundle")
    except FormatError as error:
        return _unreadable(data, offset, 0, PayloadFault(code="truncated", offset=error.offset, text=error.what))
    if magic != COMPRESSED_MAGIC:
        text = f"a compressed offload bundle begins with {COMPRESSED_MAGIC!r}, here with {magic!r}"
        return _unreadable(data, offset, 0, PayloadFault(code="bad-header", offset=offset, text=text))
    if version not in _HEADERS:
        text = f"version {version} of a compressed offload bundle is not known, expected one of 1, 2, 3"
        return _unreadable(data, offset, version, PayloadFault(code="unknown-version", offset=offset + 4, text=text))
    try:
        fields = unpack(_HEADERS[version], data, offset, "the header of a compressed offload bundle")
    except FormatError as error:
        fault = PayloadFault(code="truncated", offset=error.offset, text=error.what)
        return _unreadable(data, offset, version, fault)
    return _checked(_declared(data, offset, version, number, fields), data, number)


def ccob_contents(ccob: Ccob) -> Contents:
    """The compressed bundle as one payload of kind ``ccob``, of no target: what it holds is read in turn."""
    payload = Payload(
        kind="ccob", target=None, declared=f"version {ccob.version}, {ccob.method}", compression=ccob.method,
        header_offset=ccob.offset, encoded_offset=ccob.stream_offset, encoded_size=ccob.stream_size,
        decoded_size=ccob.uncompressed_size if ccob.header_size else None, fault=ccob.fault,
    )  # fmt: skip
    return Contents(payloads=(payload,), end=ccob.end)


def _unreadable(data: memoryview, offset: int, version: int, fault: PayloadFault) -> Ccob:
    return Ccob(
        version=version, method="unknown", offset=offset, header_size=0, total_size=None, uncompressed_size=0, hash=0,
        stream_offset=min(offset, len(data)), stream_size=0, end=len(data), fault=fault,
    )  # fmt: skip


def _declared(data: memoryview, offset: int, version: int, number: int, fields: tuple[int, ...]) -> Ccob:
    header_size = _HEADERS[version].size
    uncompressed_size, digest = fields[-2:]
    total_size = fields[0] if version > 1 else None
    end = len(data) if total_size is None else offset + total_size
    return Ccob(
        version=version, method=_METHODS.get(number, "unknown"), offset=offset, header_size=header_size,
        total_size=total_size, uncompressed_size=uncompressed_size, hash=digest, stream_offset=offset + header_size,
        stream_size=end - offset - header_size, end=end, fault=None,
    )  # fmt: skip


def _checked(ccob: Ccob, data: memoryview, number: int) -> Ccob:
    """Sizes that lead out of the data are cut to it, so that what is there can be decoded all the same."""
    fault = _fault(ccob, len(data), number) or _frame_fault(ccob, data)
    if ccob.stream_size < 0 or ccob.end > len(data):
        return replace(ccob, end=len(data), stream_size=len(data) - ccob.stream_offset, fault=fault)
    if ccob.version > 1 or fault is not None:
        return replace(ccob, fault=fault)
    stream = data[ccob.stream_offset :]
    try:
        size = zlib_end(stream, ccob.uncompressed_size) if ccob.method == "zlib" else zstd_end(stream)
    except FormatError as error:
        place = ccob.stream_offset + error.offset
        return replace(ccob, fault=PayloadFault(code="bad-compression", offset=place, text=error.what))
    return replace(ccob, end=ccob.stream_offset + size, stream_size=size)


def _fault(ccob: Ccob, size: int, number: int) -> PayloadFault | None:
    if ccob.method == "unknown":
        text = f"method {number} of a compressed offload bundle is not known, expected 0 (zlib) or 1 (zstd)"
        return PayloadFault(code="unknown-compression", offset=ccob.offset + 6, text=text)
    if ccob.stream_size < 0:
        text = f"the compressed offload bundle claims {ccob.total_size} bytes; its header alone has {ccob.header_size}"
        return PayloadFault(code="bad-size", offset=ccob.offset + 8, text=text)
    if ccob.end > size:
        text = f"the compressed offload bundle claims {ccob.total_size} bytes; {size - ccob.offset} are there"
        return PayloadFault(code="truncated", offset=ccob.offset + 8, text=text)
    if ccob.uncompressed_size > INFLATED_BYTES:
        text = (
            f"the compressed offload bundle claims to hold {ccob.uncompressed_size} bytes, more than {INFLATED_BYTES}"
        )
        return PayloadFault(code="too-large", offset=ccob.offset + 8, text=text)
    return None


def _frame_fault(ccob: Ccob, data: memoryview) -> PayloadFault | None:
    """A zstd frame tells the size of what it holds: another one than the header's is a lie of one of them."""
    if ccob.method != "zstd":
        return None
    size = zstd_content_size(data[ccob.stream_offset :])
    if size is None or size == ccob.uncompressed_size:
        return None
    text = f"the header of the compressed offload bundle promises {ccob.uncompressed_size} bytes, its stream {size}"
    return PayloadFault(code="bad-size", offset=ccob.offset + 8, text=text)
