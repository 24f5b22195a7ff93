"""Which images are packed, in which order, and what the person is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool import read_images

from .running import CUDA, HIP, Call, write_manifest


def _packed(call: Call, folder: Path, *words: str | Path) -> list[tuple[str, str, str]]:
    call("pack", *words, "-o", folder / "out", "--toolchain", "llvm-22")
    return [(image.triple, image.arch, image.kind) for image in read_images(str(folder / "out"))]


def test_manifests_come_in_order_and_arguments_last(call: Call, manifest: Path, tmp_path: Path) -> None:
    other = write_manifest(tmp_path, {"file": "one.cubin", "arch": "sm_70"}, name="n.yaml")
    image = f"file={tmp_path / 'two.cubin'},triple={HIP},arch=gfx90a,kind=hip"
    found = _packed(call, tmp_path, other, "--image", image, manifest)
    assert [arch for _, arch, _ in found] == ["sm_70", "sm_80", "sm_90", "gfx90a"]


@pytest.mark.parametrize(
    ("select", "archs"),
    [
        (["arch=sm_80"], ["sm_80"]),
        (["arch=sm_80,arch=sm_90"], ["sm_80", "sm_90"]),
        (["arch=sm_80", "arch=sm_90"], ["sm_80", "sm_90"]),
        (["kind=cuda"], ["sm_80", "sm_90"]),
        (["kind=cuda,arch=sm_90"], ["sm_90"]),
        (["kind=hip"], []),
        (["colour=blue"], []),
        (["colour="], ["sm_80", "sm_90"]),
        (["triple=" + CUDA], ["sm_80", "sm_90"]),
    ],
)
def test_select(select: list[str], archs: list[str], call: Call, manifest: Path, tmp_path: Path) -> None:
    options = [word for text in select for word in ("--select", text)]
    assert [arch for _, arch, _ in _packed(call, tmp_path, manifest, *options)] == archs


def test_image_argument_is_split_as_llvm_does(call: Call, tmp_path: Path) -> None:
    for name in ("a=1", "b"):
        (tmp_path / name).write_bytes(b"x")
    text = f"file={tmp_path / 'a=1'},file={tmp_path / 'b'},triple=t,kind=openmp,arch=x,arch=y,extra=a=b"
    assert _packed(call, tmp_path, "--image", text) == [("t", "x,y", "openmp")] * 2
    assert read_images(str(tmp_path / "out"))[0].metadata == (("extra", "a=b"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file=k,triple=t,kind=none,arch=pvc,bdw", "'bdw' is no KEY=VALUE; a comma in a path needs a manifest"),
        ("file=k,triple=t,kind=none,", "'' is no KEY=VALUE"),
        ("file=a,b.o,triple=t,kind=none", "'b.o' is no KEY=VALUE"),
        ("", "'' is no KEY=VALUE"),
        ("triple=t,kind=none", "lacks file"),
        ("file=k", "lacks triple and kind; kind=none if no runtime shall take it"),
        ("file=k,triple=,kind=none", "lacks triple"),
        ("file=k,triple=t,kind=HIP", "unknown kind 'HIP'; did you mean 'hip'?"),
        ("file=k,triple=t,kind=none,image_kind=cubn", "unknown image_kind 'cubn'; did you mean 'cubin'?"),
    ],
)
def test_g04_image_argument_holds_to_a_manifests_rules(text: str, message: str, call: Call, tmp_path: Path) -> None:
    result = call("pack", "--image", text, "-o", tmp_path / "out", status=2)
    assert result.err.startswith("offload-tool: error: --image ")
    assert message in result.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("more", [",arch=", ",x=", ",=x", ",arch=a\tb", ",x=a\nb"])
def test_image_argument_refuses_what_a_manifest_refuses(more: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(b"x")
    text = f"file={tmp_path / 'k'},triple=t,kind=none{more}"
    assert call("pack", "--image", text, "-o", tmp_path / "out", status=None).status == 2


def test_equal_images_are_a_fault_wherever_they_come_from(call: Call, manifest: Path, tmp_path: Path) -> None:
    text = f"file={tmp_path / 'one.cubin'},triple={CUDA},kind=cuda,arch=sm_80"
    assert call("pack", manifest, "--image", text, "-o", tmp_path / "out", status=None).status != 0


def test_same_manifest_twice_is_a_fault(call: Call, manifest: Path, tmp_path: Path) -> None:
    assert "equals that of images.0.file" in call("pack", manifest, manifest, "-o", tmp_path / "out", status=1).err


@pytest.mark.parametrize("kind", ["hip", "sycl"])
def test_g01_renumbered_kind_without_a_toolchain_warns_once(kind: str, call: Call, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(b"x")
    words = [
        "pack",
        write_manifest(tmp_path, {"file": "a", "kind": kind}, {"file": "b", "kind": kind}),
        "-o",
        tmp_path / "out",
    ]
    warned = call(*words)
    assert warned.err.count("offload-tool: warning: ") == 1
    assert f"kind {kind!r} is written with the manual's number" in warned.err
    assert read_images(str(tmp_path / "out"))[0].raw_kind == {"hip": 3, "sycl": 4}[kind]
    (tmp_path / "out").unlink()
    refused = call(*words, "--strict", status=1)
    assert "(an error because of --strict)" in refused.err
    assert not (tmp_path / "out").exists()
    for more in (["--toolchain", "documented"], ["--toolchain", "llvm-22"], ["--no-check"], ["--no-check", "--strict"]):
        assert call(*words, *more).err == ""


def test_image_that_is_not_what_it_is_called(call: Call, tmp_path: Path) -> None:
    (tmp_path / "k.cubin").write_bytes(b"BC\xc0\xde")
    (tmp_path / "e").write_bytes(b"")
    path = write_manifest(tmp_path, {"file": "k.cubin", "image_kind": "cubin"}, {"file": "e"})
    result = call("pack", path, "-o", tmp_path / "out")
    assert result.err.splitlines() == [
        f"offload-tool: warning: {path}:1:84: image '{tmp_path / 'k.cubin'}' is declared cubin but is LLVM bitcode",
        f"offload-tool: warning: {path}:1:177: image '{tmp_path / 'e'}' is empty",
    ]
    assert [image.image_kind for image in read_images(str(tmp_path / "out"))] == ["cubin", "none"]


def test_g08_bundle_in_place_of_a_code_object_warns(call: Call, tmp_path: Path) -> None:
    (tmp_path / "k.hsaco").write_bytes(b"CCOB" + bytes(40))
    path = write_manifest(tmp_path, {"file": "k.hsaco", "triple": HIP, "kind": "hip"}, toolchain="llvm-22")
    assert "is a Clang offload bundle, not a code object" in call("pack", path, "-o", tmp_path / "out").err


def test_bound_input(call: Call, manifest: Path, tmp_path: Path) -> None:
    path = write_manifest(tmp_path, {"input": "fft", "arch": "sm_75"}, name="n.yaml")
    binds = [word for name in ("one", "two") for word in ("--bind", f"fft={tmp_path / name}.cubin")]
    assert _packed(call, tmp_path, path, *binds) == [(CUDA, "sm_75", "cuda")] * 2
    said = call("pack", path, "-o", tmp_path / "out", "--bind", "fff=x", status=1).err
    assert "input 'fft' is not bound; pass --bind fft=FILE" in said


def test_bound_file_is_relative_to_the_working_directory(
    call: Call, manifest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    path = write_manifest(tmp_path / "sub", {"input": "fft"})
    monkeypatch.chdir(tmp_path)
    assert _packed(call, tmp_path, path, "--bind", "fft=one.cubin") == [(CUDA, "", "cuda")]


def test_variables(call: Call, manifest: Path, tmp_path: Path) -> None:
    path = write_manifest(tmp_path, {"file": "{which}.{end}"}, variables={"which": "no", "end": "cubin"}, name="n.yaml")
    assert _packed(call, tmp_path, path, "-D", "which=one") == [(CUDA, "", "cuda")]
    assert _packed(call, tmp_path, path, "-Dwhich=two") == [(CUDA, "", "cuda")]
