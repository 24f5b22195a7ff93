"""Clang's bundles read back: those of the corpus, those of the bundler, and damaged ones."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.gpu.bundle_reader import read_bundle, read_bundle_head
from offload_tool.gpu.hip_bundle import BundleEntry, bundle, entry_id
from offload_tool.gpu.payload import CODES, Contents
from offload_tool.limits import BUNDLE_ENTRIES

from ..peers import peer, run
from .amd_files import BUNDLE_MAGIC, HOST, bundle_of_rows, held, with_bytes

AMD = "amdgcn-amd-amdhsa"
ALIGNED = [
    ("gfx90a:xnack+", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", 0x1000, 6104),
    ("gfx1100", "hipv4-amdgcn-amd-amdhsa--gfx1100", 0x3000, 5168),
    ("gfx11-generic", "hipv4-amdgcn-amd-amdhsa--gfx11-generic", 0x5000, 5176),
]
NOT_ALIGNED = [(*row[:2], offset, row[3]) for row, offset in zip(ALIGNED, (0x10A, 0x18E2, 0x2D12), strict=True)]


def inventory(contents: Contents) -> list[tuple[str | None, str, int, int]]:
    assert all(payload.fault is None for payload in contents.payloads)
    return [(each.target, each.declared, each.encoded_offset, each.encoded_size) for each in contents.payloads]


def codes(contents: Contents) -> list[str | None]:
    return [payload.fault.code if payload.fault else None for payload in contents.payloads]


class TestCorpus:
    @pytest.mark.parametrize(
        ("name", "rows"), [("bundle_align4096.hipfb", ALIGNED), ("bundle_noalign.hipfb", NOT_ALIGNED)]
    )
    def test_inventory(self, name: str, rows: list[tuple[str, str, int, int]]) -> None:
        data = held(name)
        contents = read_bundle(data)
        assert inventory(contents) == rows
        assert (contents.end, contents.fault) == (len(data), None)
        assert {(each.kind, each.triple, each.compression) for each in contents.payloads} == {
            ("code-object", AMD, "none")
        }

    def test_kinds_are_those_of_the_bytes(self) -> None:
        contents = read_bundle(held("bundle_mixed_kinds.hipfb"))
        found = [(p.kind, p.target, p.triple, p.encoded_offset, p.encoded_size) for p in contents.payloads]
        assert found == [
            ("code-object", "gfx1100", AMD, 0x141, 5168),
            ("code-object", "gfx90a", AMD, 0x1571, 6104),
            ("spirv", "amdgcnspirv", "spirv64-amd-amdhsa", 0x2D49, 544),
            ("cubin", "sm_80", "nvptx64-nvidia-cuda", 0x2F69, 4968),
        ]  # fmt: skip

    def test_offsets_count_from_the_start_of_the_data(self) -> None:
        alone = read_bundle(held("bundle_noalign.hipfb"))
        shifted = read_bundle(memoryview(b"x" * 77 + bytes(held("bundle_noalign.hipfb"))), 77)
        assert shifted.end == alone.end + 77
        for one, other in zip(alone.payloads, shifted.payloads, strict=True):
            assert other.encoded_offset == one.encoded_offset + 77
            assert other.header_offset == one.header_offset + 77
            assert (other.kind, other.encoded_size) == (one.kind, one.encoded_size)

    def test_truncated_last_entry(self) -> None:
        contents = read_bundle(held("bad_bundle_truncated_last_entry.hipfb"))
        assert codes(contents) == [None, "truncated"]
        assert [each.target for each in contents.payloads] == ["gfx900", "gfx90a"]
        assert (contents.fault, contents.end) == (None, 6878)

    def test_overlapping_entries(self) -> None:
        contents = read_bundle(held("bad_bundle_overlapping_entries.hipfb"))
        assert codes(contents) == ["overlap", "overlap"]
        assert contents.fault is None

    def test_huge_count(self) -> None:
        contents = read_bundle(held("bad_bundle_huge_count.hipfb"))
        assert contents.fault is not None
        assert (contents.fault.code, contents.fault.offset) == ("bad-header", 24)
        assert [each.target for each in contents.payloads] == ["gfx900", "gfx90a"]


class TestTable:
    def test_host_entry_with_bytes_is_listed(self) -> None:
        contents = read_bundle(
            memoryview(bundle_of_rows([(HOST, 200, 8), ("hip-amdgcn-amd-amdhsa--gfx1", 208, 8)], size=216))
        )
        assert [each.kind for each in contents.payloads] == ["host", "unknown"]

    def test_empty_device_entry_is_listed(self) -> None:
        contents = read_bundle(memoryview(bundle_of_rows([("hip-amdgcn-amd-amdhsa--gfx90a", 200, 0)], size=200)))
        assert [(each.kind, each.fault) for each in contents.payloads] == [("unknown", None)]

    def test_no_entries(self) -> None:
        contents = read_bundle(memoryview(bundle_of_rows([], size=40)))
        assert (contents.payloads, contents.end, contents.fault) == ((), 32, None)

    @pytest.mark.parametrize(
        ("offset", "size", "code"),
        [
            ((1 << 64) - 8, 16, "bad-offset"),
            ((1 << 64) - 1, (1 << 64) - 1, "bad-offset"),
            (200, (1 << 64) - 200, "bad-size"),
            (200, (1 << 64) - 1, "bad-size"),
            (200, 1 << 40, "truncated"),
            (301, 1, "bad-offset"),
            (0, 8, "bad-offset"),
            (40, 8, "bad-offset"),
        ],
    )
    def test_entry_that_leaves_its_place(self, offset: int, size: int, code: str) -> None:
        rows = [(entry_id(AMD, "gfx90a"), offset, size), (entry_id(AMD, "gfx1100"), 250, 8)]
        contents = read_bundle(memoryview(bundle_of_rows(rows, size=300)))
        assert codes(contents) == [code, None]
        assert (contents.fault, contents.end) == (None, 258 if offset in {0, 40} else 300)

    def test_entry_inside_another_and_one_beyond(self) -> None:
        rows = [
            ("hip-a-b-c--1", 300, 100),
            ("hip-a-b-c--2", 310, 10),
            ("hip-a-b-c--3", 390, 20),
            ("hip-a-b-c--4", 410, 5),
        ]
        contents = read_bundle(memoryview(bundle_of_rows(rows, size=420)))
        assert codes(contents) == ["overlap", "overlap", "overlap", None]

    def test_same_bytes_for_two_ids(self) -> None:
        rows = [("hip-a-b-c--1", 200, 10), ("hip-a-b-c--2", 200, 10)]
        assert codes(read_bundle(memoryview(bundle_of_rows(rows, size=210)))) == ["overlap", "overlap"]

    def test_id_longer_than_the_bundle(self) -> None:
        data = bytearray(bundle_of_rows([("hip-a-b-c--1", 200, 10), ("hip-a-b-c--2", 210, 10)], size=220))
        struct.pack_into("<Q", data, 32 + 24 + 12 + 16, 1 << 60)
        contents = read_bundle(memoryview(bytes(data)))
        assert [each.target for each in contents.payloads] == ["1"]
        assert contents.fault is not None
        assert contents.fault.code == "truncated"

    def test_more_entries_than_are_read(self) -> None:
        count = BUNDLE_ENTRIES + 1
        contents = read_bundle(memoryview(BUNDLE_MAGIC + struct.pack("<Q", count) + bytes(24 * count)))
        assert contents.fault is not None
        assert (contents.fault.code, len(contents.payloads)) == ("too-large", BUNDLE_ENTRIES)

    def test_other_magic(self) -> None:
        contents = read_bundle(memoryview(bytes(100)))
        assert contents.fault is not None
        assert (contents.payloads, contents.fault.code, contents.end) == ((), "bad-header", 100)

    def test_head_of_a_bundle_has_the_kinds_that_ids_promise(self) -> None:
        data = held("bundle_mixed_kinds.hipfb")
        contents = read_bundle_head(data[:400], len(data))
        assert [each.kind for each in contents.payloads] == ["code-object", "code-object", "spirv", "cubin"]
        assert (codes(contents), contents.fault, contents.end) == ([None] * 4, None, len(data))

    def test_table_beyond_the_head(self) -> None:
        data = held("bundle_mixed_kinds.hipfb")
        contents = read_bundle_head(data[:200], len(data))
        assert contents.fault is not None
        assert (len(contents.payloads), contents.fault.code) == (2, "truncated")


class TestDamage:
    def test_cut_at_every_length(self) -> None:
        data = held("bundle_noalign.hipfb")
        for length in [*range(400), *range(400, len(data), 97)]:
            contents = read_bundle(data[:length])
            assert contents.end <= length
            assert contents.fault or any(codes(contents))

    def test_flips_of_the_table(self) -> None:
        data = bytes(held("bundle_noalign.hipfb"))
        for offset in range(0x10A):
            for bit in (1, 0x80):
                contents = read_bundle(with_bytes(data, offset, bytes([data[offset] ^ bit])))
                assert {contents.fault.code} <= set(CODES) if contents.fault else True
                assert set(codes(contents)) <= {None, *CODES}
                assert contents.end <= len(data)

    @given(
        st.lists(
            st.tuples(st.sampled_from(["gfx90a", "gfx1100", "gfx11-generic"]), st.binary(max_size=300)), max_size=6
        )
    )
    def test_what_is_written_is_read(self, objects: list[tuple[str, bytes]]) -> None:
        plan = bundle([BundleEntry(entry_id=entry_id(AMD, arch), size=len(held)) for arch, held in objects])
        data = bytearray(plan.head.ljust(plan.size, b"\0"))
        for offset, (_, content) in zip(plan.offsets, objects, strict=True):
            data[offset : offset + len(content)] = content
        contents = read_bundle(memoryview(bytes(data)))
        assert [(each.target, each.encoded_size) for each in contents.payloads] == [
            (arch, len(content)) for arch, content in objects
        ]
        assert contents.fault is None
        for payload, (_, content) in zip(contents.payloads, objects, strict=True):
            assert bytes(data[payload.encoded_offset : payload.encoded_offset + payload.encoded_size]) == content


def test_bundler_lists_the_same_targets(tmp_path: Path) -> None:
    archs = ["gfx90a:xnack+", "gfx1100", "gfx9-4-generic:xnack-"]
    for number in range(len(archs)):
        (tmp_path / f"{number}.o").write_bytes(bytes([number + 1]) * (100 + number))
    targets = ",".join([HOST, *(entry_id(AMD, arch) for arch in archs)])
    bundler = [peer("clang-offload-bundler-22"), "--type=o"]
    inputs = ["--input=/dev/null", *(f"--input={number}.o" for number in range(len(archs)))]
    run([*bundler, f"--targets={targets}", *inputs, "--output=b.hipfb"], cwd=tmp_path)
    listed = run([*bundler, "--list", "--input=b.hipfb"], cwd=tmp_path).stdout.split()
    contents = read_bundle(memoryview((tmp_path / "b.hipfb").read_bytes()))
    assert sorted(listed) == sorted([HOST, *(each.declared for each in contents.payloads)])
    assert [each.target for each in contents.payloads] == archs
    assert [each.encoded_size for each in contents.payloads] == [100, 101, 102]
