"""Whether an image runs on a device: pairs with the source of each rule, what ptxas says, and what always holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.errors import UsageError
from offload_tool.gpu.amdgpu_generic import GENERIC_PROCESSORS, generic_of
from offload_tool.gpu.devices import parse_device
from offload_tool.gpu.nvidia_targets import FAMILIES, NvidiaTarget, TargetForm, family
from offload_tool.gpu.running import verdict

BINARY = "CUDA Programming Guide, binary compatibility"
PTX = "CUDA Programming Guide, PTX compatibility"
SPECIFIC = "CUDA Programming Guide, architecture-specific features"
FAMILY = "CUDA Programming Guide, family-specific features"
RENAMED = "CUDA 13.0 release: sm_101 is called sm_110; ptxas 13.0"
LINKED = "nvJitLink manual: LTO-IR is linked to a cubin, which the driver loads"
TARGET_ID = "LLVM, User Guide for AMDGPU Backend, target features and target id"
GENERIC = "LLVM, User Guide for AMDGPU Backend, generic processors"
HIP = "AMD HIP runtime: SPIR-V of amdgcnspirv is compiled on load"
VENDOR = "the formats: machine code of one vendor"

PAIRS = [
    ("cubin", "sm_89", "sm_89", True, BINARY),
    ("cubin", "sm_80", "8.6", True, BINARY),
    ("cubin", "sm_86", "sm_80", False, BINARY),
    ("cubin", "sm_80", "sm_90", False, BINARY),
    ("cubin", "sm_90", "sm_80", False, BINARY),
    ("cubin", "sm_75", "sm_75", True, BINARY),
    ("cubin", "sm_70", "sm_75", True, BINARY),
    ("cubin", "sm_75", "sm_70", False, BINARY),
    ("cubin", "sm_52", "sm_53", True, BINARY),
    ("cubin", "sm_100", "10.3", True, BINARY),
    ("cubin", "sm_103", "10.0", False, BINARY),
    ("cubin", "sm_100", "12.0", False, BINARY),
    ("cubin", "sm_120", "12.1", True, BINARY),
    ("cubin", "sm_90a", "sm_90", True, SPECIFIC),
    ("cubin", "sm_100a", "10.0", True, SPECIFIC),
    ("cubin", "sm_100a", "10.3", False, SPECIFIC),
    ("cubin", "sm_103a", "10.0", False, SPECIFIC),
    ("cubin", "sm_120a", "12.1", False, SPECIFIC),
    ("cubin", "sm_100f", "10.0", True, FAMILY),
    ("cubin", "sm_100f", "10.3", True, FAMILY),
    ("cubin", "sm_103f", "10.0", False, FAMILY),
    ("cubin", "sm_100f", "11.0", False, FAMILY),
    ("cubin", "sm_120f", "12.1", True, FAMILY),
    ("cubin", "sm_121f", "12.0", False, FAMILY),
    ("cubin", "sm_100f", "12.0", False, FAMILY),
    ("cubin", "sm_101", "11.0", True, RENAMED),
    ("cubin", "sm_110", "sm_101", True, RENAMED),
    ("cubin", "sm_101f", "10.3", False, RENAMED),
    ("ptx", "compute_80", "sm_80", True, PTX),
    ("ptx", "compute_80", "sm_90", True, PTX),
    ("ptx", "sm_80", "12.1", True, PTX),
    ("ptx", "compute_90", "sm_89", False, PTX),
    ("ptx", "compute_121", "12.0", False, PTX),
    ("ptx", "compute_90a", "9.0", True, SPECIFIC),
    ("ptx", "compute_90a", "10.0", False, SPECIFIC),
    ("ptx", "compute_100a", "10.3", False, SPECIFIC),
    ("ptx", "compute_100f", "10.3", True, FAMILY),
    ("ptx", "compute_103f", "10.0", False, FAMILY),
    ("ptx", "compute_100f", "12.0", False, FAMILY),
    ("ptx", "compute_101f", "11.0", True, RENAMED),
    ("ptx", "compute_80", "gfx90a", False, VENDOR),
    ("lto-ir", "lto_90", "sm_90", False, LINKED),
    ("cubin", "sm_90", "gfx942", False, VENDOR),
    ("code-object", "gfx90a", "gfx90a", True, TARGET_ID),
    ("code-object", "gfx90a", "gfx90a:xnack-", True, TARGET_ID),
    ("code-object", "gfx90a:xnack+", "gfx90a:xnack+", True, TARGET_ID),
    ("code-object", "gfx90a:xnack+", "gfx90a:xnack-", False, TARGET_ID),
    ("code-object", "gfx90a:xnack-", "gfx90a:xnack+", False, TARGET_ID),
    ("code-object", "gfx90a:xnack+", "gfx90a", False, TARGET_ID),
    ("code-object", "gfx942:sramecc+:xnack-", "gfx942:xnack-:sramecc+", True, TARGET_ID),
    ("code-object", "gfx942:sramecc+:xnack-", "gfx942:sramecc+", False, TARGET_ID),
    ("code-object", "gfx908", "gfx90a", False, TARGET_ID),
    ("code-object", "gfx11-generic", "gfx1100", True, GENERIC),
    ("code-object", "gfx11-generic", "gfx1153", True, GENERIC),
    ("code-object", "gfx11-generic", "gfx1201", False, GENERIC),
    ("code-object", "gfx9-generic", "gfx90a", False, GENERIC),
    ("code-object", "gfx9-generic:xnack-", "gfx906:xnack+", False, GENERIC),
    ("code-object", "gfx9-4-generic", "gfx950", True, GENERIC),
    ("code-object", "gfx1100", "gfx1101", False, GENERIC),
    ("code-object", "gfx90a", "sm_90", False, VENDOR),
    ("spirv", "amdgcnspirv", "gfx1201", True, HIP),
    ("spirv", "amdgcnspirv", "sm_90", False, VENDOR),
]

DEVICES = ("75", "80", "86", "89", "90", "100", "103", "110", "120", "121")
PTXAS_13_0 = {
    "75": DEVICES, "80": DEVICES[1:], "86": DEVICES[2:], "89": DEVICES[3:], "90": DEVICES[4:], "100": DEVICES[5:],
    "101": DEVICES[6:], "103": DEVICES[6:], "110": DEVICES[7:], "120": DEVICES[8:], "121": DEVICES[9:],
    "100f": ("100", "103"), "101f": ("110",), "103f": ("103",), "110f": ("110",), "120f": ("120", "121"),
    "121f": ("121",),
}  # fmt: skip
"""For which of the devices ptxas 13.0 compiles PTX of a target: measured with one kernel that all targets have.

