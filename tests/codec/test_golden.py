"""The codec against files that LLVM's own packagers wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool import Image, OffloadKind, PackOptions, pack, read_images
from offload_tool.codec.reader import read_images as read_stored

DATA = Path(__file__).parent.parent / "data" / "offload-binary"
CUDA, HIP = "nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa"
LISTED = [
    ("k.cubin", CUDA, "sm_80", "cuda", "cubin"),
    ("k.o", HIP, "gfx90a:xnack+", "hip", "object"),
    ("k.bc", "x86_64-pc-linux-gnu", "", "openmp", "bitcode"),
    ("k.s", CUDA, "sm_90a", "cuda", "ptx"),
    ("noext", "t", "", "none", "none"),
    ("empty.o", "t", "cuda", "none", "object"),
]


@pytest.mark.parametrize("release", [16, 19, 22])
def test_reads_every_era_alike(release: int) -> None:
    path = DATA / f"v1-llvm{release}.bin"
    content = path.read_bytes()
    found = read_images(str(path))
    assert [(image.triple, image.arch, image.kind, image.image_kind) for image in found] == [row[1:] for row in LISTED]
    for image, (name, *_) in zip(found, LISTED, strict=True):
        assert content[image.offset : image.offset + image.size] == (DATA / "inputs" / name).read_bytes()
    assert dict(found[3].metadata) == {"feature": "+ptx80"}


def test_g01_kind_numbers_of_both_eras() -> None:
    numbers = [
        next(image.offload_kind for image in read_stored(memoryview(path.read_bytes())) if image.strings[0][1] == HIP or
             dict(image.strings)["triple"] == HIP)
        for path in (DATA / "v1-llvm19.bin", DATA / "v1-llvm22.bin")
    ]  # fmt: skip
    assert numbers == [3, 4]
    assert read_images(str(DATA / "v1-llvm22-sycl.bin"))[0].kind == "sycl"


@pytest.mark.parametrize("release", [19, 22])
def test_first_two_images_are_packed_to_llvms_bytes(tmp_path: Path, release: int) -> None:
    """The golden files' images without an empty arch, which only the drop-in stores."""
    images = [
        Image(file=str(DATA / "inputs" / "k.cubin"), triple=CUDA, arch="sm_80", kind=OffloadKind.CUDA),
        Image(file=str(DATA / "inputs" / "k.o"), triple=HIP, arch="gfx90a:xnack+", kind=OffloadKind.HIP),
    ]
    pack(str(tmp_path / "out"), options=PackOptions(toolchain=f"llvm-{release}"), images=images)
    golden = (DATA / f"v1-llvm{release}.bin").read_bytes()
    assert golden.startswith((tmp_path / "out").read_bytes())
