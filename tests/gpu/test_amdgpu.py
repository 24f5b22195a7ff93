"""AMDGPU code objects of the corpus, their damage, and what readelf says of new ones."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from offload_tool.gpu.amdgpu import code_object_version, examine, examine_head
from offload_tool.gpu.amdgpu_machines import MACHINES, supports
from offload_tool.gpu.payload import CODES, Kernel
from offload_tool.gpu.payload_kind import kind_of

from ..peers import peer, run
from .amd_files import compiled, held, with_bytes
from .code_of_kernels import without_code

HIP_KERNELS = (
    Kernel(name="scale", registers=3, shared_bytes=0, arguments_bytes=16),
    Kernel(name="_Z4addvPKfS0_Pfi", registers=3, shared_bytes=0, arguments_bytes=28),
)
CORPUS = [
    ("co_v6_gfx90a.co", 6, "gfx90a"),
    ("co_v6_gfx90a_xnack-on.co", 6, "gfx90a:xnack+"),
    ("co_v6_gfx942.co", 6, "gfx942"),
    ("co_v6_gfx1100.co", 6, "gfx1100"),
    ("co_v6_gfx1250.co", 6, "gfx1250"),
    ("co_v6_gfx11-generic.co", 6, "gfx11-generic"),
    ("co_v5_gfx90a.co", 5, "gfx90a"),
    ("co_v4_gfx90a_xnack-on.co", 4, "gfx90a:xnack+"),
]
V3 = [("co_v3_gfx90a_opencl.co", "gfx90a"), ("co_v3_gfx900_opencl.co", "gfx900")]
EI_ABIVERSION, E_FLAGS = 8, 48


class TestCorpus:
    @pytest.mark.parametrize(("name", "version", "target"), CORPUS)
    def test_target(self, name: str, version: int, target: str) -> None:
        head = bytes(held(name)[:64])
        found = examine_head(head)
        assert kind_of(head) == "code-object"
        assert code_object_version(head) == version
        assert (found.kind, found.target, found.is_exact, found.fault) == ("code-object", target, True, None)

    @pytest.mark.parametrize(("name", "version", "target"), CORPUS)
    def test_kernels(self, name: str, version: int, target: str) -> None:
        found = examine(held(name), kernels=True)
        assert (found.target, found.is_exact, found.fault) == (target, True, None)
        assert version >= 4
        assert found.kernels is not None
        assert [(each.name, each.shared_bytes, each.arguments_bytes) for each in found.kernels] == [
            (each.name, each.shared_bytes, each.arguments_bytes) for each in HIP_KERNELS
        ]
        if target != "gfx1250":
            assert without_code(found.kernels) == HIP_KERNELS

    @pytest.mark.parametrize(("name", "target"), V3)
    def test_v3_does_not_tell_on_from_open(self, name: str, target: str) -> None:
        found = examine(held(name), kernels=True)
        assert code_object_version(bytes(held(name)[:64])) == 3
        assert (found.target, found.is_exact, found.fault) == (target, False, None)
        assert without_code(found.kernels) == (Kernel(name="clk", registers=2, shared_bytes=0, arguments_bytes=16),)

    def test_kernels_are_not_looked_for_without_need(self) -> None:
        found = examine(held("co_v6_gfx90a.co"), kernels=False)
        assert (found.target, found.kernels, found.fault) == ("gfx90a", None, None)

    @pytest.mark.parametrize("name", ["cubin_sm_80.cubin", "host_hip.o", "spirv.spv"])
    def test_others_do_not_match(self, name: str) -> None:
        assert kind_of(bytes(held(name)[:64])) != "code-object"
        fault = examine_head(bytes(held(name)[:64])).fault
        assert fault is not None
        assert fault.code == "bad-header"


class TestFlags:
    @pytest.mark.parametrize(
        ("abi", "flags", "target", "is_exact"),
        [
            (4, 0x53F, "gfx90a", True),
            (4, 0x63F, "gfx90a:xnack-", True),
            (4, 0x73F, "gfx90a:xnack+", True),
            (3, 0xF3F, "gfx90a:sramecc+:xnack+", True),
            (2, 0xA3F, "gfx90a:sramecc-:xnack-", True),
            (4, 0x100015F, "gfx9-4-generic", True),
            (4, 0x41, "gfx1100", True),
            (1, 0x33F, "gfx90a", False),
            (1, 0x13F, "gfx90a:sramecc-", False),
            (1, 0x03F, "gfx90a:sramecc-:xnack-", True),
            (1, 0x041, "gfx1100", True),
            (0, 0x12C, "gfx900", False),
            (0, 0x02C, "gfx900:xnack-", True),
        ],
    )
    def test_target(self, abi: int, flags: int, target: str, is_exact: bool) -> None:
        head = with_bytes(held("co_v6_gfx90a.co")[:64], EI_ABIVERSION, bytes([abi]))
        found = examine_head(bytes(with_bytes(head, E_FLAGS, struct.pack("<I", flags))))
        assert (found.target, found.is_exact, found.fault) == (target, is_exact, None)

    @pytest.mark.parametrize("osabi", [0, 0x41, 0x42])
    def test_other_systems_have_the_flags_of_v3(self, osabi: int) -> None:
        head = with_bytes(held("co_v3_gfx900_opencl.co")[:64], 7, bytes([osabi, 0]))
        found = examine_head(bytes(head))
        assert (found.target, found.is_exact, code_object_version(bytes(head))) == ("gfx900", False, None)

    def test_newer_version(self) -> None:
        found = examine(with_bytes(held("co_v6_gfx90a.co"), EI_ABIVERSION, b"\x05"), kernels=True)
        assert found.fault is not None
        assert (found.target, found.fault.code, without_code(found.kernels)) == (
            "gfx90a",
            "unknown-version",
            HIP_KERNELS,
        )
        head = examine_head(bytes(with_bytes(held("co_v6_gfx90a.co")[:64], EI_ABIVERSION, b"\x05")))
        assert head.target is None

    def test_processor_of_the_future_is_told_by_the_metadata(self) -> None:
        data = with_bytes(held("co_v6_gfx90a.co"), E_FLAGS, b"\xee")
        head, whole = examine_head(bytes(data[:64])), examine(data, kernels=False)
        assert head.fault is not None
        assert (head.target, head.fault.code) == (None, "unknown-kind")
        assert (whole.target, whole.fault) == ("gfx90a", None)

    @pytest.mark.parametrize(("name", "other"), [("co_v6_gfx90a.co", b"\x41"), ("co_v6_gfx90a.co", b"\x3f\x07")])
    def test_flags_against_metadata(self, name: str, other: bytes) -> None:
        found = examine(with_bytes(held(name), E_FLAGS, other), kernels=True)
        assert found.fault is not None
        assert (found.fault.code, without_code(found.kernels)) == ("bad-payload", HIP_KERNELS)
        assert found.target in {"gfx1100", "gfx90a:xnack+"}
        assert repr(found.target) in found.fault.text
        assert "'gfx90a'" in found.fault.text

    def test_v3_with_a_target_in_its_metadata_is_exact(self) -> None:
        data = with_bytes(held("co_v4_gfx90a_xnack-on.co"), EI_ABIVERSION, b"\x01")
        found = examine(data, kernels=False)
        assert (found.target, found.is_exact, found.fault) == ("gfx90a:xnack+", True, None)


class TestDamage:
    @pytest.mark.parametrize("name", ["co_v6_gfx90a.co", "co_v3_gfx900_opencl.co"])
    def test_cut_at_every_length(self, name: str) -> None:
        data = held(name)
        for length in [*range(64), *range(64, len(data), 53)]:
            found = examine(data[:length], kernels=True)
            assert found.fault is not None
            assert found.fault.code in CODES

    def test_flips_of_the_header_the_notes_and_the_tables(self) -> None:
        data = bytes(held("co_v6_gfx1100.co"))
        for offset in [*range(600), *range(600, 1500, 3), *range(len(data) - 900, len(data))]:
            for bit in (0x01, 0x80):
                found = examine(with_bytes(data, offset, bytes([data[offset] ^ bit])), kernels=True)
                assert found.fault is None or found.fault.code in CODES

    def test_no_bytes(self) -> None:
        found = examine(memoryview(b""), kernels=True)
        assert found.fault is not None
        assert found.fault.code == "truncated"


def told_by_readelf(file: Path) -> tuple[str, list[tuple[str, int, int, int]]]:
    """Target and kernels (name, VGPRs, shared bytes, argument bytes) as ``llvm-readelf -n`` prints them."""
    text = run([peer("llvm-readelf-22"), "-n", file]).stdout
    target = re.search(r"amdhsa\.target: +'?([^'\n]*)", text)
    assert target is not None
    rows = []
    for block in re.split(r"(?m)^  - ", text.partition("amdhsa.kernels:")[2].partition("amdhsa.target")[0])[1:]:
        fields = dict(re.findall(r"(?m)^ {0,4}(\.[a-z_]+): +(\S+)$", block))
        numbers = (".vgpr_count", ".group_segment_fixed_size", ".kernarg_segment_size")
        rows.append((fields[".name"], *(int(fields[number]) for number in numbers)))
    return target[1].removeprefix("amdgcn-amd-amdhsa--"), rows


def kernel_rows(file: Path) -> list[tuple[str, int | None, int | None, int | None]]:
    found = examine(memoryview(file.read_bytes()), kernels=True)
    assert found.fault is None
    assert found.kernels is not None
    return [(each.name, each.registers, each.shared_bytes, each.arguments_bytes) for each in found.kernels]


class TestCompiled:
    @pytest.mark.parametrize("version", [4, 5, 6])
    @pytest.mark.parametrize(
        "arch", ["gfx90a", "gfx90a:xnack-", "gfx942:sramecc+:xnack+", "gfx1100", "gfx906:sramecc-"]
    )
    def test_readelf_says_the_same(self, tmp_path: Path, version: int, arch: str) -> None:
        file = compiled(tmp_path, arch, f"-mcode-object-version={version}")
        target, rows = told_by_readelf(file)
        for name in ("k.co", "k.o"):
            data = memoryview((tmp_path / name).read_bytes())
            found = examine(data, kernels=False)
            assert (found.target, found.is_exact, found.fault) == (target, True, None)
            assert found.target == arch
            assert code_object_version(bytes(data[:64])) == version
            assert kernel_rows(tmp_path / name) == rows
        assert [row[0] for row in rows] == ["scale", "plain"]
        assert rows[0][2] == 16

    @pytest.mark.slow
    @pytest.mark.parametrize(("number", "processor"), sorted(MACHINES.items()))
    def test_every_processor_that_clang_knows(self, tmp_path: Path, number: int, processor: str) -> None:
        known = run([peer("clang-22"), "-target", "amdgcn-amd-amdhsa", "--print-supported-cpus"], status=None)
        if not re.search(rf"(?m)^\s*{processor}$", known.stdout + known.stderr):
            pytest.skip(f"clang 22 does not know {processor}")
        (tmp_path / "k.cl").write_text("__kernel void k(__global int *p) { *p = 1; }\n")
        # Clang 22 takes no feature of these, though their flags have fields for them.
        settable = () if processor in {"gfx1250", "gfx1251"} else supports(processor)
        for features in ["", *(f":{feature}{sign}" for feature in settable for sign in "+-")]:
            command = [peer("clang-22"), "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-x", "cl", "k.cl", "-c"]
            run([*command, f"-mcpu={processor}{features}", "-o", "k.o"], cwd=tmp_path)
            found = examine(memoryview((tmp_path / "k.o").read_bytes()), kernels=True)
            assert (found.target, found.is_exact, found.fault) == (processor + features, True, None)
        assert number in MACHINES

    @pytest.mark.slow
    @pytest.mark.parametrize("version", [2, 3])
    @pytest.mark.parametrize(
        ("arch", "target", "is_exact"),
        [
            ("gfx900", "gfx900", False),
            ("gfx900:xnack+", "gfx900", False),
            ("gfx900:xnack-", "gfx900:xnack-", True),
            ("gfx906", "gfx906", False),
            ("gfx906:xnack-", "gfx906:xnack-", False),
            ("gfx803", "gfx803", True),
        ],
    )
    def test_versions_2_and_3(self, tmp_path: Path, version: int, arch: str, target: str, is_exact: bool) -> None:
        options = f"-mcode-object-version={version}"
        file = compiled(tmp_path, arch, options, clang="clang-16")
        found = examine(memoryview(file.read_bytes()), kernels=True)
        assert (found.target, found.is_exact, found.fault) == (target, is_exact, None)
        rows = kernel_rows(file)
        assert [(name, shared, arguments) for name, _, shared, arguments in rows] == [
            ("scale", 16, 12),
            ("plain", 0, 8),
        ]
        assert all(registers for _, registers, _, _ in rows)

    def test_kernels_of_linked_files_are_put_together(self, tmp_path: Path) -> None:
        for number in range(2):
            compiled(tmp_path, "gfx90a", source=f"__kernel void k{number}(__global int *p) {{ *p = {number}; }}")
            (tmp_path / "k.o").rename(tmp_path / f"{number}.o")
        run([peer("ld.lld-22"), "-shared", "0.o", "1.o", "-o", "both.co"], cwd=tmp_path)
        assert [row[0] for row in kernel_rows(tmp_path / "both.co")] == ["k0", "k1"]

    def test_without_kernels(self, tmp_path: Path) -> None:
        file = compiled(tmp_path, "gfx90a", source="int f(int x) { return x; }\n")
        assert kernel_rows(file) == []

    @pytest.mark.parametrize("name", ["k.o", "k.co", "stripped.co"])
    def test_descriptors_where_there_are_no_notes(self, tmp_path: Path, name: str) -> None:
        compiled(tmp_path, "gfx90a")
        run([peer("llvm-objcopy-22"), "--strip-all", "k.co", "stripped.co"], cwd=tmp_path)
        run([peer("llvm-objcopy-22"), "--remove-section=.note", name, "bare"], cwd=tmp_path)
        assert kernel_rows(tmp_path / "bare") == [("scale", None, 16, 12), ("plain", None, 0, 8)]

    def test_notes_where_there_are_no_sections(self, tmp_path: Path) -> None:
        compiled(tmp_path, "gfx90a")
        expected = kernel_rows(tmp_path / "k.co")
        run([peer("llvm-objcopy-22"), "--strip-sections", "k.co", "bare"], cwd=tmp_path)
        assert kernel_rows(tmp_path / "bare") == expected

    def test_neither_notes_nor_symbols(self, tmp_path: Path) -> None:
        compiled(tmp_path, "gfx90a")
        run([peer("llvm-objcopy-22"), "--remove-section=.note", "--strip-all", "k.o", "bare"], cwd=tmp_path)
        found = examine(memoryview((tmp_path / "bare").read_bytes()), kernels=True)
        if found.kernels is None:
            assert found.fault is not None
            assert "neither metadata nor symbols" in found.fault.text
