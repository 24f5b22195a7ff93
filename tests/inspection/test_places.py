"""Where device code is found: hosts, archives, files without section headers, and what is wrong with them."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import pytest

from offload_tool import Inspection, inspect_file
from offload_tool.limits import NESTING

from ..peers import ROOT, peer, run

GPU = ROOT / "tests" / "data" / "gpu"


def targets(inspection: Inspection) -> list[str | None]:
    return [row.target or row.payload_target for row in inspection.objects]


def without_sections(name: str, folder: Path) -> Path:
    data = bytearray((GPU / name).read_bytes())
    for offset, size in ((0x28, 8), (0x3C, 4)):
        data[offset : offset + size] = bytes(size)
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["libcuda_two_lld.so", "libhip_two_lld.so", "host_hip_ccob.o", "host_nvcc.o"])
def test_elf_without_section_headers_is_scanned_and_says_so(tmp_path: Path, name: str) -> None:
    whole, scanned = inspect_file(str(GPU / name)), inspect_file(str(without_sections(name, tmp_path)))
    assert targets(scanned) == targets(whole)
    assert [row.encoded_offset for row in scanned.objects] == [row.encoded_offset for row in whole.objects]
    assert all(row.scanned and row.section is None for row in scanned.objects)
    assert not any(row.scanned for row in whole.objects)


def test_a_scan_does_not_look_into_what_it_found(tmp_path: Path) -> None:
    path = without_sections("libcuda_two_lld.so", tmp_path)
    data = bytearray(path.read_bytes())
    inside = data.index(b"\x50\xed\x55\xba") + 2000
    data[inside : inside + 4] = b"\x50\xed\x55\xba"
    path.write_bytes(data)
    assert len(inspect_file(str(path)).objects) == 4


def test_archive_members_are_named(tmp_path: Path) -> None:
    files = [GPU / "host_nvcc.o", GPU / "host_hip.o", GPU / "cubin_sm_80.cubin"]
    run([peer("ar"), "rcS", tmp_path / "lib.a", *files])
    found = inspect_file(str(tmp_path / "lib.a"))
    assert [(row.member, row.section, row.target or row.payload_target) for row in found.objects] == [
        ("host_nvcc.o", ".nv_fatbin", "sm_80"),
        ("host_nvcc.o", ".nv_fatbin", "sm_90a"),
        ("host_nvcc.o", ".nv_fatbin", "compute_90"),
        ("host_hip.o", ".hip_fatbin", "gfx1100"),
        ("host_hip.o", ".hip_fatbin", "gfx90a:xnack+"),
        ("cubin_sm_80.cubin", None, "sm_80"),
    ]
    whole = (tmp_path / "lib.a").read_bytes()
    for row in found.objects:
        assert row.encoded_offset is not None
        assert whole[row.encoded_offset : row.encoded_offset + 4] in (b"\x7fELF", b"\x28\xb5\x2f\xfd")


def test_thin_archive_reads_its_members_beside_it(tmp_path: Path) -> None:
    (tmp_path / "host.o").write_bytes((GPU / "host_nvcc.o").read_bytes())
    run([peer("ar"), "rcST", "lib.a", "host.o"], cwd=tmp_path)
    found = inspect_file(str(tmp_path / "lib.a"), kernels=True)
    assert targets(found) == ["sm_80", "sm_90a", "compute_90"]
    assert [row.encoded_offset for row in found.objects] == [None] * 3
    (tmp_path / "host.o").unlink()
    missing = inspect_file(str(tmp_path / "lib.a"))
    assert [(row.member, row.coverage) for row in missing.objects] == [("host.o", "malformed")]


def test_a_damaged_member_does_not_end_the_others(tmp_path: Path) -> None:
    (tmp_path / "cut.o").write_bytes((GPU / "host_nvcc.o").read_bytes()[:3000])
    run([peer("ar"), "rcS", tmp_path / "lib.a", tmp_path / "cut.o", GPU / "host_hip.o"])
    found = inspect_file(str(tmp_path / "lib.a"))
    assert [(row.member, row.coverage) for row in found.objects] == [
        ("cut.o", "malformed"),
        ("host_hip.o", "complete"),
        ("host_hip.o", "complete"),
    ]
    assert found.coverage == "partial"
    fault = found.objects[0].fault
    assert fault is not None
    assert fault.offset is not None


def test_archives_in_archives_end(tmp_path: Path) -> None:
    inner = GPU / "cubin_sm_80.cubin"
    for depth in range(NESTING + 3):
        outer = tmp_path / f"{depth}.a"
        run([peer("ar"), "rcS", outer, inner])
        inner = outer
    found = inspect_file(str(inner))
    assert [row.fault.code for row in found.objects if row.fault] == ["too-large"]


def test_a_hip_section_of_zeros_holds_no_code(tmp_path: Path) -> None:
    data = (GPU / "host_hip.o").read_bytes()
    path = tmp_path / "moved.o"
    path.write_bytes(data[:0x1000] + bytes(12752) + data[0x1000 + 12752 :])
    found = inspect_file(str(path))
    assert (found.objects, found.coverage) == ((), "complete")


def test_a_conflict_keeps_both_values(tmp_path: Path) -> None:
    data = bytearray((GPU / "fatbin_none.fatbin").read_bytes())
    struct.pack_into("<I", data, 0x10 + 0x1C, 86)
    (tmp_path / "a.fatbin").write_bytes(data)
    found = inspect_file(str(tmp_path / "a.fatbin"), kernels=True)
    first = found.objects[0]
    assert (first.target, first.payload_target, first.target_consistency) == ("sm_86", "sm_80", "conflict")
    assert (first.coverage, found.coverage) == ("partial", "partial")
    assert [(row.coverage, row.conflicts) for row in found.targets if row.target == "sm_86"] == [
        ("partial", ("sm_80",))
    ]
    assert found.kernels is not None
    told = {(row.target, row.payload_target, row.target_consistency) for row in found.kernels if row.object_id == "0"}
    assert told == {("sm_86", "sm_80", "conflict")}


def test_base_only_where_a_compressed_cubin_tells_no_suffix() -> None:
    heads = inspect_file(str(GPU / "fatbin_size_zstd_all.fatbin")).objects
    whole = inspect_file(str(GPU / "fatbin_size_zstd_all.fatbin"), kernels=True).objects
    assert [row.target_consistency for row in heads] == ["match", "base-only", "base-only", "match"]
    assert [row.target_consistency for row in whole] == ["match"] * 4


def test_a_damaged_elf_is_malformed(tmp_path: Path) -> None:
    data = (GPU / "cubin_sm_80.cubin").read_bytes()
    (tmp_path / "cut.cubin").write_bytes(data[:2000])
    found = inspect_file(str(tmp_path / "cut.cubin"), kernels=True)
    assert [(row.kind, row.coverage) for row in found.objects] == [("cubin", "malformed")]
    assert found.coverage == "malformed"


def test_a_bomb_takes_no_memory() -> None:
    tracemalloc.start()
    try:
        for kernels in (False, True):
            inspect_file(str(GPU / "bad_ccob_v3_bomb_64MiB_claims_4096.hipfb"), kernels=kernels)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 << 20


def test_sycl_sections_are_of_no_known_kind_yet_listed(tmp_path: Path) -> None:
    content = tmp_path / "blob"
    content.write_bytes(b"\x01\x02\x03\x04" * 20)
    (tmp_path / "e.c").write_text("int x;")
    run([peer("gcc"), "-c", tmp_path / "e.c", "-o", tmp_path / "e.o"])
    section = "__CLANG_OFFLOAD_BUNDLE__sycl-spir64_gen"
    run([peer("objcopy"), "--add-section", f"{section}={content}", tmp_path / "e.o", tmp_path / "f.o"])
    row = inspect_file(str(tmp_path / "f.o")).objects[0]
    assert (row.kind, row.coverage, row.fault and row.fault.code) == ("unknown", "unsupported", "unknown-kind")
