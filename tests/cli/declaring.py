"""Real device images and what may be said of them: rightly, and wrongly."""

from __future__ import annotations

from dataclasses import dataclass

from ..peers import ROOT
from .running import CUDA, HIP

CORPUS = ROOT / "tests" / "data" / "gpu"
SPIRV = "spirv64-amd-amdhsa"
HOST = "x86_64-pc-linux-gnu"


@dataclass(frozen=True, kw_only=True)
class Said:
    """A file of the corpus, what is declared of it, and the name that it gets; ``denied`` are the codes expected.

    ``in_head`` tells whether the first bytes suffice to deny it.
    """

    file: str
    triple: str
    arch: str
    kind: str
    denied: tuple[str, ...] = ()
    name: str | None = None
    image_kind: str | None = None
    in_head: bool = True


def _said(file: str, triple: str, arch: str, kind: str, *denied: str, name: str | None = None) -> Said:
    return Said(file=file, triple=triple, arch=arch, kind=kind, denied=denied, name=name)


RIGHT = [
    _said("cubin_sm_86_virtual_80.cubin", CUDA, "sm_86", "cuda"),
    _said("cubin_sm_86_virtual_80.cubin", CUDA, "sm_86", "openmp"),
    _said("cubin_old_sm_52_cuda118.cubin", CUDA, "sm_52", "cuda"),
    _said("cubin_sm_90a.cubin", CUDA, "sm_90a", "cuda"),
    _said("cubin_sm_100f.cubin", CUDA, "sm_100f", "none"),
    _said("cubin_sm_80.cubin", CUDA, "", "cuda"),
    _said("cubin_sm_80.cubin", "made-up-triple", "sm_80", "none"),
    _said("ptx_compute_80.ptx", CUDA, "sm_80", "cuda"),
    _said("ptx_compute_90a.ptx", CUDA, "compute_90a", "cuda", name="k.s"),
    _said("ptx_compute_80.ptx", CUDA, "sm_90a", "cuda"),
    _said("ltoir_80.ltoir", CUDA, "sm_80", "cuda"),
    _said("fatbin_none.fatbin", CUDA, "sm_80", "cuda"),
    _said("co_v6_gfx90a.co", HIP, "gfx90a", "hip", name="k.hsaco"),
    _said("co_v6_gfx90a_xnack-on.co", "amdgpu9.0a-amd-amdhsa-unknown", "gfx90a:xnack+", "openmp"),
    _said("co_v6_gfx11-generic.co", HIP, "gfx11-generic", "hip"),
    _said("co_v3_gfx90a_opencl.co", HIP, "gfx90a", "hip"),
    _said("bitcode_raw.bc", HIP, "gfx942", "hip"),
    _said("spirv.spv", SPIRV, "amdgcnspirv", "hip"),
    _said("spirv.spv", HIP, "amdgcnspirv", "hip"),
    _said("host_nvcc.o", HOST, "", "openmp"),
    _said("host_cuda_coff.obj", "x86_64-pc-windows-msvc", "", "openmp"),
]
WRONG = [
    _said("cubin_sm_86_virtual_80.cubin", CUDA, "sm_80", "cuda", "arch"),
    _said("cubin_sm_90a.cubin", CUDA, "sm_80", "cuda", "arch"),
    _said("ptx_compute_90a.ptx", CUDA, "sm_80", "cuda", "arch"),
    _said("ptx_compute_90a.ptx", CUDA, "sm_90", "cuda", "arch"),
    _said("ptx_compute_80.ptx", CUDA, "sm_75", "cuda", "arch"),
    _said("ptx_compute_100f.ptx", CUDA, "compute_103", "cuda", "arch"),
    _said("ltoir_80.ltoir", CUDA, "lto_90", "cuda", "arch"),
    _said("co_v6_gfx90a.co", HIP, "gfx942", "hip", "arch"),
    _said("co_v6_gfx90a_xnack-on.co", HIP, "gfx90a:xnack-", "hip", "arch"),
    _said("cubin_sm_80.cubin", CUDA, "sm_80", "hip", "kind"),
    _said("cubin_sm_80.cubin", "made-up-triple", "sm_80", "hip", "kind"),
    _said("cubin_sm_86_virtual_80.cubin", CUDA, "sm_80", "hip", "kind", "arch"),
    _said("co_v6_gfx1100.co", CUDA, "sm_80", "cuda", "triple"),
    _said("cubin_sm_80.cubin", HIP, "gfx90a", "hip", "triple"),
    _said("cubin_sm_80.cubin", HOST, "sm_80", "openmp", "triple"),
    _said("spirv.spv", CUDA, "sm_80", "cuda", "triple"),
    _said("host_nvcc.o", HIP, "gfx90a", "hip", "triple"),
    _said("host_nvcc.o", CUDA, "sm_80", "openmp", "triple"),
    _said("host_nvcc.o", "aarch64-linux-gnu", "", "openmp", "triple"),
    _said("host_cuda_coff.obj", CUDA, "sm_80", "cuda", "triple"),
    _said("host_hip_pe_ccob.dll", HIP, "gfx90a", "hip", "triple"),
    _said("bundle_align4096.hipfb", HIP, "gfx90a", "hip", "container"),
    _said("ccob_v3_zstd_llvm22.hipfb", HIP, "gfx90a", "hip", "container"),
    _said("text_bundle.s", HIP, "gfx90a", "hip", "container"),
    _said("offload_binary_two.bin", HIP, "gfx90a", "hip", "container"),
    Said(
        file="cubin_sm_100a.cubin", triple=CUDA, arch="sm_100", kind="cuda", denied=("arch",), in_head=False
    ),  # the suffix stands further on in the file
    Said(file="bitcode_raw.bc", triple=HIP, arch="gfx90a", kind="hip", image_kind="object", denied=("image-kind",)),
]
NAMED = [
    _said("bundle_align4096.hipfb", HIP, "", "hip", "container", name="k.hsaco"),
    _said("bitcode_raw.bc", HIP, "gfx90a", "hip", "suffix", name="k.hsaco"),
    _said("ptx_compute_80.ptx", CUDA, "sm_80", "cuda", "suffix", name="k.cubin"),
    _said("cubin_sm_80.cubin", CUDA, "sm_80", "cuda", "suffix", name="k.PTX"),
    _said("README.md", CUDA, "sm_80", "cuda", "suffix", name="k.fatbin"),
]
"""Wrong by their names alone; what the name says is stored as the kind where the bytes do not tell one."""
