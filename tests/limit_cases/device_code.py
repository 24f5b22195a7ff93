"""Limits of ELF, of compressed streams, and of the containers and kinds of device code."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import lz4.block
import msgpack
import zstandard

from offload_tool.actions.inspection.report import inspect_file
from offload_tool.actions.inspection.scanning import device_code_extents
from offload_tool.gpu import amdgpu_v2
from offload_tool.gpu.amdgpu_descriptors import described_kernels
from offload_tool.gpu.amdgpu_metadata import metadata
from offload_tool.gpu.bundle_reader import read_bundle
from offload_tool.gpu.ccob import read_ccob
from offload_tool.gpu.ccob_stream import bundle_head, bundle_of
from offload_tool.gpu.cuda_fatbin import read_fatbin
from offload_tool.gpu.text_bundle import read_text_bundle
from offload_tool.wire import lz4 as own_lz4
from offload_tool.wire.decode import decoded
from offload_tool.wire.elf import sections
from offload_tool.wire.elf_symbols import defined_symbols

from ..gpu.amd_files import bundle_of_rows, ccob_v3
from .case import GPU, Case, held

KERNEL = {".name": "k", ".symbol": "k.kd"}
V2 = b"---\nKernels:\n  - Name: a\n  - Name: b\n"


def file(name: str, read: Callable[[memoryview], object]) -> Callable[[Path], object]:
    return lambda _folder: read(held(GPU / name))


def note(**more: object) -> Callable[[Path], object]:
    packed = msgpack.packb({"amdhsa.kernels": [{**KERNEL, **more}] * 2})
    return lambda _folder: metadata(memoryview(packed), kernels=True)


def ccob_head(data: memoryview) -> object:
    return bundle_head(read_ccob(data), data)


def ccob_whole(data: memoryview) -> object:
    return bundle_of(read_ccob(data), data).fault


def large_table(_folder: Path) -> object:
    """A compressed bundle whose table takes more than 4096 bytes."""
    rows = [(f"hip-amdgcn-amd-amdhsa--gfx9{'0' * 3000}", 0, 0)] * 2
    bundle = bundle_of_rows(rows, size=8192)
    return ccob_head(memoryview(ccob_v3(zlib.compress(bundle), bundle, method=0)))


def found_after_none(_folder: Path) -> object:
    return device_code_extents(memoryview(b"CCOB" + bytes(60) + (GPU / "fatbin_none.fatbin").read_bytes()))


def block(_folder: Path) -> object:
    stream = lz4.block.compress(b"abc" * 9, store_size=False)
    return own_lz4.block(memoryview(stream), 27)


def wide_frame(_folder: Path) -> object:
    """A frame whose window is 16 MiB, which its size allows."""
    size = 16 << 20
    parameters = zstandard.ZstdCompressionParameters(window_log=24)
    maker = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    stream = maker.compress(bytes(size)) + maker.flush()
    return sum(map(len, decoded("zstd", memoryview(stream), size)))


def inspected(name: str) -> Callable[[Path], object]:
    return lambda _folder: inspect_file(str(GPU / name))


def in_archives(folder: Path) -> object:
    content = (GPU / "cubin_sm_80.cubin").read_bytes()
    for _ in range(2):
        header = b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (b"k/", 0, 0, 0, b"644", len(content))
        content = b"!<arch>\n" + header + content + b"\n" * (len(content) % 2)
    (folder / "a.a").write_bytes(content)
    return inspect_file(str(folder / "a.a"))


CASES: dict[str, list[Case]] = {
    "ELF_SECTIONS": [Case(module="wire.elf", lowered=3, feed=file("host_hip.o", sections), told="at most 3 are read")],
    "ELF_SYMBOLS": [
        Case(module="wire.elf_symbols", lowered=1, feed=file("host_hip.o", defined_symbols), told="at most 1 are read")
    ],
    "ELF_NAME_BYTES": [
        Case(module="wire.elf", lowered=3, feed=file("host_hip.o", sections), told="does not end there")
    ],
    "INFLATED_BYTES": [
        Case(
            module="gpu.cuda_fatbin", lowered=99, told="more than the 99 bytes",
            feed=file("fatbin_lz4_all.fatbin", read_fatbin),
        ),
        Case(module="gpu.ccob", lowered=99, feed=file("ccob_v3_zstd_llvm22.hipfb", read_ccob), told="more than 99"),
        Case(
            module="wire.decode", lowered=2, told="at most 2 are decoded",
            feed=lambda _: list(decoded("none", memoryview(b"abc"), 3)),
        ),
    ],
    "LZ4_BLOCK_BYTES": [Case(module="wire.lz4", lowered=26, feed=block, told="cannot hold the declared 27 bytes")],
    "ZSTD_WINDOW_BYTES": [Case(module="wire.decode", lowered=1 << 20, feed=wide_frame, told="no sound zstd stream")],
    "NESTING": [
        Case(module="actions.inspection.places", lowered=1, feed=in_archives, told="nested deeper than 1 levels"),
        Case(
            module="actions.inspection.located", lowered=-1, told="nested deeper than -1 levels",
            feed=inspected("offload_binary_two.bin"),
        ),
    ],
    "PAYLOAD_BYTES": [
        Case(
            module="actions.inspection.located", lowered=99, told="at most 99 are held",
            feed=lambda _: inspect_file(str(GPU / "fatbin_lz4_all.fatbin"), kernels=True),
        )
    ],
    "SCAN_HITS": [
        Case(
            module="actions.inspection.scanning", lowered=0, told="[]",
            feed=file("libcuda_two_lld.so", device_code_extents),
        )
    ],
    "SCAN_ENTRIES": [Case(module="actions.inspection.scanning", lowered=0, feed=found_after_none, told="[]")],
    "FATBIN_ENTRIES": [
        Case(module="gpu.cuda_fatbin", lowered=1, feed=file("fatbin_none.fatbin", read_fatbin), told="than 1 entries")
    ],
    "BUNDLE_ENTRIES": [
        Case(
            module="gpu.bundle_reader", lowered=1, told="at most 1 are read",
            feed=file("bundle_noalign.hipfb", read_bundle),
        ),
        Case(
            module="gpu.text_bundle", lowered=1, told="more than 1 entries",
            feed=file("text_bundle.s", read_text_bundle),
        ),
    ],
    "BUNDLE_ID_BYTES": [
        Case(module="gpu.bundle_reader", lowered=9, feed=file("bundle_noalign.hipfb", read_bundle), told="the id of")
    ],
    "BUNDLE_TABLE_BYTES": [
        Case(module="gpu.ccob_stream", lowered=4096, feed=large_table, told="the id of an entry")
    ],
    "BUNDLE_BYTES": [
        Case(
            module="gpu.ccob_stream", lowered=99, told="more than 99",
            feed=file("ccob_v3_zstd_llvm22.hipfb", ccob_whole),
        )
    ],
    "AMDGPU_KERNELS": [
        Case(module="gpu.amdgpu_metadata", lowered=1, feed=note(), told="at most 1 are read"),
        Case(
            module="gpu.amdgpu_v2", lowered=1, told="more than 1 kernels",
            feed=lambda _: amdgpu_v2.kernels_of(memoryview(V2)),
        ),
        Case(
            module="gpu.amdgpu_descriptors", lowered=0, told="more than 0 kernels",
            feed=file("co_v6_gfx90a.co", described_kernels),
        ),
    ],
    "AMDGPU_KERNEL_FIELDS": [
        Case(module="gpu.amdgpu_metadata", lowered=1, feed=note(), told="at most 1 are read"),
    ],
}  # fmt: skip
