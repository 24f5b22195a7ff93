"""Sections with several bundles, plain and compressed, as linkers lay them out."""

from __future__ import annotations

import pytest

from offload_tool.gpu.bundle_section import read_bundles
from offload_tool.wire.elf import sections

from .amd_files import BUNDLE_MAGIC, ccob_v1, held, with_bytes

LIBRARY = [
    ("gfx1100", 0x1000, 3792),
    ("gfx90a:xnack+", 0x2000, 4560),
    ("gfx1100", 0x5000, 3808),
    ("gfx90a:xnack+", 0x6000, 4592),
]


def section_of(name: str) -> memoryview:
    data = held(name)
    [found] = [section for section in sections(data) if section.name == ".hip_fatbin"]
    return data[found.offset : found.offset + found.size]


def page(*parts: bytes) -> bytes:
    """The parts, each at a multiple of 4096."""
    return b"".join(part.ljust(-(-len(part) // 4096) * 4096, b"\0") for part in parts)


def rows(data: memoryview) -> list[tuple[str | None, int, int]]:
    return [
        (each.target, each.encoded_offset, each.encoded_size) for found in read_bundles(data) for each in found.payloads
    ]


class TestCorpus:
    def test_two_bundles_of_a_library(self) -> None:
        assert rows(section_of("libhip_two_lld.so")) == LIBRARY
        assert [found.fault for found in read_bundles(section_of("libhip_two_lld.so"))] == [None, None]

    def test_object(self) -> None:
        assert rows(section_of("host_hip.o")) == LIBRARY[:2]

    def test_compressed(self) -> None:
        [found] = read_bundles(section_of("host_hip_ccob.o"))
        [payload] = found.payloads
        assert (payload.kind, payload.compression, payload.declared) == ("ccob", "zstd", "version 3, zstd")
        assert (payload.header_offset, payload.encoded_offset, payload.encoded_size) == (0, 32, 1752)
        assert (payload.decoded_size, found.end, payload.fault) == (12752, 1784, None)

    def test_coff_at_an_odd_offset(self) -> None:
        assert rows(held("host_hip_coff.obj")[0x4DF : 0x4DF + 12752]) == LIBRARY[:2]

    def test_linked_image_with_padding(self) -> None:
        data = held("host_hip_pe_ccob.dll")
        [found] = read_bundles(data[0x1000:0x1800])
        assert (found.payloads[0].compression, found.end) == ("zstd", 1782)


class TestWalk:
    @pytest.mark.parametrize("size", [0, 1, 4096, 100_000])
    def test_zeros_alone_are_a_section_without_code(self, size: int) -> None:
        assert list(read_bundles(memoryview(bytes(size)))) == []

    def test_every_version_in_one_section(self) -> None:
        names = [
            "ccob_v1_zstd_handmade.hipfb",
            "ccob_v2_zlib_handmade.hipfb",
            "bundle_align4096.hipfb",
            "ccob_v3_zstd_llvm22.hipfb",
        ]
        data = memoryview(page(*(bytes(held(name)) for name in names)))
        found = list(read_bundles(data))
        assert [each.payloads[0].kind for each in found] == ["ccob", "ccob", "code-object", "ccob"]
        starts = [each.payloads[0].header_offset for each in found]
        assert [start // 4096 for start in starts] == [0, 1, 2, 9]
        assert [each.end - start for each, start in zip(found[:2], starts, strict=False)] == [2295, 2481]

    def test_magic_inside_a_payload_is_passed_over(self) -> None:
        bundle = bytes(held("bundle_align4096.hipfb"))
        inner = bytes(with_bytes(bundle, 0x3000 + 4096, b"CCOB\x03\0\x01\0"))
        inner = bytes(with_bytes(inner, 0x1000 + 4096, BUNDLE_MAGIC))
        stored = bytes(held("ccob_v1_zstd_handmade.hipfb"))
        found = list(read_bundles(memoryview(page(inner, stored))))
        assert [len(each.payloads) for each in found] == [3, 1]

    def test_v1_whose_stream_holds_the_magic(self) -> None:
        import zlib

        bundle = bytes(held("bundle_align4096.hipfb"))
        raw = zlib.compressobj(0)
        inner = bytes(with_bytes(bundle, 0x1000 + 4096, b"CCOB\x01\0\0\0"))
        stored = ccob_v1(raw.compress(inner) + raw.flush(), inner, method=0)
        found = list(read_bundles(memoryview(page(stored, stored))))
        assert [each.payloads[0].fault for each in found] == [None, None]
        assert [each.payloads[0].encoded_size for each in found] == [len(stored) - 20] * 2

    def test_other_bytes_between_bundles_are_told(self) -> None:
        one = bytes(held("bundle_align4096.hipfb"))
        data = with_bytes(page(one, one), len(one) + 5, b"what")
        found = list(read_bundles(data))
        faults = [each.fault and (each.fault.code, each.fault.offset, each.end) for each in found]
        assert faults == [None, ("bad-padding", len(one) + 5, len(page(one))), None]

    def test_other_bytes_at_the_end_are_told(self) -> None:
        one = bytes(held("bundle_align4096.hipfb"))
        found = list(read_bundles(memoryview(one + bytes(10) + b"x" * 9000)))
        assert [each.fault.code if each.fault else None for each in found] == [None, "bad-padding"]
        assert found[-1].end == len(one) + 9010

    def test_bundle_after_zeros_without_alignment(self) -> None:
        one = bytes(held("bundle_noalign.hipfb"))
        assert len(rows(memoryview(bytes(24) + one + bytes(8) + one))) == 6

    def test_text_that_is_no_bundle(self) -> None:
        [found] = read_bundles(memoryview(b"no bundle"))
        assert found.fault is not None
        assert (found.payloads, found.fault.code, found.fault.offset, found.end) == ((), "bad-padding", 0, 9)

    def test_damaged_ones_end_the_walk(self) -> None:
        good = bytes(held("bundle_noalign.hipfb"))
        for name in ("bad_ccob_version_9.hipfb", "bad_ccob_v3_truncated.hipfb", "bad_bundle_huge_count.hipfb"):
            found = list(read_bundles(memoryview(page(good, bytes(held(name))))))
            assert len(found) >= 2, name

    def test_cut_at_every_length(self) -> None:
        data = memoryview(page(bytes(held("ccob_v3_zstd_llvm22.hipfb")), bytes(held("ccob_v1_zstd_handmade.hipfb"))))
        for length in range(0, len(data), 7):
            found = list(read_bundles(data[:length]))
            assert all(each.end <= length for each in found)
