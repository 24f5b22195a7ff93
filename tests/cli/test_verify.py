"""``verify``: stored images against what is declared of them, and against what a manifest declares now."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from offload_tool import load_manifest, verify

from ..peers import peer, run
from .declaring import CORPUS, NAMED, RIGHT, WRONG, Said
from .running import CUDA, HIP, Call, binary, write_manifest

KINDS = {"none": 0, "openmp": 1, "cuda": 2, "hip": 3}
IMAGE_KINDS = {"object": 1, None: 0}


def _fat(folder: Path, said: Said) -> Path:
    strings = {"triple": said.triple, **({"arch": said.arch} if said.arch else {})}
    content = (CORPUS / said.file).read_bytes()
    kinds = {"kind": KINDS[said.kind], "image_kind": IMAGE_KINDS[said.image_kind]}
    (folder / "fat.bin").write_bytes(binary(content, strings, **kinds))
    return folder / "fat.bin"


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Three right images, two of them for one target."""
    for name in ("cubin_sm_80.cubin", "ptx_compute_80.ptx", "co_v6_gfx90a.co"):
        shutil.copyfile(CORPUS / name, tmp_path / name)
    (tmp_path / "m.yaml").write_text(
        f"schema: 1\ntoolchain: llvm-22\nimages:\n"
        f"  - {{file: cubin_sm_80.cubin, triple: {CUDA}, arch: sm_80, kind: cuda}}\n"
        f"  - {{file: ptx_compute_80.ptx, triple: {CUDA}, arch: sm_80, kind: cuda}}\n"
        f"  - {{file: co_v6_gfx90a.co, triple: {HIP}, arch: gfx90a, kind: hip}}\n",
        encoding="utf-8",
    )
    return tmp_path / "m.yaml"


@pytest.fixture
def fat(call: Call, manifest: Path, tmp_path: Path) -> Path:
    call("pack", manifest, "-o", tmp_path / "fat.bin", "--no-check")
    return tmp_path / "fat.bin"


def _faults(call: Call, *words: str | Path) -> list[dict[str, Any]]:
    result = call("verify", *words, "--json", status=None)
    found: list[dict[str, Any]] = json.loads(result.out)["faults"]
    assert result.status == (1 if found else 0)
    return found


@pytest.mark.parametrize("said", RIGHT, ids=str)
def test_right_declaration(said: Said, call: Call, tmp_path: Path) -> None:
    path = _fat(tmp_path, said)
    assert call("verify", path).out == f"{path}: 1 image, no fault\n"


@pytest.mark.parametrize("said", WRONG, ids=str)
def test_wrong_declaration(said: Said, call: Call, tmp_path: Path) -> None:
    found = [fault for fault in _faults(call, _fat(tmp_path, said)) if fault["image"] == "0"]
    assert tuple(fault["code"] for fault in found) == said.denied
    assert (found[0]["triple"], found[0]["arch"], found[0]["kind"]) == (said.triple, said.arch, said.kind)
    assert found[0]["place"] is None


@pytest.mark.parametrize("said", NAMED, ids=str)
def test_names_count_where_a_manifest_tells_them(said: Said, call: Call, tmp_path: Path) -> None:
    shutil.copyfile(CORPUS / said.file, tmp_path / str(said.name))
    image = {"file": str(said.name), "triple": said.triple, "arch": said.arch, "kind": said.kind}
    path = write_manifest(tmp_path, {key: value for key, value in image.items() if value}, toolchain="llvm-22")
    call("pack", path, "-o", tmp_path / "out", "--no-check")
    found = _faults(call, tmp_path / "out", "--manifest", path)
    is_stored = said.name == "k.fatbin"  # nothing else tells the kind of these bytes
    assert [fault["code"] for fault in found] == (["image-kind"] if is_stored else list(said.denied))
    assert found[0]["place"]["file"] == str(path)
    assert len(_faults(call, tmp_path / "out")) == is_stored


def test_both_values_are_told(call: Call, tmp_path: Path) -> None:
    path = _fat(tmp_path, WRONG[0])
    result = call("verify", path, status=1)
    assert result.err == (
        f"offload-tool: error: image 0 of '{path}' (cuda {CUDA} sm_80) has arch 'sm_80', but is a cubin for 'sm_86'\n"
    )
    assert result.out == f"{path}: 1 image, 1 fault\n"
    (fault,) = _faults(call, path)
    assert (fault["declared"], fault["found"]) == ("sm_80", "a cubin for 'sm_86'")


