"""Clang's offload bundles of text: assembly, LLVM IR or preprocessed source between marker lines.

Each entry is a line ``<comment> __CLANG_OFFLOAD_BUNDLE____START__ <entry id>``, the text, and a line with ``____END__``
in place of ``____START__``.  The comment sign tells what the text is:

| sign | kind |
|---|---|
| ``#`` | ``assembly`` |
| ``;`` | ``llvm-ir`` |
| ``//`` | ``preprocessed`` source |

The bundler writes a line feed before each START line, and one before each END line that belongs to the text.  Entries
of the host are listed with kind ``host`` unless they are empty.
Source: "Clang Offload Bundler" in Clang's manual, and the bundles of clang 22.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..frozen import frozen
from ..limits import BUNDLE_ENTRIES, BUNDLE_ID_BYTES
from .entry_id import parse_entry_id
from .payload import Contents, Payload, PayloadFault

__all__ = ["matches", "read_text_bundle"]

_KINDS = {b"#": "assembly", b";": "llvm-ir", b"//": "preprocessed"}
_HEAD = re.compile(rb"\s{0,8}(?:#|;|//) __CLANG_OFFLOAD_BUNDLE____START__ ")
_MARKER = re.compile(
    rb"^(#|;|//) __CLANG_OFFLOAD_BUNDLE____(START|END)__ ([^\r\n]{0,%d})\r?$" % BUNDLE_ID_BYTES, re.MULTILINE
)


@frozen
class _Marker:
    """One marker line: ``offset`` is that of its first byte, ``end`` that of the byte after its line feed."""

    kind: str
    is_start: bool
    entry_id: str
    offset: int
    end: int


def matches(head: bytes) -> bool:
    r"""Whether the bytes begin as a bundle of text does.

    >>> matches(b"\n; __CLANG_OFFLOAD_BUNDLE____START__ hip-amdgcn-amd-amdhsa--gfx90a\n")
    True
    """
    return _HEAD.match(head) is not None


def read_text_bundle(data: memoryview) -> Contents:
    """The entries of a bundle of text, in file order; offsets count bytes from the start of ``data``.

    A START that no END of the same id follows is an entry with the fault ``truncated`` (the text ends) or
    ``bad-header`` (another marker stands there); an END without START is the bundle's fault.
    """
    payloads: list[Payload] = []
    fault: PayloadFault | None = None
    start: _Marker | None = None
    for marker in _markers(data):
        if len(payloads) >= BUNDLE_ENTRIES:
            text = f"the bundle of text has more than {BUNDLE_ENTRIES} entries"
            return _contents(payloads, data, PayloadFault(code="too-large", offset=marker.offset, text=text))
        if start is not None:
            payloads.append(_payload(start, marker.offset, _end_fault(start, marker)))
        elif not marker.is_start:
            text = f"an END line for {marker.entry_id!r} without its START line"
            fault = fault or PayloadFault(code="bad-header", offset=marker.offset, text=text)
        start = marker if marker.is_start else None
    if start is not None:
        text = f"the bundle ends without an END line for {start.entry_id!r}"
        payloads.append(_payload(start, len(data), PayloadFault(code="truncated", offset=start.offset, text=text)))
    return _contents(payloads, data, fault)


def _contents(payloads: list[Payload], data: memoryview, fault: PayloadFault | None) -> Contents:
    kept = [each for each in payloads if each.kind != "host" or each.encoded_size or each.fault]
    if not payloads and fault is None:
        fault = PayloadFault(code="bad-header", offset=0, text="a bundle of text has no START line")
    return Contents(payloads=tuple(kept), end=len(data), fault=fault)


def _markers(data: memoryview) -> Iterator[_Marker]:
    for found in _MARKER.finditer(data):
        yield _Marker(
            kind=_KINDS[found[1]], is_start=found[2] == b"START",
            entry_id=found[3].decode("utf-8", "surrogateescape"),
            offset=found.start(), end=min(found.end() + 1, len(data)),
        )  # fmt: skip


def _end_fault(start: _Marker, marker: _Marker) -> PayloadFault | None:
    if not marker.is_start and marker.entry_id == start.entry_id:
        return None
    word = "START" if marker.is_start else "END"
    text = f"the text of {start.entry_id!r} is followed by a {word} line for {marker.entry_id!r}, not by its own END"
    return PayloadFault(code="bad-header", offset=marker.offset, text=text)


def _payload(start: _Marker, end: int, fault: PayloadFault | None) -> Payload:
    entry_id = parse_entry_id(start.entry_id)
    size = max(end - start.end, 0)
    return Payload(
        kind="host" if entry_id.is_host else start.kind, target=entry_id.target, declared=start.entry_id,
        triple=entry_id.triple, header_offset=start.offset, encoded_offset=start.end, encoded_size=size,
        decoded_size=size, fault=fault,
    )  # fmt: skip
