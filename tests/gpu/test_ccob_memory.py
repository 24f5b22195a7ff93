"""Compressed bundles much larger than the memory that reading them takes."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
import zstandard

from ..peers import run
from .amd_files import DATA, bundle_of_rows, ccob_v3

LARGE = 192 << 20
PEAK = """
import sys
from offload_tool.gpu.ccob import read_ccob
from offload_tool.gpu.ccob_stream import PayloadHeads, bundle_head
data = memoryview(open(sys.argv[1], "rb").read())
ccob = read_ccob(data)
before = int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
found = bundle_head(ccob, data).payloads if sys.argv[2] == "table" else list(PayloadHeads(ccob, data, 512))
after = int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
print(len(found), after - before)
"""


class TestMemory:
    @pytest.mark.parametrize("single_segment", [True, False])
    @pytest.mark.parametrize("what", ["table", "heads"])
    def test_large_bundle(self, tmp_path: Path, what: str, single_segment: bool) -> None:
        noise = random.Random(1).randbytes(1 << 20)
        rows = [(f"hip-amdgcn-amd-amdhsa--gfx{900 + n}", 4096 + n * (LARGE // 4), LARGE // 4) for n in range(4)]
        bundle = bundle_of_rows(rows, size=4096) + noise * (LARGE >> 20)
        compressor = zstandard.ZstdCompressionParameters(window_log=28 if single_segment else 21)
        stream = zstandard.ZstdCompressor(compression_params=compressor).compress(bundle)
        frame = zstandard.get_frame_parameters(stream)
        assert (frame.window_size >= LARGE) == single_segment
        (tmp_path / "large.hipfb").write_bytes(ccob_v3(stream, bundle))
        del bundle
        count, grown = map(int, run([sys.executable, "-c", PEAK, tmp_path / "large.hipfb", what]).stdout.split())
        assert count == 4
        # The window of a frame in one segment is the bundle itself; nothing else may grow with it.
        limit = LARGE + (64 << 20) if single_segment and what == "heads" else 48 << 20
        assert grown << 10 < limit

    def test_bomb(self) -> None:
        name = DATA / "bad_ccob_v3_bomb_64MiB_claims_4096.hipfb"
        for what in ("table", "heads"):
            count, grown = map(int, run([sys.executable, "-c", PEAK, name, what]).stdout.split())
            assert (count, grown < 8 << 10) == (0, True)
