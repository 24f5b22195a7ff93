"""Whom the drop-in stands for, and what it does by LLVM's manual under its own name."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool import read_images
from offload_tool.cli.offload_binary import main, stands_for

from ..peers import peer, run


def raw_kind(path: Path) -> int:
    return read_images(str(path))[0].raw_kind


@pytest.mark.parametrize(
    ("name", "number"),
    [("llvm-offload-binary", 4), ("llvm-offload-binary-22", 4), ("llvm-offload-binary-19", 3), ("offload-binary", 3),
     ("clang-offload-packager-16", 3), ("clang-offload-packager-21", 4)],
)  # fmt: skip
def test_name_decides_the_kind_numbers(images: Path, tmp_path: Path, name: str, number: int) -> None:
    out = tmp_path / "out"
    assert main([f"/any/{name}", "-o", str(out), f"--image=file={images / 'k.o'},triple=t,kind=hip"]) == 0
    assert raw_kind(out) == number


def test_variable_decides_over_the_name(images: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFFLOAD_TOOLCHAIN", "llvm-19")
    out = tmp_path / "out"
    assert main(["llvm-offload-binary", "-o", str(out), f"--image=file={images / 'k.o'},triple=t,kind=hip"]) == 0
    assert raw_kind(out) == 3


def test_unknown_toolchain_in_the_variable(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OFFLOAD_TOOLCHAIN", "llvm-7")
    assert main(["llvm-offload-binary", "-o", "out"]) == 1
    assert "unknown toolchain 'llvm-7'" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["hip", "sycl"])
def test_ambiguous_name_refuses_renumbered_kinds(
    images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    out = tmp_path / "out"
    image = f"--image=file={images / 'k.o'},triple=t,kind="
    assert main(["clang-offload-packager", "-o", str(out), image + kind]) == 1
    assert "set OFFLOAD_TOOLCHAIN" in capsys.readouterr().err
    assert not out.exists()
    assert main(["clang-offload-packager", "-o", str(out), image + "openmp"]) == 0
    assert stands_for("clang-offload-packager", {}) is None


@pytest.mark.parametrize(("release", "version", "binaries"), [(22, 1, 2), (23, 2, 1), (24, 3, 1)])
def test_release_decides_the_format_version(
    images: Path, tmp_path: Path, release: int, version: int, binaries: int
) -> None:
    out = tmp_path / "out"
    arguments = [f"--image=file={images / name},triple=t,kind=hip" for name in ("k.o", "k.cubin")]
    assert main([f"llvm-offload-binary-{release}", "-o", str(out), *arguments]) == 0
    assert [(image.version, image.raw_kind) for image in read_images(str(out))] == [(version, 4)] * 2
    assert out.read_bytes().count(b"\x10\xff\x10\xad") == binaries


def test_llvm_19_wants_triple(images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs = run([peer("clang-offload-packager-19"), "-o", tmp_path / "a", f"--image=file={images / 'k.o'}"], status=1)
    assert main(["clang-offload-packager-19", "-o", str(tmp_path / "b"), f"--image=file={images / 'k.o'}"]) == 1
    assert capsys.readouterr().err.split(": ", 1)[1] == theirs.stderr.split(": ", 1)[1]


class TestManual:
    """Called ``offload-binary``."""

    @pytest.fixture(autouse=True)
    def two(self, images: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = tmp_path / "work"
        folder.mkdir()
        monkeypatch.chdir(folder)
        for name, arch in (("in", "a"), ("other", "b")):
            image = [f"--image=file={images / 'k.o'},triple=t,arch={arch},kind=hip",
                     f"--image=file={images / 'noext'},triple=t,kind=sycl"]  # fmt: skip
            assert main(["offload-binary", "-o", f"{name}.bin", *image]) == 0
        self.folder = folder

    def made(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()} - {"in.bin", "other.bin"}

    def test_archive_of_all_images(self) -> None:
        assert main(["offload-binary", "in.bin", "--archive", "-o", "libdevice.a"]) == 0
        names = run([peer("ar"), "t", "libdevice.a"], cwd=self.folder).stdout.split()
        assert names == ["in-t-a.0.o", "in-t-.1."]

    def test_archive_of_selected_images(self) -> None:
        assert main(["offload-binary", "in.bin", "--archive", "-o", "libdevice.a", "--image=kind=sycl"]) == 0
        assert run([peer("ar"), "t", "libdevice.a"], cwd=self.folder).stdout.split() == ["in-t-.1."]

    def test_several_inputs(self) -> None:
        assert main(["offload-binary", "in.bin", "other.bin", "--archive", "-o", "libdevice.a"]) == 0
        assert len(run([peer("ar"), "t", "libdevice.a"], cwd=self.folder).stdout.split()) == 4

    def test_one_selected_image_into_the_output(self, images: Path) -> None:
        assert main(["offload-binary", "in.bin", "-o", "out", "--image=arch=a"]) == 0
        assert (self.folder / "out").read_bytes() == (images / "k.o").read_bytes()

    @pytest.mark.parametrize("image", [[], ["--image=arch=none"]])
    def test_two_or_no_images_for_one_output(self, image: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["offload-binary", "in.bin", "-o", "out", *image]) == 1
        assert "'out' takes one" in capsys.readouterr().err
        assert self.made() == set()

    def test_input_alone_extracts_every_image(self) -> None:
        assert main(["offload-binary", "in.bin"]) == 0
        assert self.made() == {"in-t-a.0.o", "in-t-.1."}

    def test_manuals_numbers(self) -> None:
        assert [image.raw_kind for image in read_images("in.bin")] == [3, 4]
