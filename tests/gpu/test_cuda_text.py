"""PTX text and NVVM containers: targets and kernels, and text that was made to mislead or to take long."""

from __future__ import annotations

import pytest

from offload_tool.gpu import nvvm, ptx
from offload_tool.gpu.payload import Examined, Kernel

from .cuda_files import ADDV, SCALE, data

HEADER = b".version 8.0\n.target sm_80\n.address_size 64\n"
COUNT = 200_000


def names(body: bytes) -> list[str]:
    found = ptx.examine(HEADER + body, kernels=True)
    assert found.fault is None
    assert found.kernels is not None
    return [kernel.name for kernel in found.kernels]


def arguments(parameters: bytes) -> int | None:
    found = ptx.examine(HEADER + b".entry k(" + parameters + b") { ret; }", kernels=True)
    assert found.kernels is not None
    (kernel,) = found.kernels
    return kernel.arguments_bytes


@pytest.mark.parametrize("suffix", ["80", "90a", "100f"])
def test_file_of_nvcc(suffix: str) -> None:
    held = data(f"ptx_compute_{suffix}.ptx")
    kernels = (Kernel(name=SCALE, arguments_bytes=16), Kernel(name=ADDV, arguments_bytes=28))
    assert ptx.examine(held, kernels=True) == Examined(kind="ptx", target=f"compute_{suffix}", kernels=kernels)
    assert ptx.examine(held, kernels=False).kernels is None
    assert ptx.examine_head(bytes(held[:512])).target == f"compute_{suffix}"
    assert ptx.matches(bytes(held[:512]))


@pytest.mark.parametrize(
    "text",
    [
        b".version 8.0 .target sm_90a .address_size 64",
        b"\n\n.version 8.0\n.target\n sm_90a, texmode_unified, debug\n",
        b"// .target sm_10\n/* .target sm_20 **/ .version 8.0 // .target sm_30\n.target/**/compute_90a\n\0\0",
    ],
)
def test_target_wherever_it_stands(text: bytes) -> None:
    assert ptx.examine(text, kernels=True) == Examined(kind="ptx", target="compute_90a", kernels=())


def test_target_that_the_head_cuts_is_not_told() -> None:
    text = b".version 8.0\n.target sm_90a\n"
    assert [ptx.examine_head(text[:size]).target for size in range(26, 29)] == [None, None, "compute_90a"]


@pytest.mark.parametrize("text", [b".version 8.0\n", b".version 8.0\n.target mine\n", b".target sm_80\n", b"", b"\0"])
def test_text_without_version_or_target_is_a_fault(text: bytes) -> None:
    found = ptx.examine(text, kernels=True)
    assert (found.target, found.kernels) == (None, None)
    assert found.fault is not None
    assert found.fault.code == "bad-payload"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"// .entry no {\n.visible .entry a() { ret; }", ["a"]),
        (b"/* .entry no { */ .weak .entry a\n{ ret; }", ["a"]),
        (b".entry/**/a/* ( */{ }", ["a"]),
        (b'.file 1 ".entry no {"\n.entry a { }', ["a"]),
        (b'.file 1 "http://x"\n.entry a { }', ["a"]),
        (b".entry a(.param .u32 x);\n.entry b() { }", ["b"]),
        (b".extern .entry a;\n.entry a { }", ["a"]),
        (b".func no() { }\n.entry a { }", ["a"]),
        (b".entry a() .maxntid 128, 1, 1\n.minnctapersm 2 { }", ["a"]),
        (b'.entry a() .pragma "nounroll"; .pragma "x{;"; { }\n.entry b { }', ["a", "b"]),
        (b'.entry a { .pragma "nounroll"; }\n.entry b;', ["a"]),
        (b".entry $a_1$ { }\n.entry %b { }\n.entry _c { }", ["$a_1$", "%b", "_c"]),
        (b".entry a { /* not ended .entry b { }", ["a"]),
        (b".entry a", []),
        (b".entry {", []),
    ],
)
def test_kernels_are_functions_with_a_body(body: bytes, expected: list[str]) -> None:
    assert names(body) == expected


@pytest.mark.parametrize(
    ("parameters", "size"),
    [
        (b"", 0),
        (b" \n ", 0),
        (b".param .u64 a, .param .u32 b", 12),
        (b".param .u8 a, .param .u64 b", 16),
        (b".param .u64 .ptr .global .align 16 a, .param .f16 b", 10),
        (b".param .u8 a, .param .align 8 .b8 s[12]", 20),
        (b".param .align 4 .b8 s[4][2]", 8),
        (b".param .f16x2 a, .param .b128 b", 32),
        (b".param .texref t", None),
        (b".param .b8 s[]", None),
        (b".param .align 3 .b8 s[2]", None),
        (b".param .u32", None),
        (b",", None),
    ],
)
def test_bytes_of_the_arguments(parameters: bytes, size: int | None) -> None:
    assert arguments(parameters) == size


@pytest.mark.parametrize(
    "part",
    [
        b".entry a .pragma ", b".entry a (", b".entry  ", b".entry a", b"/*", b"/**/", b'"', b'"\n', b".target ", b"\n",
        b"*/", b".", b".entry a .pragma;", b".entry a (.param .u32 a[9][9][", b"//", b".entry a(.param .u32 x) ",
    ],
)  # fmt: skip
def test_text_made_to_take_long(part: bytes) -> None:
    # Each takes hours where a pattern reads the rest of the text again from every part.
    assert ptx.examine(HEADER + part * COUNT, kernels=True).target == "compute_80"
    ptx.examine(part * COUNT, kernels=True)
    assert not ptx.matches((part * 512)[:512])


def test_parameters_made_to_take_long() -> None:
    assert arguments(b".param .u32 a" + b"[9]" * COUNT) is None
    assert arguments(b".param .u32 " + b"a " * COUNT + b"[") is None
    assert arguments(b".param .u32 a," * COUNT + b".param .u32 a") == 4 * COUNT + 4


def test_cut_ptx() -> None:
    held = bytes(data("ptx_compute_80.ptx"))
    for size in range(0, len(held), 7):
        found = ptx.examine(held[:size], kernels=True)
        assert (found.target is None) == (found.fault is not None)


def test_lto_ir_tells_its_base_architecture() -> None:
    head = bytes(data("ltoir_80.ltoir")[:64])
    assert nvvm.matches(head)
    assert nvvm.examine_head(head) == Examined(kind="lto-ir", target="lto_80", is_exact=False)
    optix = head[:14] + b"\2" + head[15:]
    assert nvvm.examine_head(optix).kind == "optix-ir"


@pytest.mark.parametrize(("offset", "value", "code"), [(0, b"\0", "bad-payload"), (14, b"\3", "unknown-kind"),
                                                       (26, b"\x21", "bad-payload")])  # fmt: skip
def test_damaged_nvvm_header(offset: int, value: bytes, code: str) -> None:
    head = bytes(data("ltoir_80.ltoir")[:64])
    found = nvvm.examine_head(head[:offset] + value + head[offset + 1 :])
    assert found.fault is not None
    assert (found.target, found.fault.code) == (None, code)


def test_cut_nvvm_header() -> None:
    head = bytes(data("ltoir_80.ltoir")[:64])
    faults = [nvvm.examine_head(head[:size]).fault for size in range(28)]
    assert [fault.code for fault in faults if fault] == ["bad-payload"] * 4 + ["truncated"] * 24
