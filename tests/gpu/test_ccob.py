"""Compressed bundles: every version and method, damaged ones, and memory that stays bounded."""

from __future__ import annotations

import random
import re
import struct
import zlib
from pathlib import Path

import pytest
import zstandard

from offload_tool.gpu import ccob_stream
from offload_tool.gpu.bundle_reader import read_bundle
from offload_tool.gpu.bundle_section import read_bundles
from offload_tool.gpu.ccob import read_ccob
from offload_tool.gpu.ccob_stream import PayloadHeads, bundle_head, bundle_of, hash_of
from offload_tool.gpu.payload import CODES
from offload_tool.wire.elf import sections

from ..peers import peer, run
from .amd_files import HOST, bundle_of_rows, ccob_v1, ccob_v3, held, with_bytes

HASH = 0x469591DAAA363C52
GOOD = [
    ("ccob_v1_zstd_handmade.hipfb", 1, "zstd", 20),
    ("ccob_v2_zlib_handmade.hipfb", 2, "zlib", 24),
    ("ccob_v2_zstd_llvm19.hipfb", 2, "zstd", 24),
    ("ccob_v2_zstd_llvm22.hipfb", 2, "zstd", 24),
    ("ccob_v3_zlib_handmade.hipfb", 3, "zlib", 32),
    ("ccob_v3_zstd_llvm22.hipfb", 3, "zstd", 32),
]
TARGETS = ["gfx90a:xnack+", "gfx1100", "gfx11-generic"]


class TestCorpus:
    @pytest.mark.parametrize(("name", "version", "method", "header_size"), GOOD)
    def test_header(self, name: str, version: int, method: str, header_size: int) -> None:
        data = held(name)
        found = read_ccob(data)
        assert (found.version, found.method, found.header_size) == (version, method, header_size)
        assert (found.uncompressed_size, found.hash, found.fault) == (25656, HASH, None)
        assert found.total_size == (None if version == 1 else len(data))
        assert (found.end, found.stream_offset, found.stream_size) == (len(data), header_size, len(data) - header_size)

    @pytest.mark.parametrize("name", [row[0] for row in GOOD])
    def test_end_is_found_with_bytes_after_it(self, name: str) -> None:
        data = bytes(held(name))
        found = read_ccob(memoryview(b"pad" + data + bytes(50) + data), 3)
        assert (found.offset, found.end, found.fault) == (3, 3 + len(data), None)

    @pytest.mark.parametrize("name", [row[0] for row in GOOD])
    def test_what_is_inside(self, name: str) -> None:
        data, plain = held(name), held("bundle_align4096.hipfb")
        ccob = read_ccob(data)
        assert bundle_of(ccob, data) == ccob_stream.DecodedBundle(data=bytes(plain), fault=None)
        assert bundle_head(ccob, data) == read_bundle(plain)
        heads = PayloadHeads(ccob, data, 64, checks_hash=True)
        for (payload, head), expected in zip(heads, read_bundle(plain).payloads, strict=True):
            assert payload == expected
            assert head == bytes(plain[payload.encoded_offset : payload.encoded_offset + 64])
        assert heads.fault is None

    @pytest.mark.parametrize(
        ("name", "code", "offset"),
        [
            ("bad_ccob_v3_filesize_beyond_eof.hipfb", "truncated", 8),
            ("bad_ccob_v3_method_7.hipfb", "unknown-compression", 6),
            ("bad_ccob_version_9.hipfb", "unknown-version", 4),
            ("bad_ccob_v3_truncated.hipfb", "truncated", 8),
            ("bad_ccob_v3_bomb_64MiB_claims_4096.hipfb", "bad-size", 8),
        ],
    )
    def test_damaged(self, name: str, code: str, offset: int) -> None:
        data = held(name)
        ccob = read_ccob(data)
        assert ccob.fault is not None
        assert (ccob.fault.code, ccob.fault.offset) == (code, offset)
        assert bundle_of(ccob, data).fault == ccob.fault
        list(PayloadHeads(ccob, data, 64))

    def test_hash_mismatch(self) -> None:
        data = held("bad_ccob_v3_hash_mismatch.hipfb")
        ccob = read_ccob(data)
        bundle = bundle_of(ccob, data)
        assert (ccob.fault, bundle.data) == (None, bytes(held("bundle_align4096.hipfb")))
        assert bundle.fault is not None
        assert (bundle.fault.code, bundle.fault.offset) == ("bad-payload", 24)
        unchecked, checked = PayloadHeads(ccob, data, 64), PayloadHeads(ccob, data, 64, checks_hash=True)
        assert [payload.target for payload, _ in unchecked] == [payload.target for payload, _ in checked] == TARGETS
        assert (unchecked.fault, checked.fault) == (None, bundle.fault)

    def test_size_beyond_the_end_leaves_the_targets(self) -> None:
        data = held("bad_ccob_v3_filesize_beyond_eof.hipfb")
        assert [each.target for each in bundle_head(read_ccob(data), data).payloads] == TARGETS