@pytest.mark.parametrize(
    "name", ["host_cuda_llvm_offloading.o", "host_hip_llvm_offloading.o", "host_openmp_llvm_offloading_alloc.o"]
)
def test_what_clang_embeds_is_right(name: str, call: Call) -> None:
    assert call("verify", CORPUS / name).err == ""


def test_what_llvm_packs_is_right(tmp_path: Path, call: Call) -> None:
    words = [f"--image=file={CORPUS / 'cubin_sm_80.cubin'},triple={CUDA},arch=sm_80,kind=cuda",
             f"--image=file={CORPUS / 'bitcode_raw.bc'},triple={HIP},arch=gfx90a,kind=hip"]  # fmt: skip
    run([peer("llvm-offload-binary-22"), "-o", "llvm.bin", *words], cwd=tmp_path)
    assert "2 images, no fault" in call("verify", tmp_path / "llvm.bin").out


def test_image_in_an_image(call: Call, tmp_path: Path) -> None:
    inner = binary((CORPUS / "cubin_sm_86_virtual_80.cubin").read_bytes(), {"triple": CUDA, "arch": "sm_80"}, kind=2)
    (tmp_path / "fat.bin").write_bytes(binary(inner, {"triple": "outer"}))
    assert [(fault["image"], fault["code"]) for fault in _faults(call, tmp_path / "fat.bin")] == [("0.0", "arch")]


def test_image_in_a_host(call: Call, tmp_path: Path) -> None:
    fat = _fat(tmp_path, WRONG[0])
    (tmp_path / "host.c").write_text("int host;\n")
    run([peer("gcc"), "-c", "host.c"], cwd=tmp_path)
    run([peer("objcopy"), f"--add-section=.llvm.offloading={fat}", "host.o", "with.o"], cwd=tmp_path)
    assert [fault["code"] for fault in _faults(call, tmp_path / "with.o")] == ["arch"]


def test_empty_image_and_an_entry_without_one(call: Call, tmp_path: Path) -> None:
    (tmp_path / "e").write_bytes(b"")
    path = write_manifest(tmp_path, {"file": "e"}, toolchain="llvm-22")
    call("pack", path, "-o", tmp_path / "out", "--no-check")
    assert [fault["code"] for fault in _faults(call, tmp_path / "out")] == ["empty"]


def test_cut_code_object(call: Call, tmp_path: Path) -> None:
    content = (CORPUS / "co_v6_gfx90a.co").read_bytes()[:40]
    (tmp_path / "fat.bin").write_bytes(binary(content, {"triple": HIP, "arch": "gfx90a"}, kind=4))
    assert [fault["code"] for fault in _faults(call, tmp_path / "fat.bin")] == ["damaged"]


def test_file_without_images(call: Call) -> None:
    assert "holds no offload binary" in call("verify", CORPUS / "host_nvcc.o", status=1).err


