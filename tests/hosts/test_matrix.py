"""Every form of a fat binary in every host: the same images are listed and extracted, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool import Image, OffloadKind, PackOptions, pack, read_images
from offload_tool.actions.extract import ExtractOptions, extract

from ..peers import peer, run
from .making import HOSTS

FORMS = {
    "v1": PackOptions(toolchain="llvm-22"),
    "v2": PackOptions(toolchain="llvm-23"),
    "v3": PackOptions(toolchain="llvm-24"),
    "v3-zlib": PackOptions(toolchain="llvm-24", compress="zlib"),
    "v3-zstd": PackOptions(toolchain="llvm-24", compress="zstd:-5"),
}
CONTENTS = [b"\x7fELF odd number of bytes " * 9, b"", bytes(range(256)) * 300 + b"1", b"// text\n" * 100]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for index, content in enumerate(CONTENTS):
        (tmp_path / f"image{index}").write_bytes(content)
    return tmp_path


def packed(folder: Path, form: str) -> None:
    images = [
        Image(
            file=str(folder / f"image{index}"),
            triple="amdgcn-amd-amdhsa",
            arch=f"gfx90{index}",
            kind=OffloadKind.HIP,
            metadata=(("note", f"n{index}"),),
        )
        for index in range(len(CONTENTS))
    ]
    pack(str(folder / "fat.bin"), options=FORMS[form], images=images)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("form", FORMS)
def test_same_images_in_every_cell(folder: Path, form: str, host: str) -> None:
    packed(folder, form)
    path, times = HOSTS[host](folder)
    found = read_images(str(path))
    assert [bytes(image.content) for image in found] == CONTENTS * times
    assert [(image.kind, image.triple, image.arch, image.metadata) for image in found] == [
        ("hip", "amdgcn-amd-amdhsa", f"gfx90{index}", (("note", f"n{index}"),)) for index in range(len(CONTENTS))
    ] * times
    assert {image.version for image in found} == {int(form[1])}
    if FORMS[form].compress is not None:
        assert {image.offset for image in found} == {None}
    content = path.read_bytes()
    for image in found:
        if image.offset is not None:
            assert content[image.offset : image.offset + image.size] == image.content
    out = folder / "out"
    out.mkdir()
    names = extract(str(path), ExtractOptions(folder=str(out)))
    assert [Path(name).read_bytes() for name in names] == CONTENTS * times


@pytest.mark.parametrize("host", ["alone", "elf-o-clang", "ld-r", "coff-obj", "gnu-a", "bitcode-22"])
def test_llvm_22_extracts_the_same_from_what_we_wrote(folder: Path, host: str) -> None:
    packed(folder, "v1")
    path, _ = HOSTS[host](folder)
    for index, content in enumerate(CONTENTS):
        run([peer("llvm-offload-binary-22"), path, f"--image=file=theirs{index},arch=gfx90{index}"], cwd=folder)
        assert (folder / f"theirs{index}").read_bytes() == content


@pytest.mark.parametrize("program", ["llvm-offload-binary-22", "clang-offload-packager-19"])
def test_we_extract_what_llvm_wrote(folder: Path, program: str) -> None:
    images = [f"--image=file=image{index},triple=t,arch=a{index},kind=hip" for index in range(len(CONTENTS))]
    run([peer(program), "-o", "fat.bin", *images], cwd=folder)
    for index, content in enumerate(CONTENTS):
        run([peer(program), "fat.bin", f"--image=file=theirs,arch=a{index}"], cwd=folder)
        options = ExtractOptions(output=str(folder / "ours"), index=str(index))
        extract(str(folder / "fat.bin"), options)
        assert (folder / "ours").read_bytes() == (folder / "theirs").read_bytes() == content
