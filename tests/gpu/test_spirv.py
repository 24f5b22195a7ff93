"""SPIR-V: recognized, its header read, nothing more."""

from __future__ import annotations

import pytest

from offload_tool.gpu.payload_kind import kind_of
from offload_tool.gpu.spirv import examine, examine_head, matches

from .amd_files import held


def test_corpus() -> None:
    data = held("spirv.spv")
    assert matches(bytes(data[:4]))
    for found in (examine_head(bytes(data[:64])), examine(data)):
        assert (found.kind, found.target, found.kernels, found.fault) == ("spirv", None, None, None)


def test_cut_at_every_length() -> None:
    data = held("spirv.spv")
    for length in range(len(data)):
        fault = examine(data[:length]).fault
        expected = "truncated" if length < 20 else "bad-size" if length % 4 else None
        assert (fault.code if fault else None) == expected


def test_other_bytes() -> None:
    fault = examine_head(bytes(20)).fault
    assert fault is not None
    assert fault.code == "bad-header"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("spirv.spv", "spirv"),
        ("bitcode_raw.bc", "bitcode"),
        ("bitcode_wrapper.bc", "bitcode"),
        ("cubin_sm_80.cubin", "cubin"),
        ("co_v6_gfx90a.co", "code-object"),
        ("host_hip.o", "object"),
        ("ptx_compute_80.ptx", "ptx"),
        ("ltoir_80.ltoir", "lto-ir"),
        ("fatbin_none.fatbin", "fatbin"),
        ("bundle_noalign.hipfb", "bundle"),
        ("text_bundle.s", "bundle"),
        ("ccob_v2_zstd_llvm22.hipfb", "ccob"),
        ("offload_binary_two.bin", "offload-binary"),
        ("README.md", "unknown"),
    ],
)
def test_first_bytes_tell_the_kind(name: str, kind: str) -> None:
    assert kind_of(bytes(held(name)[:512])) == kind
