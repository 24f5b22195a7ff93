"""The codec against files that LLVM's own packagers wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool import Image, OffloadKind, PackOptions, pack, read_images
from offload_tool.actions.form import Form
from offload_tool.actions.writing import write_binaries
from offload_tool.codec.layout import VERSIONS
from offload_tool.codec.reader import StoredImage
from offload_tool.codec.writer import NewImage, encode_string, frames
from offload_tool.model import toolchain_named
from offload_tool.wire.inflate import inflated

from .binaries import bytes_of, read

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
        assert image.offset is not None
        assert content[image.offset : image.offset + image.size] == (DATA / "inputs" / name).read_bytes()
    assert dict(found[3].metadata) == {"feature": "+ptx80"}


def test_g01_kind_numbers_of_both_eras() -> None:
    numbers = [
        next(image.offload_kind for image in read((DATA / name).read_bytes()) if ("triple", HIP) in image.strings)
        for name in ("v1-llvm19.bin", "v1-llvm22.bin")
    ]
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


FOUR = [(3, 2, 0, b"cubin-bytes\n"), (1, 4, 0, b"\0\x7fELF-od"), (6, 8, 0, b"S" * 300), (0, 0, 1, b"")]


@pytest.mark.parametrize("name", ["v2-four-images", "v3-four-images", "v3-four-images-zlib", "v3-four-images-zstd"])
def test_g02_versions_hold_the_same_images(name: str) -> None:
    content = (DATA / f"{name}.bin").read_bytes()
    found = list(read(content))
    assert [(image.image_kind, image.offload_kind, image.flags, bytes_of(content, image)) for image in found] == FOUR
    assert [dict(image.strings) for image in found] == [
        {"arch": "sm_80", "triple": CUDA},
        {"arch": "gfx90a:xnack+", "triple": HIP, "feature": "+wavefrontsize64"},
        {"triple": "spirv64-intel"},
        {"note": "metadata only"},
    ]


def test_concatenation_of_all_versions() -> None:
    content = (DATA / "v3-mixed-concatenation.bin").read_bytes()
    four = [image for *_, image in FOUR]
    assert [bytes_of(content, image) for image in read(content)] == [four[0], *four, four[0], *four]
    assert [image.version for image in read(content)] == [3, 2, 2, 2, 2, 3, 3, 3, 3, 3]


def _new(image: StoredImage) -> NewImage:
    return NewImage(
        image_kind=image.image_kind,
        offload_kind=image.offload_kind,
        flags=image.flags,
        size=image.size,
        strings=[(encode_string(key), encode_string(value)) for key, value in image.strings],
    )


@pytest.mark.parametrize("name", ["v1-llvm22", "v2-one-image", "v2-four-images", "v3-one-image", "v3-four-images"])
def test_written_again_equals_the_golden_file(name: str) -> None:
    content = (DATA / f"{name}.bin").read_bytes()
    found = list(read(content))
    framed = frames([_new(image) for image in found], VERSIONS[found[0].version])
    parts = [
        around.before + bytes_of(content, image) + bytes(around.after)
        for around, image in zip(framed, found, strict=True)
    ]
    assert b"".join(parts) == content


@pytest.mark.parametrize("compress", ["zlib", "zstd:-5"])
@pytest.mark.parametrize("name", ["v3-one-image", "v3-four-images"])
def test_compressed_it_inflates_to_the_golden_file(name: str, compress: str, tmp_path: Path) -> None:
    content = (DATA / f"{name}.bin").read_bytes()
    new = [(_new(image), bytes_of(content, image)) for image in read(content)]
    form = Form.checked(toolchain_named("llvm-24"), format_version=None, align=None, compress=compress)
    write_binaries(str(tmp_path / "out"), new, form)
    made = memoryview((tmp_path / "out").read_bytes())
    size, entries_offset, entries, inflated_size = VERSIONS[3].header.unpack_from(made, 8)
    body = b"".join(inflated(made[40:size], inflated_size - 40))
    plain_header = bytes(made[:8]) + VERSIONS[3].header.pack(inflated_size, entries_offset, entries, 0)
    assert plain_header + body == content