class TestManifest:
    def test_same_images(self, call: Call, fat: Path, manifest: Path) -> None:
        assert call("verify", fat, "--manifest", manifest).out == f"{fat}: 3 images, no fault\n"

    def test_stale(self, call: Call, fat: Path, manifest: Path, tmp_path: Path) -> None:
        with (tmp_path / "ptx_compute_80.ptx").open("ab") as file:
            file.write(b"// newer\n")
        said = call("verify", fat, "--manifest", manifest, status=1).err
        assert said == (
            f"{manifest}:5:12: error: image 1 of '{fat}' (cuda {CUDA} sm_80) is stale: "
            f"'{tmp_path / 'ptx_compute_80.ptx'}' has other bytes now; pack again\n"
        )

    def test_missing_and_extra(self, call: Call, fat: Path, manifest: Path) -> None:
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(text.replace("arch: gfx90a", "arch: 'gfx90a:xnack+'"), encoding="utf-8")
        extra, missing = _faults(call, fat, "--manifest", manifest)
        assert (extra["code"], extra["image"], extra["place"]) == ("extra", "2", None)
        assert (missing["code"], missing["image"], missing["arch"]) == ("missing", None, "gfx90a:xnack+")
        assert missing["place"] == {"file": str(manifest), "line": 6, "column": 12}
        assert f"'co_v6_gfx90a.co' (hip {HIP} gfx90a:xnack+) is missing in" in missing["text"].replace(
            f"{manifest.parent}/", ""
        )

    def test_first_of_two_for_one_target_is_missing(self, call: Call, manifest: Path, tmp_path: Path) -> None:
        ptx = f"file={tmp_path / 'ptx_compute_80.ptx'},triple={CUDA},arch=sm_80,kind=cuda"
        call("pack", "-o", tmp_path / "part.bin", "--image", ptx, "--toolchain", "llvm-22")
        found = _faults(call, tmp_path / "part.bin", "--manifest", manifest)
        assert [(fault["code"], fault["place"]["line"]) for fault in found] == [("missing", 4), ("missing", 6)]

    def test_select(self, call: Call, manifest: Path, tmp_path: Path) -> None:
        call("pack", manifest, "-o", tmp_path / "part.bin", "--select", "kind=hip")
        assert len(_faults(call, tmp_path / "part.bin", "--manifest", manifest)) == 2
        assert _faults(call, tmp_path / "part.bin", "--manifest", manifest, "--select", "kind=hip") == []

    def test_order_does_not_count(self, call: Call, fat: Path, manifest: Path) -> None:
        head, images = manifest.read_text(encoding="utf-8").split("images:\n")
        manifest.write_text(head + "images:\n" + "".join(reversed(images.splitlines(keepends=True))), encoding="utf-8")
        assert _faults(call, fat, "--manifest", manifest) == []

    def test_file_that_is_gone(self, call: Call, fat: Path, manifest: Path, tmp_path: Path) -> None:
        (tmp_path / "co_v6_gfx90a.co").unlink()
        (fault,) = _faults(call, fat, "--manifest", manifest)
        assert fault["code"] == "unreadable"
        assert "No such file or directory" in fault["text"]

    def test_contradictions_have_their_place(self, call: Call, tmp_path: Path, manifest: Path) -> None:
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(text.replace("arch: sm_80", "arch: sm_75"), encoding="utf-8")
        call("pack", manifest, "-o", tmp_path / "wrong.bin", "--no-check")
        lines = call("verify", tmp_path / "wrong.bin", "--manifest", manifest, status=1).err.splitlines()
        assert [line.split(" image ")[0] for line in lines] == [f"{manifest}:{line}:12: error:" for line in (4, 5)]

    def test_kind_whose_number_is_ambiguous(self, call: Call, tmp_path: Path) -> None:
        (tmp_path / "k").write_bytes(b"bytes")
        for kind, toolchain in (("hip", "llvm-22"), ("sycl", "documented")):
            path = write_manifest(tmp_path, {"file": "k", "triple": "t", "kind": kind}, toolchain=toolchain)
            call("pack", path, "-o", tmp_path / "out")
            assert _faults(call, tmp_path / "out", "--manifest", path) == []

    def test_kind_of_the_manifest_counts(self, call: Call, tmp_path: Path) -> None:
        file = {"file": str(CORPUS / "cubin_sm_80.cubin"), "arch": "sm_80", "kind": "hip"}
        path = write_manifest(tmp_path, file, toolchain="llvm-22")
        call("pack", path, "-o", tmp_path / "out", "--no-check")
        assert _faults(call, tmp_path / "out") == []  # its number may be that of sycl, too
        assert [fault["code"] for fault in _faults(call, tmp_path / "out", "--manifest", path)] == ["kind"]

    @pytest.mark.usefixtures("manifest")
    def test_bound_input_and_variable(self, call: Call, tmp_path: Path) -> None:
        path = write_manifest(
            tmp_path, {"input": "k", "arch": "sm_80"}, {"file": "{which}.ptx", "arch": "sm_80"}, name="n.yaml"
        )
        words = ["--bind", f"k={tmp_path / 'cubin_sm_80.cubin'}", "-D", "which=ptx_compute_80"]
        call("pack", path, "-o", tmp_path / "out", *words)
        assert _faults(call, tmp_path / "out", "--manifest", path, *words) == []

    def test_python(self, fat: Path, manifest: Path, tmp_path: Path) -> None:
        assert verify(str(fat), load_manifest(str(manifest))).faults == ()
        (tmp_path / "co_v6_gfx90a.co").write_bytes(b"\x7fELF")
        (fault,) = verify(str(fat), load_manifest(str(manifest))).faults
        assert (fault.code, fault.place is not None and fault.place.line) == ("stale", 6)
