"""What every reader of a GPU format gives: payloads as their container declares them, and what their bytes say.

Offsets count bytes from the start of the buffer that the reader was given, sizes are bytes.
"""

from __future__ import annotations

from ..frozen import frozen

__all__ = ["CODES", "Contents", "Examined", "Kernel", "Payload", "PayloadFault"]

CODES: dict[str, str] = {
    "truncated": "the bytes end before the payload or its header does",
    "bad-header": "a header's fields contradict each other or the format",
    "bad-size": "a stated size is not the one that is there",
    "bad-offset": "a stated offset leaves its container",
    "overlap": "two payloads share bytes",
    "bad-compression": "the compressed stream is damaged",
    "too-large": "more is asked for than the limits allow",
    "unknown-version": "the format's version is not one that is known",
    "unknown-compression": "the codec is not one that is known",
    "scrambled": "the bytes are scrambled by their maker; only their extent is known",
    "bad-payload": "the payload itself is damaged",
    "bad-padding": "something else than zeros stands between payloads",
    "unknown-kind": "the payload's kind is not one that is known",
}
"""Every code of a fault, and what it means."""


@frozen
class PayloadFault:
    """What is wrong: ``code`` is one of ``CODES``, ``text`` is for people."""

    code: str
    offset: int | None
    text: str


@frozen
class Payload:
    """One payload of a container, as its header declares it.

    ``kind`` is cubin, ptx, lto-ir, code-object, bitcode, spirv, fatbin, or another word that docs/inspect.md lists.
    ``target`` is normalized: ``sm_90a``, ``compute_80``, ``lto_80``, ``gfx90a:sramecc+:xnack-``, or None where the
    container names none; ``declared`` is the raw text or the numbers that it came from.  ``compression`` is none, zlib,
    lz4, lz4-frame, zstd or unknown.  The bytes as stored are ``encoded_size`` from ``encoded_offset`` on, without
    padding; ``decoded_size`` is what the header promises, None where it does not tell.  ``fault`` is what keeps the
    payload from being read.
    """

    kind: str
    target: str | None
    declared: str
    triple: str | None = None
    compression: str = "none"
    header_offset: int
    encoded_offset: int
    encoded_size: int
    decoded_size: int | None
    fault: PayloadFault | None = None


@frozen
class Contents:
    """The payloads of one container, in file order; it ends at ``end``.

    ``fault`` is one of the container itself: what comes before it is in ``payloads`` all the same, and where the fault
    leaves the end unknown, ``end`` is the size of the buffer.
    """

    payloads: tuple[Payload, ...]
    end: int
    fault: PayloadFault | None = None


@frozen
class Kernel:
    """One kernel: ``registers`` a thread, shared and argument bytes; None where the bytes do not tell.

    Its instructions are ``code_bytes`` from ``code_offset`` on, in the decoded payload; text has none.
    """

    name: str
    registers: int | None = None
    shared_bytes: int | None = None
    arguments_bytes: int | None = None
    code_offset: int | None = None
    code_bytes: int | None = None


@frozen
class Examined:
    """What the bytes of a payload say of themselves.

    ``target`` is None where they do not tell; ``is_exact`` is False where they tell the base architecture only, as the
    flags of newer cubins do.  ``kernels`` is None where they were not asked for or cannot be told; ``fault`` says why
    something is missing.
    """

    kind: str
    target: str | None
    is_exact: bool = True
    kernels: tuple[Kernel, ...] | None = None
    fault: PayloadFault | None = None
