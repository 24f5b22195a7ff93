"""Every reader of bytes that others made, by name: what it is called with, and what it starts from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import readers, seeds

__all__ = ["TARGETS", "Target"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """``check`` reads one input, and raises AssertionError where what it read contradicts itself.

    ``seeds`` are sound inputs and damaged ones by name.
    """

    check: Callable[[bytes], object]
    seeds: Callable[[], dict[str, bytes]]


TARGETS: dict[str, Target] = {
    "codec": Target(check=readers.codec, seeds=seeds.offload_binaries),
    "elf": Target(check=readers.elf, seeds=seeds.elf_files),
    "coff": Target(check=readers.coff, seeds=seeds.coff_objects),
    "pe": Target(check=readers.pe, seeds=seeds.pe_images),
    "archive": Target(check=readers.archive, seeds=seeds.archives),
    "bitcode": Target(check=readers.bitcode, seeds=seeds.bitcode_files),
    "cuda-fatbin": Target(check=readers.cuda_fatbin, seeds=seeds.fatbins),
    "cubin": Target(check=readers.cubin, seeds=seeds.cubins),
    "ptx": Target(check=readers.ptx, seeds=seeds.ptx_texts),
    "nvvm-spirv": Target(check=readers.nvvm_and_spirv, seeds=seeds.nvvm_and_spirv),
    "hip-bundle": Target(check=readers.hip_bundle, seeds=seeds.hip_bundles),
    "text-bundle": Target(check=readers.text_bundle, seeds=seeds.text_bundles),
    "ccob": Target(check=readers.ccob, seeds=seeds.compressed_bundles),
    "amdgpu": Target(check=readers.amdgpu, seeds=seeds.code_objects),
    "inspection": Target(check=readers.inspection, seeds=seeds.everything),
    "manifest-yaml": Target(check=readers.manifest, seeds=seeds.yaml_manifests),
    "manifest-json": Target(check=readers.manifest, seeds=seeds.json_manifests),
    "depfile": Target(check=readers.depfile, seeds=seeds.path_lists),
    "response-file": Target(check=readers.response_file, seeds=seeds.response_files),
    "record": Target(check=readers.record, seeds=seeds.records),
    "request": Target(check=readers.request, seeds=seeds.requests),
}
