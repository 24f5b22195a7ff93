"""Files of AMD's formats for tests: those of tests/data/gpu, and some put together by hand."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from hashlib import md5
from pathlib import Path

from ..peers import ROOT, peer, run

DATA = ROOT / "tests" / "data" / "gpu"
BUNDLE_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
HOST = "host-x86_64-unknown-linux-gnu-"


def held(name: str) -> memoryview:
    return memoryview((DATA / name).read_bytes())


def with_bytes(data: memoryview | bytes, offset: int, replacement: bytes) -> memoryview:
    """A copy with other bytes at ``offset``."""
    changed = bytearray(data)
    changed[offset : offset + len(replacement)] = replacement
    return memoryview(bytes(changed))


def bundle_of_rows(rows: Sequence[tuple[str, int, int]], *, size: int, count: int | None = None) -> bytes:
    """A bundle with these rows of id, offset and size in its table, then zeros up to ``size``."""
    table = BUNDLE_MAGIC + struct.pack("<Q", len(rows) if count is None else count)
    for text, offset, length in rows:
        table += struct.pack("<QQQ", offset, length, len(text)) + text.encode()
    return table.ljust(size, b"\0")


def ccob_v3(stream: bytes, bundle: bytes, *, method: int = 1) -> bytes:
    digest = int.from_bytes(md5(bundle, usedforsecurity=False).digest()[:8], "little")
    return struct.pack("<4sHHQQQ", b"CCOB", 3, method, 32 + len(stream), len(bundle), digest) + stream


def ccob_v1(stream: bytes, bundle: bytes, *, method: int = 1) -> bytes:
    digest = int.from_bytes(md5(bundle, usedforsecurity=False).digest()[:8], "little")
    return struct.pack("<4sHHIQ", b"CCOB", 1, method, len(bundle), digest) + stream


KERNELS = """
__kernel void scale(__global int *p, int n) { __local int s[4]; s[0] = n; p[0] = s[n & 3] * 2; }
__kernel void plain(__global int *p) { *p = 1; }
"""


def compiled(
    folder: Path, arch: str, *options: str, clang: str = "clang-22", name: str = "k.co", source: str = KERNELS
) -> Path:
    """A code object of ``KERNELS``, linked by lld 22."""
    (folder / "k.cl").write_text(source)
    command = [peer(clang), "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-x", "cl", f"-mcpu={arch}", *options]
    run([*command, "-c", "k.cl", "-o", "k.o"], cwd=folder)
    run([peer("ld.lld-22"), "-shared", "k.o", "-o", name], cwd=folder)
    return folder / name
