"""What the CUDA files of tests/data/gpu hold, and ways to change one field of them."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from offload_tool.errors import FormatError
from offload_tool.gpu import cubin, cuda_fatbin, ptx
from offload_tool.gpu.payload import CODES, Examined, Kernel, Payload
from offload_tool.wire.decode import decoded

from ..peers import ROOT

DATA = ROOT / "tests" / "data" / "gpu"
SCALE, ADDV = "scale", "_Z4addvPKfS0_Pfi"
ENTRY = 16
"""Where the first entry of a fatbin begins."""
FIELDS = {
    "kind": (0, "<H"), "version": (2, "<H"), "header_size": (4, "<I"), "payload_size": (8, "<Q"),
    "compressed_size": (16, "<I"), "options_offset": (20, "<I"), "sm": (28, "<I"), "name_offset": (32, "<I"),
    "name_length": (36, "<I"), "flags": (40, "<Q"), "decoded_size": (56, "<Q"),
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """An entry as a listing states it: offset, kind, target, flags, header, sizes, codec; ``decoded`` 0 is stored."""

    offset: int
    kind: str
    target: str
    flags: int
    header: int
    padded: int
    encoded: int = 0
    decoded: int = 0
    codec: str = "none"


LISTINGS: dict[str, list[Entry]] = {
    "fatbin_none": [
        Entry(0x10, "cubin", "sm_80", 0x11, 64, 4968),
        Entry(0x13B8, "cubin", "sm_90a", 0x100011, 64, 5736),
        Entry(0x2A60, "cubin", "sm_100f", 0x1200011, 112, 8584),
        Entry(0x4C58, "ptx", "compute_100f", 0x200011, 80, 1640),
    ],
    "fatbin_default_cuda13": [
        Entry(0x10, "cubin", "sm_80", 0x11, 64, 4968),
        Entry(0x13B8, "cubin", "sm_90a", 0x100011, 64, 5736),
        Entry(0x2A60, "cubin", "sm_100f", 0x1200011, 112, 8584),
        Entry(0x4C58, "ptx", "compute_100f", 0x208011, 80, 488, 484, 1638, "zstd"),
    ],
    "fatbin_speed_lz4_ptx": [
        Entry(0x10, "cubin", "sm_80", 0x11, 64, 4968),
        Entry(0x13B8, "cubin", "sm_90a", 0x100011, 64, 5736),
        Entry(0x2A60, "cubin", "sm_100f", 0x1200011, 112, 8584),
        Entry(0x4C58, "ptx", "compute_100f", 0x202011, 80, 672, 665, 1638, "lz4"),
    ],
    "fatbin_size_zstd_all": [
        Entry(0x10, "cubin", "sm_80", 0x8011, 64, 1048, 1046, 4968, "zstd"),
        Entry(0x468, "cubin", "sm_90a", 0x108011, 64, 1152, 1146, 5736, "zstd"),
        Entry(0x928, "cubin", "sm_100f", 0x1208011, 112, 1592, 1586, 8584, "zstd"),
        Entry(0xFD0, "ptx", "compute_100f", 0x208011, 80, 480, 474, 1638, "zstd"),
    ],
    "fatbin_lz4_all": [
        Entry(0x10, "cubin", "sm_80", 0x2011, 64, 1624, 1623, 4968, "lz4"),
        Entry(0x6A8, "cubin", "sm_90a", 0x102011, 64, 1768, 1762, 5736, "lz4"),
        Entry(0xDD0, "cubin", "sm_100f", 0x1202011, 112, 2496, 2490, 8584, "lz4"),
        Entry(0x1800, "ptx", "compute_100f", 0x202011, 80, 672, 665, 1638, "lz4"),
    ],
    "fatbin_ident_opts": [
        Entry(0x10, "cubin", "sm_80", 0x11, 80, 4968),
        Entry(0x13C8, "cubin", "sm_100", 0x1000011, 128, 8584),
        Entry(0x35D0, "ptx", "compute_80", 0x8011, 112, 480, 473, 1587, "zstd"),
    ],
    "fatbin_debug_flag": [Entry(0x10, "ptx", "compute_80", 0x8013, 80, 480, 473, 1587, "zstd")],
    "fatbin_ltoir": [
        Entry(0x10, "lto-ir", "lto_80", 0x18011, 120, 2000, 1997, 2688, "zstd"),
        Entry(0x858, "lto-ir", "lto_90a", 0x118011, 120, 2000, 1999, 2692, "zstd"),
        Entry(0x10A0, "cubin", "sm_90a", 0x100011, 64, 5736),
    ],
    "fatbin_empty": [],
}
CUBINS: dict[str, tuple[str, bool, str]] = {
    "cubin_sm_75": ("sm_75", True, "sm_75"),
    "cubin_sm_80": ("sm_80", True, "sm_80"),
    "cubin_sm_86_virtual_80": ("sm_86", True, "sm_86"),
    "cubin_sm_90a": ("sm_90", False, "sm_90a"),
    "cubin_sm_100": ("sm_100", False, "sm_100"),
    "cubin_sm_100a": ("sm_100", False, "sm_100a"),
    "cubin_sm_100f": ("sm_100", False, "sm_100f"),
    "cubin_new_sm_100a_cuda129": ("sm_100a", True, "sm_100a"),
    "cubin_old_sm_86_virtual_80_cuda129": ("sm_86", True, "sm_86"),
    "cubin_old_sm_52_cuda118": ("sm_52", True, "sm_52"),
}
"""What the header says, whether that is all there is to say, and what the whole file says."""


def data(name: str) -> memoryview:
    return memoryview((DATA / name).read_bytes())


def patched(name: str, field: str, value: int, *, entry: int = ENTRY) -> memoryview:
    """A fatbin with one field of the entry that begins at ``entry`` changed."""
    offset, layout = FIELDS[field]
    changed = bytearray((DATA / name).read_bytes())
    struct.pack_into(layout, changed, entry + offset, value)
    return memoryview(bytes(changed))


def payload_bytes(held: memoryview, payload: Payload) -> memoryview:
    assert payload.decoded_size is not None
    stream = held[payload.encoded_offset : payload.encoded_offset + payload.encoded_size]
    return memoryview(b"".join(decoded(payload.compression, stream, payload.decoded_size)))


def examined(held: memoryview, payload: Payload) -> Examined:
    content = payload_bytes(held, payload)
    return cubin.examine(content, kernels=True) if payload.kind == "cubin" else ptx.examine(content, kernels=True)


def kernels(*registers: int, shared: int | None = 0) -> tuple[Kernel, ...]:
    """The two kernels of most cubins."""
    sizes = {ADDV: 28, SCALE: 16}
    return tuple(
        Kernel(name=name, registers=count, shared_bytes=shared, arguments_bytes=size)
        for (name, size), count in zip(sizes.items(), registers, strict=True)
    )


def read_everything(held: memoryview) -> None:
    """Reads a damaged fatbin to the last kernel: faults are told by their codes, nothing else is raised."""
    for contents in cuda_fatbin.read_fatbins(held):
        assert contents.fault is None or contents.fault.code in CODES
        assert contents.end <= len(held)
        for payload in contents.payloads:
            assert payload.encoded_offset + payload.encoded_size <= contents.end
            assert payload.fault is None or payload.fault.code in CODES
            if payload.fault is None:
                try:
                    found = examined(held, payload)
                except FormatError:
                    continue
                assert found.fault is None or found.fault.code in CODES
