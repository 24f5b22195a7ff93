"""NVIDIA's fatbin: a header, then entries back to back, each a header and a payload; all numbers are little-endian.

The header, 16 bytes:

| offset | type | field |
|---|---|---|
| 0 | u32 | magic 0xBA55ED50 |
| 4 | u16 | version, 1 |
| 6 | u16 | size of this header, 16 |
| 8 | u64 | size of everything that follows it |

An entry's header, 64 bytes and the strings; its offsets count from its first byte:

| offset | type | field |
|---|---|---|
| 0 | u16 | kind, see ``_KINDS`` |
| 2 | u16 | version, 0x0101 |
| 4 | u32 | size of this header with its strings |
| 8 | u64 | size of the payload with its padding; the next entry follows |
| 16 | u32 | size of the compressed payload without padding; 0 if it is not compressed |
| 20 | u32 | offset of the options: u32 offset of a string, u32 length; 0 if there are none |
| 24 | u16 | minor version of the payload's format |
| 26 | u16 | major version |
| 28 | u32 | SM number, decimal |
| 32 | u32 | offset of the name; 0 if there is none |
| 36 | u32 | length of the name without its NUL |
| 40 | u64 | flags, see ``_CODECS`` and what follows it |
| 48 | u64 | 0; the key of scrambled LTO-IR |
| 56 | u64 | size of the payload once decoded; 0 if it is not compressed |

There is neither a count nor an end mark.  No public specification exists: the facts come from files that fatbinary and
nvcc of CUDA 11.8 to 13.0 wrote, and from what cuobjdump 13.5 says when single fields are changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import Struct

from ..errors import FormatError
from ..frozen import frozen, replace
from ..limits import FATBIN_ENTRIES, INFLATED_BYTES
from ..wire.bounded import skip_zeros, span, unpack
from ..wire.magic import CUDA_FATBIN as MAGIC
from .payload import Contents, Payload, PayloadFault

__all__ = ["MAGIC", "matches", "read_fatbin", "read_fatbins"]


_HEADER = Struct("<4sHHQ")
_ENTRY = Struct("<HHIQIIHHIIIQQQ")
_OPTIONS = Struct("<II")
assert _HEADER.size == 16
assert _ENTRY.size == 64

_VERSION = 1
_ENTRY_VERSION = 0x0101
_STEP = 8
"""Sizes are multiples of this, so fatbins that follow each other begin at multiples of it."""

_KINDS = {
    0x01: ("ptx", "compute_"), 0x02: ("cubin", "sm_"), 0x04: ("pre-elf-cubin", "sm_"), 0x08: ("lto-ir", "lto_"),
    0x20: ("index", None), 0x40: ("relocatable-ptx", "compute_"), 0x80: ("tile-ir", "sm_"),
    0x100: ("concatenated", None),
}  # fmt: skip
"""What a kind is called, and what stands before the SM number; None where the entry is for no architecture."""

_CODECS = {0x1000: "zlib", 0x2000: "lz4", 0x4000: "lz4-frame", 0x8000: "zstd"}
_ANY_CODEC = sum(_CODECS)
_SCRAMBLED = 0x10000
_SUFFIX_A = 0x100000
_SUFFIX_F = 0x200000
_COMPAT_COPY = 0x1000000
"""The options of a cubin with this flag are a copy of one of its sections, not text."""


@frozen(kw_only=False)
class _Entry:
    kind: int
    version: int
    header_size: int
    payload_size: int
    compressed_size: int
    options_offset: int
    minor: int
    major: int
    sm: int
    name_offset: int
    name_length: int
    flags: int
    key: int
    decoded_size: int

    @property
    def target(self) -> str | None:
        prefix = _KINDS.get(self.kind, ("", None))[1]
        if prefix is None or not self.sm:
            return None
        return f"{prefix}{self.sm}{'a' if self.flags & _SUFFIX_A else 'f' if self.flags & _SUFFIX_F else ''}"

    @property
    def compression(self) -> str:
        named = self.flags & _ANY_CODEC
        if not named:
            return "unknown" if self.compressed_size or self.decoded_size else "none"
        return _CODECS.get(named, "unknown")


def matches(head: bytes) -> bool:
    """Whether the bytes begin as a CUDA fatbin does."""
    return head[:4] == MAGIC


def read_fatbins(data: memoryview) -> Iterator[Contents]:
    """The fatbins that stand back to back in ``data``, found by their sizes; zeros may stand between and after them.

    What else stands there is told as fault ``bad-padding`` of the fatbin before it, and ends the walk, as does a fatbin
    whose end is not known.
    """
    offset = skip_zeros(data, 0, _STEP)
    while offset < len(data):
        found = read_fatbin(data, offset)
        offset = skip_zeros(data, found.end, _STEP)
        if offset < len(data) and not matches(bytes(data[offset : offset + 4])):
            text = f"bytes {bytes(data[offset : offset + 4]).hex(' ')!r} follow the fatbin, expected zeros or another"
            padding = PayloadFault(code="bad-padding", offset=offset, text=text)
            found = replace(found, fault=found.fault or padding)
            offset = len(data)
        yield found


def read_fatbin(data: memoryview, offset: int = 0) -> Contents:
    r"""The entries of the fatbin that begins at ``offset``; every offset counts from the start of ``data``.

    A fault of one entry is told there as long as its sizes lead to the next one.  Where they do not, the fault is the
    fatbin's and the entries before it are there all the same.  Nothing is decoded; nothing is raised.

    >>> read_fatbin(memoryview(b"\x50\xed\x55\xba\x01\0\x10\0" + bytes(8)))
    Contents(payloads=(), end=16, fault=None)
    """
    payloads: list[Payload] = []
    end = len(data)
    fault = None
    try:
        start, end, fault = _bounds(data, offset)
        for payload in _payloads(data[:end], start):
            payloads.append(payload)
            if len(payloads) > FATBIN_ENTRIES:
                raise _Broken("too-large", payload.header_offset, f"more than {FATBIN_ENTRIES} entries")
    except _Broken as broken:
        # Where the file is cut, that is why the last entry is: it is told once.
        fault = fault or broken.fault
    return Contents(payloads=tuple(payloads[:FATBIN_ENTRIES]), end=end, fault=fault)


class _Broken(Exception):  # noqa: N818 - it never leaves this file
    """The walk cannot go on."""

    def __init__(self, code: str, offset: int, text: str) -> None:
        super().__init__(text)
        self.fault = PayloadFault(code=code, offset=offset, text=text)


def _bounds(data: memoryview, offset: int) -> tuple[int, int, PayloadFault | None]:
    """Where the first entry begins, where the fatbin ends, and what is wrong though entries can be read."""
    try:
        magic, version, header_size, size = unpack(_HEADER, data, offset, "the header of a CUDA fatbin")
    except FormatError as error:
        raise _Broken("truncated", error.offset, error.what) from None
    if magic != MAGIC:
        expected = MAGIC.hex(" ")
        raise _Broken("bad-header", offset, f"magic {magic.hex(' ')!r} is not a CUDA fatbin's, {expected!r}")
    if header_size < _HEADER.size:
        raise _Broken("bad-header", offset + 6, f"header size {header_size} is less than {_HEADER.size}")
    start = offset + header_size
    if size > len(data) - start:
        text = f"the fatbin claims bytes {offset} to {start + size} of {len(data)}"
        return start, len(data), PayloadFault(code="truncated", offset=len(data), text=text)
    if version != _VERSION:
        text = f"fatbin version {version} is not known; expected {_VERSION}"
        return start, start + size, PayloadFault(code="unknown-version", offset=offset + 4, text=text)
    return start, start + size, None


def _payloads(data: memoryview, offset: int) -> Iterator[Payload]:
    """The entries from ``offset`` to the end of ``data``, which is that of the fatbin."""
    while offset < len(data):
        try:
            fields = unpack(_ENTRY, data, offset, "the header of a fatbin's entry")
        except FormatError as error:
            raise _Broken("truncated", error.offset, error.what) from None
        entry = _Entry(*fields)
        if entry.header_size < _ENTRY.size:
            text = f"the entry's header size {entry.header_size} is less than {_ENTRY.size}; where the next is, is lost"
            raise _Broken("bad-header", offset + 4, text)
        end = offset + entry.header_size + entry.payload_size
        if end > len(data):
            what = f"the entry ({_described(entry)}) at byte {offset}"
            raise _Broken("truncated", len(data), f"{what} needs bytes up to {end}, the fatbin ends at {len(data)}")
        yield _payload(data[offset:end], entry, offset)
        offset = end


def _payload(data: memoryview, entry: _Entry, offset: int) -> Payload:
    """The payload of one entry, whose bytes are ``data`` and which begins at ``offset``."""
    is_stored = entry.compression == "none"
    encoded_size = entry.compressed_size or entry.payload_size
    fault = _fault(data, entry)
    return Payload(
        kind=_KINDS.get(entry.kind, ("unknown", None))[0],
        target=entry.target,
        declared=_described(entry) + _words(data, entry),
        compression=entry.compression,
        header_offset=offset,
        encoded_offset=offset + entry.header_size,
        encoded_size=min(encoded_size, entry.payload_size),
        decoded_size=entry.payload_size if is_stored else entry.decoded_size or None,
        fault=None if fault is None else replace(fault, offset=offset + (fault.offset or 0)),
    )


def _fault(data: memoryview, entry: _Entry) -> PayloadFault | None:
    """The first fault of an entry, its offset counted from the entry; what is only not supported comes last."""
    for is_fault, code, place, text in _FAULTS:
        if is_fault(data, entry):
            offset = entry.header_size if place is None else place
            return PayloadFault(code=code, offset=offset, text=text(entry))
    return None


def _described(entry: _Entry) -> str:
    version = f"version {entry.major}.{entry.minor}"
    return f"kind {entry.kind:#x}, SM {entry.sm}, {version}, flags {entry.flags:#x}"


def _words(data: memoryview, entry: _Entry) -> str:
    """Name and options as the header has them, for ``declared``."""
    name = _text(data, entry.name_offset, entry.name_length, entry)
    options = _options(data, entry)
    return (f", name {name!r}" if name else "") + (f", options {options!r}" if options else "")


def _options(data: memoryview, entry: _Entry) -> str | None:
    """The options; empty where there are none, None where they leave the header."""
    if not entry.options_offset or entry.flags & _COMPAT_COPY:
        return ""
    try:
        offset, length = unpack(_OPTIONS, data[: entry.header_size], entry.options_offset, "the options")
    except FormatError:
        return None
    return _text(data, offset, length, entry)


def _text(data: memoryview, offset: int, length: int, entry: _Entry) -> str | None:
    """A string of the header and its NUL; empty where the offset is 0, None where it is not inside."""
    if not offset:
        return ""
    try:
        found = bytes(span(data[: entry.header_size], offset, length + 1, "a string"))
    except FormatError:
        return None
    return found[:-1].decode("utf-8", "surrogateescape") if found.endswith(b"\0") else None


_FAULTS: tuple[tuple[Callable[[memoryview, _Entry], bool], str, int | None, Callable[[_Entry], str]], ...] = (
    (lambda _, entry: entry.version != _ENTRY_VERSION, "unknown-version", 2,
     lambda entry: f"entry version {entry.version:#x} is not known; expected {_ENTRY_VERSION:#x}"),
    (lambda _, entry: entry.compressed_size > entry.payload_size, "bad-size", 16,
     lambda entry: f"compressed size {entry.compressed_size} is more than the payload's, {entry.payload_size}"),
    (lambda _, entry: not (entry.compressed_size and entry.decoded_size) and entry.compression in _CODECS.values(),
     "bad-size", 16, lambda entry: f"compressed size {entry.compressed_size} and decoded size {entry.decoded_size} of "
                                   "a compressed payload"),
    (lambda _, entry: entry.decoded_size > INFLATED_BYTES, "too-large", 56,
     lambda entry: f"decoded size {entry.decoded_size} is more than the {INFLATED_BYTES} bytes that are read"),
    (lambda data, entry: _text(data, entry.name_offset, entry.name_length, entry) is None, "bad-offset", 32,
     lambda entry: f"the name at {entry.name_offset}, {entry.name_length} bytes, leaves the entry's header or has no "
                   "NUL"),
    (lambda data, entry: _options(data, entry) is None, "bad-offset", 20,
     lambda entry: f"the options at {entry.options_offset} leave the entry's header or have no NUL"),
    (lambda _, entry: entry.kind not in _KINDS, "unknown-kind", 0,
     lambda entry: f"kind {entry.kind:#x} is not known; expected one of {', '.join(map(hex, _KINDS))}"),
    (lambda _, entry: bool(entry.flags & _SCRAMBLED), "scrambled", None,
     lambda _: "the payload is scrambled by the tool that wrote it; only its extent is known"),
    (lambda _, entry: entry.compression == "unknown", "unknown-compression", 40,
     lambda entry: f"flags {entry.flags:#x} name no single codec for a compressed payload"),
)  # fmt: skip
"""What makes a fault, its code, where it is told (None: at the payload) and how; the texts are made for faults only."""