class TestHeader:
    def test_size_below_the_header(self) -> None:
        data = with_bytes(held("ccob_v3_zstd_llvm22.hipfb"), 8, struct.pack("<Q", 31))
        found = read_ccob(data)
        assert found.fault is not None
        assert (found.fault.code, found.end) == ("bad-size", len(data))

    def test_size_of_the_header_alone(self) -> None:
        data = with_bytes(held("ccob_v3_zstd_llvm22.hipfb"), 8, struct.pack("<Q", 32))
        ccob = read_ccob(data)
        assert (ccob.stream_size, ccob.end) == (0, 32)
        assert bundle_head(ccob, data).payloads == ()

    @pytest.mark.parametrize("magic", [b"CCOC", b"ccob", b"\0\0\0\0"])
    def test_signature_is_exact(self, magic: bytes) -> None:
        found = read_ccob(with_bytes(held("ccob_v3_zstd_llvm22.hipfb"), 0, magic))
        assert found.fault is not None
        assert found.fault.code == "bad-header"

    def test_more_than_is_ever_decoded(self) -> None:
        data = memoryview(ccob_v1(zlib.compress(b"x"), b"x", method=0))
        ccob = read_ccob(with_bytes(held("ccob_v3_zlib_handmade.hipfb"), 16, struct.pack("<Q", 1 << 40)))
        assert ccob.fault is not None
        assert (ccob.fault.code, read_ccob(data).fault) == ("too-large", None)

    def test_whole_bundle_above_its_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ccob_stream, "BUNDLE_BYTES", 25655)
        data = held("ccob_v3_zstd_llvm22.hipfb")
        bundle = bundle_of(read_ccob(data), data)
        assert bundle.fault is not None
        assert (bundle.data, bundle.fault.code) == (b"", "too-large")

    @pytest.mark.parametrize("name", [row[0] for row in GOOD])
    def test_cut_at_every_length(self, name: str) -> None:
        data = held(name)
        for length in range(len(data)):
            cut = data[:length]
            ccob = read_ccob(cut)
            assert ccob.fault is not None
            assert ccob.fault.code in {"truncated", "bad-compression"}
            assert ccob.end == length
            if not length % 97:
                assert bundle_of(ccob, cut).fault == ccob.fault

    @pytest.mark.parametrize("name", [row[0] for row in GOOD])
    def test_flips(self, name: str) -> None:
        data = bytes(held(name))
        for offset in [*range(60), *range(60, len(data), 41)]:
            changed = with_bytes(data, offset, bytes([data[offset] ^ 0x11]))
            ccob = read_ccob(changed)
            heads = PayloadHeads(ccob, changed, 64, checks_hash=True)
            found = list(heads)
            faults = [ccob.fault, heads.fault, bundle_of(ccob, changed).fault, *(each.fault for each, _ in found)]
            assert any(faults), offset
            assert {fault.code for fault in faults if fault} <= set(CODES)


class TestStream:
    def test_stream_that_breaks_off_keeps_what_came_before(self) -> None:
        payloads = [random.Random(number).randbytes(300_000) for number in range(3)]
        rows = [(HOST, 0, 0), *((f"hip-amdgcn-amd-amdhsa--gfx90{n}", 4096 + 300_000 * n, 300_000) for n in range(3))]
        bundle = bundle_of_rows(rows, size=4096) + b"".join(payloads)
        whole = ccob_v3(zlib.compress(bundle, 0), bundle, method=0)
        data = memoryview(whole[:500_000])
        ccob = read_ccob(data)
        found = list(PayloadHeads(ccob, data, 1 << 20))
        assert [payload.fault and payload.fault.code for payload, _ in found] == [None, "truncated", "truncated"]
        assert found[0][1] == payloads[0]
        assert payloads[1].startswith(found[1][1])
        assert bundle_of(ccob, data).data == bundle[: len(bundle_of(ccob, data).data)]

    def test_payloads_out_of_order_come_by_offset(self) -> None:
        rows = [("hip-amdgcn-amd-amdhsa--gfx900", 5000, 4), ("hip-amdgcn-amd-amdhsa--gfx906", 4096, 4)]
        bundle = bundle_of_rows(rows, size=4096) + b"abcd".ljust(904, b"\0") + b"efgh"
        data = memoryview(ccob_v3(zstandard.compress(bundle), bundle))
        for wanted, kind in ((3, "code-object"), (512, "unknown")):
            found = [
                (payload.target, payload.kind, head) for payload, head in PayloadHeads(read_ccob(data), data, wanted)
            ]
            assert found == [("gfx906", kind, b"abcd"[:wanted]), ("gfx900", kind, b"efgh"[:wanted])]

    def test_entries_that_overlap_have_no_bytes(self) -> None:
        bundle = bytes(held("bad_bundle_overlapping_entries.hipfb"))
        data = memoryview(ccob_v3(zstandard.compress(bundle), bundle))
        found = [
            (payload.fault and payload.fault.code, head) for payload, head in PayloadHeads(read_ccob(data), data, 9)
        ]
        assert found == [("overlap", b"")] * 2

    def test_long_table_is_found(self) -> None:
        names = [f"hip-amdgcn-amd-amdhsa--gfx{number}" for number in range(3000)]
        bundle = bundle_of_rows([(name, 300_000, 0) for name in names], size=300_000)
        for stream, method in ((zstandard.compress(bundle), 1), (zlib.compress(bundle), 0)):
            data = memoryview(ccob_v3(stream, bundle, method=method))
            contents = bundle_head(read_ccob(data), data)
            assert (len(contents.payloads), contents.fault) == (3000, None)

    def test_stream_holds_no_bundle(self) -> None:
        data = memoryview(ccob_v3(zstandard.compress(b"text" * 50), b"text" * 50))
        contents = bundle_head(read_ccob(data), data)
        assert contents.fault is not None
        assert contents.fault.code == "bad-header"

    def test_sizes_that_differ_are_told(self) -> None:
        for claimed in (25655, 25657):
            for name, offset, size in (("ccob_v1_zstd_handmade.hipfb", 8, 4), ("ccob_v3_zlib_handmade.hipfb", 16, 8)):
                data = with_bytes(held(name), offset, claimed.to_bytes(size, "little"))
                fault = bundle_of(read_ccob(data), data).fault
                assert fault is not None
                assert fault.code in {"bad-size", "bad-compression"}

    def test_frame_without_its_size(self) -> None:
        bundle = bytes(held("bundle_align4096.hipfb"))
        stream = zstandard.ZstdCompressor(write_content_size=False, write_checksum=True).compress(bundle)
        for data in (memoryview(ccob_v1(stream, bundle)), memoryview(ccob_v3(stream, bundle))):
            ccob = read_ccob(data)
            assert (ccob.fault, ccob.end, bundle_of(ccob, data).data) == (None, len(data), bundle)


