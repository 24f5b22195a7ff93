"""Clang's offload bundles: recognized plain (``__CLANG_OFFLOAD_BUNDLE__``) or compressed (``CCOB``), written plain.

Header, 32 bytes, little-endian; every offset counts from the first byte of the bundle:

| offset | type | field |
|---|---|---|
| 0 | 24 bytes | magic ``__CLANG_OFFLOAD_BUNDLE__``, no NUL |
| 24 | u64 | number of entries |

Entries follow at once, without padding, so that the numbers of all but the first are unaligned:

| offset | type | field |
|---|---|---|
| 0 | u64 | offset of the object |
| 8 | u64 | size of the object |
| 16 | u64 | size of the entry id |
| 24 | bytes | entry id, no NUL |

Objects begin at multiples of 4096 with zeros between them; the bundle ends with the last one.  An entry id is kind,
triple of four parts, and target id, joined by dashes; a triple without environment leaves its fourth part empty.  The
first entry is the host's: its object is empty and has the offset of the next one.

Source: "Clang Offload Bundler" in Clang's manual, and the bundles of clang 22 for HIP.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct

from ..errors import UsageError
from ..frozen import frozen
from ..wire.bounded import align_up
from ..wire.magic import COMPRESSED_BUNDLE as COMPRESSED_MAGIC
from ..wire.magic import OFFLOAD_BUNDLE as MAGIC
from .amdgpu_targets import normalized_target

__all__ = [
    "ALIGNMENT", "COMPRESSED_MAGIC", "ENTRY", "HEADER", "HOST_ENTRY_ID", "MAGIC", "SECTION",
    "BundleEntry", "BundlePlan", "bundle", "entry_id", "matches",
]  # fmt: skip


ALIGNMENT = 4096
"""Objects begin at multiples of this, and so does each bundle of a host's section."""

SECTION = ".hip_fatbin"
"""The section of an ELF host that bundles are in."""

HOST_ENTRY_ID = "host-x86_64-unknown-linux-gnu-"
"""The first entry: clang writes these words whatever the host is, and runtimes pass over them."""

HEADER = Struct("<24sQ")
ENTRY = Struct("<QQQ")
assert HEADER.size == 32
assert ENTRY.size == 24


@frozen
class BundleEntry:
    """One object to be bundled: its entry id and its size in bytes."""

    entry_id: str
    size: int


@frozen
class BundlePlan:
    """``head`` goes first, then each object at its own of ``offsets``, with zeros in the gaps; ``size`` is the end."""

    head: bytes
    offsets: tuple[int, ...]
    size: int


def matches(head: bytes) -> bool:
    """Whether the bytes begin as a bundle does."""
    return head.startswith((MAGIC, COMPRESSED_MAGIC))


def entry_id(triple: str, arch: str) -> str:
    """The entry id of a HIP code object; raises UsageError for a triple that has neither three parts nor four.

    Features get into the order of the alphabet, and the environment ``unknown`` is left out: runtimes compare text.

    >>> entry_id("amdgcn-amd-amdhsa", "gfx90a:xnack+:sramecc-")
    'hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack+'
    """
    parts = triple.split("-")
    if len(parts) not in (3, 4):
        raise UsageError(
            f"triple {triple!r} has {len(parts)} parts; a bundle's entry id wants 3, or 4 with environment"
        )
    environment = parts[3] if len(parts) == 4 and parts[3] != "unknown" else ""
    # So clang writes them; runtimes take either kind for a code object, but look for SPIR-V by this text.
    kind = "hip" if triple.startswith("spirv") else "hipv4"
    return "-".join([kind, *parts[:3], environment, normalized_target(arch)])


def bundle(entries: Sequence[BundleEntry]) -> BundlePlan:
    """Everything of a bundle but its objects, so that they are copied and never held; the host's entry is added.

    >>> bundle([BundleEntry(entry_id=entry_id("amdgcn-amd-amdhsa", "gfx90a"), size=5)]).offsets
    (4096,)
    """
    every = [BundleEntry(entry_id=HOST_ENTRY_ID, size=0), *entries]
    ids = [entry.entry_id.encode("utf-8", "surrogateescape") for entry in every]
    end = HEADER.size + sum(ENTRY.size + len(name) for name in ids)
    table, offsets = [HEADER.pack(MAGIC, len(every))], []
    for entry, name in zip(every, ids, strict=True):
        offset = align_up(end, ALIGNMENT)
        table += [ENTRY.pack(offset, entry.size, len(name)), name]
        offsets.append(offset)
        end = offset + entry.size
    return BundlePlan(head=b"".join(table).ljust(offsets[0], b"\0"), offsets=tuple(offsets[1:]), size=end)
