"""Entry ids, triples and target ids of AMD's in every way that they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.gpu.amdgpu_machines import MACHINES, supports
from offload_tool.gpu.amdgpu_targets import normalized_target, normalized_triple, same_target
from offload_tool.gpu.entry_id import parse_entry_id
from offload_tool.gpu.hip_bundle import entry_id

AMD = "amdgcn-amd-amdhsa"


@pytest.mark.parametrize(
    ("text", "kind", "triple", "target"),
    [
        ("host-x86_64-unknown-linux-gnu-", "host", "x86_64-unknown-linux-gnu", None),
        ("host-x86_64-unknown-linux-gnu", "host", "x86_64-unknown-linux-gnu", None),
        ("host-x86_64-unknown-linux", "host", "x86_64-unknown-linux", None),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", "hipv4", AMD, "gfx90a:xnack+"),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+", "hipv4", AMD, "gfx90a:sramecc+:xnack-"),
        ("hip-amdgcn-amd-amdhsa--gfx1100", "hip", AMD, "gfx1100"),
        ("hip-amdgcn-amd-amdhsa-gfx900", "hip", AMD, "gfx900"),
        ("hip-amdgcn-amd-amdhsa-gfx9-4-generic", "hip", AMD, "gfx9-4-generic"),
        ("hip-amdgcn-amd-amdhsa-unknown-gfx906", "hip", AMD, "gfx906"),
        ("hipv4-amdgcn-amd-amdhsa--gfx11-generic", "hipv4", AMD, "gfx11-generic"),
        ("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack-", "hipv4", AMD, "gfx9-4-generic:xnack-"),
        ("openmp-nvptx64-nvidia-cuda-unknown-sm_80", "openmp", "nvptx64-nvidia-cuda", "sm_80"),
        ("openmp-nvptx64-nvidia-cuda-sm_80", "openmp", "nvptx64-nvidia-cuda", "sm_80"),
        ("hip-spirv64-amd-amdhsa--amdgcnspirv", "hip", "spirv64-amd-amdhsa", "amdgcnspirv"),
        ("hip-amdgpu9.00-amd-amdhsa--gfx900", "hip", AMD, "gfx900"),
        ("hip-amdgcn-amd-amdhsa", "hip", AMD, None),
        ("hip", "hip", "", None),
        ("", "", "", None),
    ],
)
def test_forms(text: str, kind: str, triple: str, target: str | None) -> None:
    found = parse_entry_id(text)
    assert (found.kind, found.triple, found.target) == (kind, triple, target)
    assert found.is_host == (kind == "host")


@given(
    st.sampled_from(sorted(set(MACHINES.values()))),
    st.dictionaries(st.sampled_from(["sramecc", "xnack"]), st.booleans()),
)
def test_written_ids_are_read_back(processor: str, features: dict[str, bool]) -> None:
    target = processor + "".join(f":{name}{'+' if on else '-'}" for name, on in sorted(features.items()))
    for triple in (AMD, f"{AMD}-", f"{AMD}-unknown"):
        found = parse_entry_id(entry_id(triple, target))
        assert (found.triple, found.target) == (AMD, target)


@given(st.text())
def test_any_text_has_parts(text: str) -> None:
    found = parse_entry_id(text)
    assert text.startswith(found.kind)
    assert isinstance(found.triple, str)


@pytest.mark.parametrize(
    ("triple", "normalized"),
    [
        (AMD, AMD),
        (f"{AMD}-", AMD),
        (f"{AMD}-unknown", AMD),
        ("amdgpu-amd-amdhsa", AMD),
        ("amdgpu9.00-amd-amdhsa", AMD),
        ("amdgpu12.5-amd-amdhsa-unknown", AMD),
        ("amdgcn-amd-amdpal", "amdgcn-amd-amdpal"),
        ("amdgcn-amd-amdhsa-llvm", "amdgcn-amd-amdhsa-llvm"),
        ("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"),
        ("nvptx64-nvidia-cuda", "nvptx64-nvidia-cuda"),
        ("spirv64-unknown-unknown", "spirv64-unknown-unknown"),
    ],
)
def test_triples_are_normalized(triple: str, normalized: str) -> None:
    assert normalized_triple(triple) == normalized


@pytest.mark.parametrize("text", ["gfx90a:xnack+:xnack+", "sm_80", "", "gfx90a:", "native"])
def test_text_that_is_no_target_id_stays(text: str) -> None:
    assert normalized_target(text) == text


@pytest.mark.parametrize(
    ("declared", "payload", "same"),
    [
        ("gfx90a", "gfx90a", True),
        ("gfx90a:xnack+", "gfx90a:xnack+", True),
        ("gfx90a:xnack+:sramecc-", "gfx90a:sramecc-:xnack+", True),
        ("gfx11-generic", "gfx11-generic", True),
        ("amdgcnspirv", "amdgcnspirv", True),
        ("gfx90a:xnack+", "gfx90a", False),
        ("gfx90a", "gfx90a:xnack+", False),
        ("gfx90a:xnack+", "gfx90a:xnack-", False),
        ("gfx1100", "gfx11-generic", False),
        ("gfx1100", "gfx1101", False),
        ("gfx90a", "sm_80", False),
        ("sm_80", "gfx90a", False),
        (None, "gfx90a", None),
        ("gfx90a", None, None),
        ("sm_80", "sm_86", None),
    ],
)
def test_declared_against_exact(declared: str | None, payload: str | None, same: bool | None) -> None:
    assert same_target(declared, payload) is same


@pytest.mark.parametrize(
    ("declared", "payload", "same"),
    [
        ("gfx900", "gfx900", None),
        ("gfx900:xnack+", "gfx900", None),
        ("gfx900:xnack-", "gfx900", False),
        ("gfx900:xnack+", "gfx900:xnack-", False),
        ("gfx900:xnack-", "gfx900:xnack-", True),
        ("gfx90a:xnack-", "gfx90a:xnack-", None),
        ("gfx90a:sramecc+:xnack-", "gfx90a:xnack-", None),
        ("gfx90a:sramecc-:xnack-", "gfx90a:xnack-", False),
        ("gfx90a", "gfx90a:xnack-", False),
        ("gfx906", "gfx900", False),
        ("gfx1100", "gfx1100", True),
    ],
)
def test_declared_against_flags_that_do_not_tell_on_from_open(declared: str, payload: str, same: bool | None) -> None:
    assert same_target(declared, payload, is_exact=False) is same


def test_processors_are_told_once() -> None:
    assert len(set(MACHINES.values())) == len(MACHINES)
    assert supports("gfx90a") == ("sramecc", "xnack")
    assert supports("gfx900") == ("xnack",)
    assert supports("gfx1100") == supports("no such") == ()
