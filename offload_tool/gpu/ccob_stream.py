"""What compressed offload bundles hold, decoded as far as the question needs it.

The table of a bundle takes its first kilobytes (``bundle_head``); the first bytes of every object take one pass
(``PayloadHeads``), which holds one of them at a time; only ``bundle_of`` holds the whole.

Offsets of payloads, and of faults in the bundle's table, count bytes from the start of the decoded bundle; those of
faults of the stream count from the start of the buffer that the compressed bundle is in.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import md5

from ..errors import FormatError
from ..frozen import frozen, replace
from ..limits import BUNDLE_BYTES, BUNDLE_TABLE_BYTES
from ..wire.decode import decoded, decoded_head
from .bundle_reader import read_bundle_head
from .ccob import Ccob
from .payload import Contents, Payload, PayloadFault
from .payload_kind import HEAD_SIZE, kind_of

__all__ = ["DecodedBundle", "PayloadHeads", "bundle_head", "bundle_of", "hash_fault", "hash_of"]

_FIRST_LOOK = 4096
"""Bytes that hold the table of nearly every bundle: objects begin at multiples of this."""


@frozen
class DecodedBundle:
    """A decoded bundle, as far as it could be, and what kept the rest from it or makes it doubtful."""

    data: bytes
    fault: PayloadFault | None


def bundle_head(ccob: Ccob, data: memoryview) -> Contents:
    """The entries of a compressed bundle, with the kinds that their ids promise; little more than its table is decoded.

    ``data`` is the buffer that ``ccob`` was read from.  Memory does not grow with the size of the bundle.
    """
    size, wanted, found = ccob.uncompressed_size, _FIRST_LOOK, None
    if not _is_readable(ccob):
        return Contents(payloads=(), end=0, fault=ccob.fault)
    while True:
        try:
            head = decoded_head(ccob.method, _stream(ccob, data), size, wanted)
        except FormatError as error:
            before = found.payloads if found else ()
            return Contents(payloads=before, end=size, fault=_stream_fault(ccob, error))
        found = read_bundle_head(memoryview(head), size)
        is_cut = found.fault is not None and found.fault.code == "truncated"
        if not is_cut or wanted >= min(size, BUNDLE_TABLE_BYTES):
            return found
        wanted = min(wanted * 8, BUNDLE_TABLE_BYTES)


def bundle_of(ccob: Ccob, data: memoryview) -> DecodedBundle:
    """The whole bundle, held in memory, with its hash checked.

    At most ``BUNDLE_BYTES`` are decoded, and never more than the header declares.
    """
    if not _is_readable(ccob):
        return DecodedBundle(data=b"", fault=ccob.fault)
    if ccob.uncompressed_size > BUNDLE_BYTES:
        text = f"the compressed offload bundle claims to hold {ccob.uncompressed_size} bytes, more than {BUNDLE_BYTES}"
        return DecodedBundle(data=b"", fault=PayloadFault(code="too-large", offset=ccob.offset, text=text))
    held = bytearray()
    try:
        for piece in decoded(ccob.method, _stream(ccob, data), ccob.uncompressed_size):
            held += piece
    except FormatError as error:
        return DecodedBundle(data=bytes(held), fault=_stream_fault(ccob, error))
    bundle = bytes(held)
    return DecodedBundle(data=bundle, fault=ccob.fault or hash_fault(ccob, hash_of(bundle)))


def hash_of(bundle: bytes) -> int:
    """The number that a header keeps of a bundle: the first 8 bytes of its MD5, little-endian.

    >>> hex(hash_of(b""))
    '0x4b2008fd98c1dd4'
    """
    return _number(md5(bundle, usedforsecurity=False).digest())


def hash_fault(ccob: Ccob, found: int) -> PayloadFault | None:
    """The fault if the hash of the decoded bundle is not the one of the header."""
    if found == ccob.hash:
        return None
    text = f"the header of the compressed offload bundle has the hash {ccob.hash:#018x}, what it holds {found:#018x}"
    return PayloadFault(code="bad-payload", offset=ccob.offset + ccob.header_size - 8, text=text)


class PayloadHeads:
    """The payloads of a compressed bundle, each with its first ``wanted`` bytes (all, if it has fewer), in one pass.

    To be iterated once: gives pairs of a payload and bytes, payloads with a fault first and without bytes, the others
    by offset.  Kinds are those that the bytes tell, if ``wanted`` is ``HEAD_SIZE`` or more, else those that the ids
    promise.  Where the stream is damaged, the payloads that are not whole have
    that fault.  With ``checks_hash`` the stream is decoded to its end.  ``fault`` is, after the last pair, the fault of
    the stream, of the hash or of the bundle's table.

    Memory: one piece of the stream, one head, and the window of the stream, which a zstd frame may make as large as
    the bundle is.
    """

    def __init__(self, ccob: Ccob, data: memoryview, wanted: int, *, checks_hash: bool = False) -> None:
        self.contents = bundle_head(ccob, data)
        self.fault: PayloadFault | None = self.contents.fault
        self._ccob = ccob
        self._stream = _stream(ccob, data)
        self._wanted = wanted
        self._checks_hash = checks_hash and self.fault is None
        self._digest = md5(usedforsecurity=False)

    def __iter__(self) -> Iterator[tuple[Payload, bytes]]:
        for payload in self.contents.payloads:
            if payload.fault is not None or not payload.encoded_size:
                yield payload, b""
        sound = [each for each in self.contents.payloads if each.fault is None and each.encoded_size]
        sound.sort(key=lambda each: each.encoded_offset)
        if sound or self._checks_hash:
            yield from self._heads(sound)

    def _heads(self, payloads: list[Payload]) -> Iterator[tuple[Payload, bytes]]:
        head, position, number = bytearray(), 0, 0
        pieces = self._pieces()
        for piece in pieces:
            while number < len(payloads):
                payload = payloads[number]
                end = payload.encoded_offset + min(payload.encoded_size, self._wanted)
                start = payload.encoded_offset + len(head)
                head += memoryview(piece)[max(start - position, 0) : max(end - position, 0)]
                if position + len(piece) < end:
                    break
                yield _with_kind(payload, bytes(head)), bytes(head)
                head, number = bytearray(), number + 1
            position += len(piece)
            if number == len(payloads) and not self._checks_hash:
                return
        for payload in payloads[number:]:
            yield replace(_with_kind(payload, bytes(head)), fault=self.fault), bytes(head)
            head = bytearray()

    def _pieces(self) -> Iterator[bytes]:
        try:
            for piece in decoded(self._ccob.method, self._stream, self._ccob.uncompressed_size):
                if self._checks_hash:
                    self._digest.update(piece)
                yield piece
        except FormatError as error:
            self.fault = _stream_fault(self._ccob, error)
            return
        if self._checks_hash:
            self.fault = hash_fault(self._ccob, _number(self._digest.digest()))


def _with_kind(payload: Payload, head: bytes) -> Payload:
    is_told = payload.kind != "host" and len(head) >= min(payload.encoded_size, HEAD_SIZE)
    return replace(payload, kind=kind_of(head[:HEAD_SIZE])) if is_told else payload


def _is_readable(ccob: Ccob) -> bool:
    return ccob.method != "unknown" and ccob.stream_size > 0


def _stream(ccob: Ccob, data: memoryview) -> memoryview:
    return data[ccob.stream_offset : ccob.stream_offset + ccob.stream_size]


def _stream_fault(ccob: Ccob, error: FormatError) -> PayloadFault:
    """The header's own fault, if there is one: what is wrong with the stream follows from it."""
    if ccob.fault is not None:
        return ccob.fault
    return PayloadFault(code="bad-compression", offset=ccob.stream_offset + error.offset, text=error.what)


def _number(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "little")