Targets with ``a`` are not among them: ptxas wants them compiled for a target with ``a``, a device has no letter.
"""

capabilities = st.sampled_from([(major, minor) for major in range(5, 13) for minor in range(10)])
suffixes = st.sampled_from(["", "a", "f"])
processors = st.sampled_from(
    sorted({*GENERIC_PROCESSORS, *(name for group in GENERIC_PROCESSORS.values() for name in group)})
)


@pytest.mark.parametrize(("kind", "target", "device", "runs", "source"), PAIRS)
def test_pair(kind: str, target: str, device: str, runs: bool, source: str) -> None:
    found = verdict(kind, target, device)
    assert found.runs is runs, f"{source}: {found}"
    assert bool(found.rank) is runs
    assert found.reason


@pytest.mark.parametrize("target", PTXAS_13_0)
def test_ptx_as_ptxas_compiles_it(target: str) -> None:
    running = tuple(device for device in DEVICES if verdict("ptx", f"compute_{target}", f"sm_{device}").runs)
    assert running == PTXAS_13_0[target]


class TestReason:
    @pytest.mark.parametrize(
        ("kind", "target", "device", "reason"),
        [
            ("cubin", "sm_80", "9.0", "a cubin runs on its own major version alone: 8, and the device is of 9.0"),
            ("cubin", "sm_100f", "12.0", "sm_100f runs in its family alone: 10.0, 10.3"),
            ("cubin", "sm_130f", "13.1", "sm_130f runs in its family alone: 13.0"),
            ("cubin", "amd", "12.0", "'amd' is no NVIDIA target"),
            ("cubin", None, "12.0", "nothing tells its target"),
            ("code-object", "gfx90a:xnack+", "gfx90a", "the device's xnack is not told: say :xnack+ or :xnack-"),
            ("code-object", "gfx11-generic", "gfx1200", "gfx11-generic covers gfx1100, gfx1101, gfx1102"),
            ("code-object", "sm_90", "gfx1200", "'sm_90' is no AMDGPU target"),
            ("spirv", "spirv64", "gfx90a", "AMD's take 'amdgcnspirv'"),
            ("lto-ir", "lto_90", "9.0", "nvJitLink"),
            ("relocatable-ptx", "compute_90", "9.0", "linked to a cubin first"),
            ("bitcode", None, "9.0", "compiled and linked first"),
            ("bundle", None, "gfx90a", "images of its own"),
            ("other", None, "gfx90a", "'other' is no kind of image that a driver loads"),
        ],
    )  # fmt: skip
    def test_says_what_is_in_the_way(self, kind: str, target: str | None, device: str, reason: str) -> None:
        found = verdict(kind, target, device)
        assert not found.runs
        assert reason in found.reason


@pytest.mark.parametrize(
    ("device", "images"),
    [
        (
            "10.3",
            [
                "cubin sm_103a", "cubin sm_103f", "cubin sm_103", "cubin sm_100f", "cubin sm_100",
                "ptx compute_103a", "ptx compute_103", "ptx compute_100f", "ptx compute_100", "ptx compute_90",
            ],
        ),
        (
            "gfx942:sramecc+:xnack-",
            [
                "code-object gfx942:sramecc+:xnack-", "code-object gfx942:xnack-", "code-object gfx942",
                "code-object gfx9-4-generic:xnack-", "code-object gfx9-4-generic", "spirv amdgcnspirv",
            ],
        ),
    ],
)  # fmt: skip
def test_ranks_from_the_best_down(device: str, images: list[str]) -> None:
    ranks = [verdict(kind, target, device).rank for kind, target in map(str.split, images)]
    assert ranks == sorted(set(ranks), reverse=True)
    assert all(ranks)


@given(own=capabilities, suffix=suffixes, there=capabilities)
def test_no_image_runs_on_an_older_device(own: tuple[int, int], suffix: str, there: tuple[int, int]) -> None:
    name = f"{own[0]}{own[1]}{suffix}"
    device = f"{there[0]}.{there[1]}"
    cubin, ptx = verdict("cubin", f"sm_{name}", device), verdict("ptx", f"compute_{name}", device)
    renamed = (10, 1) in (own, there)
    assert not (cubin.runs or ptx.runs) or own <= there or renamed
    assert not cubin.runs or own[0] == there[0] or renamed
    assert not cubin.runs or ptx.runs, "where machine code runs, so does PTX of the same target"
    assert cubin.rank > ptx.rank or not cubin.runs


@given(own=capabilities, suffix=st.sampled_from(["a", "f"]), there=capabilities)
def test_a_suffix_never_widens(own: tuple[int, int], suffix: str, there: tuple[int, int]) -> None:
    device = f"{there[0]}.{there[1]}"
    for kind, prefix in (("cubin", "sm"), ("ptx", "compute")):
        name = f"{prefix}_{own[0]}{own[1]}"
        assert not verdict(kind, name + suffix, device).runs or verdict(kind, name, device).runs or own == (10, 1)


@given(own=processors, setting=st.sampled_from(["", ":xnack+", ":xnack-"]), device=processors)
def test_a_code_object_with_a_feature_never_runs_wider(own: str, setting: str, device: str) -> None:
    if device in GENERIC_PROCESSORS:
        with pytest.raises(UsageError, match="for several"):
            verdict("code-object", own, device)
        return
    found = verdict("code-object", own + setting, device + setting)
    assert found.runs is (device == own or generic_of(device) == own)
    assert not setting or not verdict("code-object", own + setting, device).runs


@given(text=st.text(max_size=20))
def test_any_text_for_a_target_is_judged(text: str) -> None:
    for kind in ("cubin", "ptx", "code-object", "spirv", text):
        verdict(kind, text, "sm_90")
        verdict(kind, text, "gfx90a")


class TestDevice:
    def test_both_spellings(self) -> None:
        assert parse_device("sm_89") == parse_device("8.9")
        assert parse_device("10.1") == parse_device("sm_110")
        assert str(parse_device("12.0")) == "a device of compute capability 12.0"

    @pytest.mark.parametrize(
        "text",
        ["", "sm_", "sm_9", "sm_90a", "sm_100f", "compute_90", "lto_90", "9", "9.0.1", "90", "0.9", "8.", "٨.٩",
         "sm_٨٩", "sm_09", "SM_90", " sm_90", "sm_90\n", "gfx", "gfx9", "gfx90a:xnack", "gfx90a:xnak+",
         "gfx90a:xnack+:xnack-", "gfx11-generic", "amdgcnspirv", "ampere", "sm_1000"],
    )  # fmt: skip
    def test_other_text_is_refused_with_examples(self, text: str) -> None:
        with pytest.raises(UsageError, match=r"'sm_89', '8\.9' or 'gfx90a:xnack-'") as caught:
            parse_device(text)
        assert repr(text) in str(caught.value)


class TestNvidiaTarget:
    @pytest.mark.parametrize("name", ["sm_89", "sm_90a", "sm_100f", "compute_80", "lto_90a", "compute_121f"])
    def test_name_comes_back(self, name: str) -> None:
        assert str(NvidiaTarget.parse(name)) == name

    def test_parts(self) -> None:
        target = NvidiaTarget.parse("lto_103f")
        assert target == NvidiaTarget(form=TargetForm.LTO, major=10, minor=3, suffix="f")

    @pytest.mark.parametrize("name", ["sm_9", "sm_90b", "sm90", "compute_1000", "sm_90A", "gfx90a", ""])
    def test_other_text(self, name: str) -> None:
        assert NvidiaTarget.parse(name) is None

    def test_families_do_not_overlap(self) -> None:
        members = [one for group in FAMILIES for one in group]
        assert len(members) == len(set(members))
        assert family((10, 1)) == family((11, 0)) == {(11, 0)}
        assert family((9, 0)) == {(9, 0)}


def test_a_processor_has_one_generic_processor_at_most() -> None:
    members = [one for group in GENERIC_PROCESSORS.values() for one in group]
    assert len(members) == len(set(members))
    assert generic_of("gfx90a") is None
