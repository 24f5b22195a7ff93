"""The payloads of compressed offload bundles."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from ...frozen import replace
from ...gpu.bundle_reader import read_bundle
from ...gpu.ccob import Ccob, read_ccob
from ...gpu.ccob_stream import PayloadHeads, bundle_of
from ...gpu.payload import Payload, PayloadFault
from .located import HEAD, Located, Stream

__all__ = ["CONTAINER", "compressed_payloads"]

CONTAINER = "compressed-offload-bundle"


def compressed_payloads(outer: Located, *, whole: bool) -> Iterator[Located]:
    """What is in the compressed bundle that ``outer`` is the payload of, in the order of the bundle's table.

    ``whole`` holds the decoded bundle; without, one pass keeps the first bytes of each payload.  Both give the same
    payloads.  What is wrong with the bundle itself comes last, as a payload that has that fault.
    """
    ccob = read_ccob(outer.data, outer.payload.header_offset)
    stream = Stream(
        compression=ccob.method, header_offset=ccob.offset, offset=ccob.stream_offset, size=ccob.stream_size
    )  # fmt: skip
    inner = replace(outer, container=CONTAINER, stream=stream)
    fault = yield from (_whole(inner, ccob) if whole else _heads(inner, ccob))
    if fault is not None:
        yield replace(outer, container=CONTAINER, payload=replace(outer.payload, fault=fault))


def _whole(outer: Located, ccob: Ccob) -> Generator[Located, None, PayloadFault | None]:
    bundle = bundle_of(ccob, outer.data)
    data = memoryview(bundle.data)
    contents = read_bundle(data)
    if data:
        for payload in contents.payloads:
            if payload.kind != "host":
                yield replace(outer, data=data, payload=payload)
    return bundle.fault or _of_the_bundle(contents.fault, ccob)


def _heads(outer: Located, ccob: Ccob) -> Generator[Located, None, PayloadFault | None]:
    heads = PayloadHeads(ccob, outer.data, HEAD, checks_hash=True)
    found: list[tuple[Payload, bytes]] = sorted(heads, key=lambda pair: pair[0].header_offset)
    for payload, head in found:
        if payload.kind != "host":
            yield replace(outer, data=memoryview(b""), payload=payload, first=head)
    if ccob.fault is not None or heads.fault is not heads.contents.fault:
        return ccob.fault or heads.fault
    return _of_the_bundle(heads.fault, ccob)


def _of_the_bundle(fault: PayloadFault | None, ccob: Ccob) -> PayloadFault | None:
    """A fault inside the decoded bundle, told from where the stream begins."""
    if fault is None or fault is ccob.fault:
        return fault
    return replace(fault, offset=ccob.stream_offset)