def test_hash_is_that_of_the_header() -> None:
    assert hash_of(bytes(held("bundle_align4096.hipfb"))) == HASH


@pytest.mark.parametrize("version", [2, 3])
def test_bundler_writes_what_is_read(tmp_path: Path, version: int) -> None:
    objects = [bytes([number]) * 5000 for number in range(len(TARGETS))]
    for number, content in enumerate(objects):
        (tmp_path / str(number)).write_bytes(content)
    ids = [HOST, *(f"hipv4-amdgcn-amd-amdhsa--{target}" for target in TARGETS)]
    inputs = ["--input=/dev/null", "--input=0", "--input=1", "--input=2"]
    command = [peer("clang-offload-bundler-22"), "--type=o", "--compress", f"--targets={','.join(ids)}", *inputs]
    run([*command, "--output=b"], cwd=tmp_path, env={"COMPRESSED_BUNDLE_FORMAT_VERSION": str(version)})
    data = memoryview((tmp_path / "b").read_bytes())
    ccob = read_ccob(data)
    assert (ccob.version, ccob.fault, ccob.end) == (version, None, len(data))
    assert [each.declared for each in bundle_head(ccob, data).payloads] == ids[1:]
    heads = PayloadHeads(ccob, data, 1 << 20, checks_hash=True)
    assert [head for _, head in heads] == objects
    assert heads.fault is None


@pytest.mark.parametrize("method", [0, 1])
def test_bundler_reads_what_the_tests_make(tmp_path: Path, method: int) -> None:
    bundle = bytes(held("bundle_align4096.hipfb"))
    stream = zstandard.compress(bundle) if method else zlib.compress(bundle)
    (tmp_path / "v1").write_bytes(ccob_v1(stream, bundle, method=method))
    (tmp_path / "v3").write_bytes(ccob_v3(stream, bundle, method=method))
    for name in ("v1", "v3"):
        command = [peer("clang-offload-bundler-22"), "--type=o", "--list", f"--input={name}"]
        listed = run(command, cwd=tmp_path).stdout.split()
        assert sorted(listed) == sorted([HOST, *(each.declared for each in read_bundle(memoryview(bundle)).payloads)])


@pytest.mark.parametrize("name", ["libhip_two_lld.so", "host_hip_ccob.o", "host_hip.o"])
def test_objdump_lists_the_same(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(held(name))
    said = run([peer("llvm-objdump-22"), "--offloading", name], cwd=tmp_path).stdout
    data = held(name)
    [place] = [section for section in sections(data) if section.name == ".hip_fatbin"]
    section = data[place.offset : place.offset + place.size]
    declared = []
    for contents in read_bundles(section):
        for payload in contents.payloads:
            if payload.kind == "ccob":
                inner = bundle_head(read_ccob(section, payload.header_offset), section)
                declared += [each.declared for each in inner.payloads]
            else:
                declared.append(payload.declared)
    assert sorted(re.findall(r"hipv4-\S+", said)) == sorted(declared)
    assert len(declared) in {2, 4}
