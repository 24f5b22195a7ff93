"""``pack`` warns where an image's first bytes contradict what is declared of it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from offload_tool import PackOptions, load_manifest, pack

from ..peers import ROOT, peer, run
from .declaring import CORPUS, NAMED, RIGHT, WRONG, Said
from .running import CUDA, HIP, Call, write_manifest


def _manifest(folder: Path, said: Said, **more: str) -> Path:
    name = said.name or said.file
    shutil.copyfile(CORPUS / said.file, folder / name)
    image = {"file": name, "triple": said.triple, "arch": said.arch, "kind": said.kind, **more}
    if said.image_kind is not None:
        image["image_kind"] = said.image_kind
    return write_manifest(folder, {key: value for key, value in image.items() if value}, toolchain="llvm-22")


@pytest.mark.parametrize("said", RIGHT, ids=str)
def test_right_declaration(said: Said, call: Call, tmp_path: Path) -> None:
    assert call("pack", _manifest(tmp_path, said), "-o", tmp_path / "out", "--strict").err == ""


@pytest.mark.parametrize("said", [*WRONG, *NAMED], ids=str)
def test_wrong_declaration(said: Said, call: Call, tmp_path: Path) -> None:
    path = _manifest(tmp_path, said)
    lines = call("pack", path, "-o", tmp_path / "out").err.splitlines()
    assert len(lines) == (len(said.denied) if said.in_head else 0)
    for line in lines:
        assert line.startswith(f"offload-tool: warning: {path}:1:")
        assert f"image '{tmp_path / (said.name or said.file)}'" in line
    assert call("pack", path, "-o", tmp_path / "out", "--no-check", "--strict").err == ""


def test_both_values_are_told(call: Call, tmp_path: Path) -> None:
    path = _manifest(tmp_path, WRONG[0])
    said = call("pack", path, "-o", tmp_path / "out").err
    assert f"{WRONG[0].file}' has arch 'sm_80', but is a cubin for 'sm_86'\n" in said


def test_strict_makes_it_an_error(call: Call, tmp_path: Path) -> None:
    path = _manifest(tmp_path, WRONG[0])
    said = call("pack", path, "-o", tmp_path / "out", "--strict", status=1).err
    assert "but is a cubin for 'sm_86' (an error because of --strict)" in said
    assert not (tmp_path / "out").exists()


def test_every_contradiction_is_told_in_one_run(call: Call, tmp_path: Path) -> None:
    for name in ("a.cubin", "b.cubin"):
        shutil.copyfile(CORPUS / "cubin_sm_80.cubin", tmp_path / name)
    path = tmp_path / "m.yaml"
    path.write_text(
        f"schema: 1\ntoolchain: llvm-22\ndefaults: {{triple: {CUDA}, kind: cuda}}\nimages:\n"
        "  - {file: a.cubin, arch: sm_75}\n  - file: b.cubin\n    arch: sm_90\n",
        encoding="utf-8",
    )
    lines = call("pack", path, "-o", tmp_path / "out").err.splitlines()
    assert [line.split(" image ")[0] for line in lines] == [
        f"offload-tool: warning: {path}:5:12:", f"offload-tool: warning: {path}:6:11:"
    ]  # fmt: skip


def test_image_of_the_command_line_has_no_place(call: Call, tmp_path: Path) -> None:
    file = CORPUS / "cubin_sm_80.cubin"
    text = f"file={file},triple={CUDA},kind=cuda,arch=sm_75"
    said = call("pack", "--image", text, "-o", tmp_path / "out", "--toolchain", "llvm-22").err
    assert said == f"offload-tool: warning: image '{file}' has arch 'sm_75', but is a cubin for 'sm_80'\n"


def test_python_gives_the_same_warnings(tmp_path: Path) -> None:
    manifest = load_manifest(str(_manifest(tmp_path, WRONG[0])))
    assert len(pack(str(tmp_path / "out"), manifest).warnings) == 1
    assert pack(str(tmp_path / "out"), manifest, PackOptions(check=False)).warnings == ()


@pytest.mark.parametrize("size", [1, 19, 20, 28, 52, 63])
def test_cut_cubin_is_damaged(size: int, call: Call, tmp_path: Path) -> None:
    (tmp_path / "k.cubin").write_bytes((CORPUS / "cubin_sm_80.cubin").read_bytes()[:size])
    path = write_manifest(tmp_path, {"file": "k.cubin", "arch": "sm_80"}, toolchain="llvm-22")
    said = call("pack", path, "-o", tmp_path / "out").err
    assert ("is damaged: the ELF header of a cubin is damaged or cut" if size >= 20 else "is named '.cubin'") in said


@pytest.mark.parametrize("before", [b"", b"// " + b"x" * 600 + b"\n", b"/*\n.version 1.0\n.target sm_10\n*/ "])
@pytest.mark.parametrize("after", [b"", b"// " + b"x" * 600 + b"\n", b'.file 1 ".target sm_10 "\n'])
def test_ptx_behind_comments(before: bytes, after: bytes, call: Call, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_bytes(before + b".version 8.0\n" + after + b".target sm_90\n.address_size 64\n")
    for arch, warnings in (("sm_90", 0), ("sm_80", 1)):
        path = write_manifest(tmp_path, {"file": "k.ptx", "arch": arch}, toolchain="llvm-22")
        assert call("pack", path, "-o", tmp_path / "out").err.count("warning") == warnings


def test_ptx_behind_a_licence_is_left_alone(call: Call, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_bytes(b"// " + b"x" * 6000 + b"\n.version 8.0\n.target sm_90\n")
    path = write_manifest(tmp_path, {"file": "k.ptx", "arch": "sm_80"}, toolchain="llvm-22")
    assert call("pack", path, "-o", tmp_path / "out").err == ""


@pytest.mark.parametrize(("name", "warnings"), [("k.o", 0), ("k.hsaco", 1)])
def test_code_object_that_is_yet_to_be_linked(name: str, warnings: int, call: Call, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text("__attribute__((amdgpu_kernel)) void k(int *p) { *p = 1; }\n")
    run([peer("clang-22"), f"--target={HIP}", "-mcpu=gfx90a", "-nogpulib", "-c", "k.c", "-o", name], cwd=tmp_path)
    image = {"file": name, "triple": HIP, "kind": "hip", "arch": "gfx90a"}
    said = call("pack", write_manifest(tmp_path, image, toolchain="llvm-22"), "-o", tmp_path / "out").err
    assert said.count("that is yet to be linked") == warnings


@pytest.mark.parametrize(("file", "loaded"), [("k.cubin", "cubin"), ("k.co", "amdgpu"), ("k.bc", None)])
def test_only_the_reader_that_is_needed_is_loaded(file: str, loaded: str | None, tmp_path: Path) -> None:
    source = {"k.cubin": "cubin_sm_80.cubin", "k.co": "co_v6_gfx90a.co", "k.bc": "bitcode_raw.bc"}[file]
    shutil.copyfile(CORPUS / source, tmp_path / file)
    path = write_manifest(tmp_path, {"file": file}, toolchain="llvm-22")
    program = (
        "import sys; from offload_tool.cli.main import main; "
        f"main(['pack', {str(path)!r}, '-o', '/dev/null']); print(*sys.modules)"
    )
    modules = set(run([sys.executable, "-c", program], cwd=ROOT).stdout.split())
    assert "offload_tool.gpu.agreement" in modules
    assert {name for name in ("amdgpu", "msgpack") if name in modules or f"offload_tool.gpu.{name}" in modules} <= {
        loaded, "msgpack" if loaded == "amdgpu" else loaded
    }  # fmt: skip


def test_numbers_that_differ_from_file_to_file_do_not_count(call: Call, tmp_path: Path) -> None:
    whole = bytearray((CORPUS / "cubin_sm_80.cubin").read_bytes())
    images = []
    for number, arch in enumerate(["sm_80", "sm_80", "sm_75"]):
        whole[40:48] = (5000 + number).to_bytes(8, "little")
        (tmp_path / f"{number}.cubin").write_bytes(whole)
        images.append({"file": f"{number}.cubin", "arch": arch, "triple": f"{CUDA}-{number}"})
    said = call("pack", write_manifest(tmp_path, *images, toolchain="llvm-22"), "-o", tmp_path / "out").err
    assert said.count("warning") == 1
    assert "2.cubin' has arch 'sm_75'" in said
