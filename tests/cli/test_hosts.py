"""Choosing among the images of hosts: members, target ids, nested fat binaries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offload_tool import read_images

from ..peers import peer, run
from .running import HIP, Call, binary, files_in, write_manifest


@pytest.fixture
def features(call: Call, tmp_path: Path) -> Path:
    """One image for each target id, in this order."""
    archs = ["gfx90a", "gfx90a:xnack+", "gfx90a:sramecc+:xnack-", "gfx942"]
    for arch in archs:
        (tmp_path / f"{arch.replace(':', '_')}.o").write_bytes(arch.encode())
    images = [{"file": f"{arch.replace(':', '_')}.o", "arch": arch, "triple": HIP, "kind": "hip"} for arch in archs]
    call("pack", write_manifest(tmp_path, *images, toolchain="llvm-22"), "-o", tmp_path / "fat.bin")
    return tmp_path / "fat.bin"


def extracted(call: Call, fat: Path, *words: str) -> list[bytes]:
    out = fat.parent / "out"
    out.mkdir(exist_ok=True)
    names = call("extract", fat, "-d", out, *words, status=None).out.split()
    return [Path(name).read_bytes() for name in names]


class TestG05TargetIds:
    def test_arch_is_exact_by_default(self, call: Call, features: Path) -> None:
        assert extracted(call, features, "--select", "arch=gfx90a") == [b"gfx90a"]

    def test_order_of_features_does_not_matter(self, call: Call, features: Path) -> None:
        assert extracted(call, features, "--select", "arch=gfx90a:xnack-:sramecc+") == [b"gfx90a:sramecc+:xnack-"]

    @pytest.mark.parametrize(
        ("wanted", "serving"),
        [
            ("gfx90a:xnack+", ["gfx90a", "gfx90a:xnack+"]),
            ("gfx90a:xnack-", ["gfx90a"]),
            ("gfx90a:sramecc+:xnack-", ["gfx90a", "gfx90a:sramecc+:xnack-"]),
            ("gfx90a", ["gfx90a"]),
            ("gfx942:xnack-", ["gfx942"]),
            ("gfx90c", []),
        ],
    )
    def test_compatible_lets_open_features_serve(
        self, call: Call, features: Path, wanted: str, serving: list[str]
    ) -> None:
        found = extracted(call, features, "--compatible", "--select", f"arch={wanted}")
        assert found == [arch.encode() for arch in serving]


class TestNested:
    @pytest.fixture
    def nested(self, tmp_path: Path) -> Path:
        inner = binary(b"inmost", {"triple": "c", "arch": "z"}) + binary(b"second", {"triple": "d"})
        middle = binary(inner, {"triple": "b"})
        (tmp_path / "fat.bin").write_bytes(binary(middle, {"triple": "a"}) + binary(b"plain", {"triple": "e"}))
        return tmp_path / "fat.bin"

    def test_listing_is_a_tree(self, call: Call, nested: Path) -> None:
        rows = call("list", nested).out.splitlines()[2:]
        assert [row.split()[0] for row in rows] == ["0", "0.0", "0.0.0", "0.0.1", "1"]

    def test_json_holds_images_in_images(self, call: Call, nested: Path) -> None:
        outer, plain = json.loads(call("list", nested, "--json").out)["files"][0]["images"]
        inmost = outer["images"][0]["images"][0]
        assert inmost["triple"] == "c"
        assert nested.read_bytes()[inmost["offset"] :].startswith(b"inmost")
        assert "images" not in plain

    def test_index_of_a_nested_image(self, call: Call, nested: Path, tmp_path: Path) -> None:
        call("extract", nested, "--index", "0.0.1", "-o", tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == b"second"

    def test_all_takes_nested_images(self, call: Call, nested: Path) -> None:
        assert len(extracted(call, nested)) == 2
        assert extracted(call, nested, "--all")[2:] == [b"inmost", b"second", b"plain"]

    def test_tree_ends_at_the_limit(self, tmp_path: Path, call: Call) -> None:
        content = b"core"
        for _ in range(12):
            content = binary(content, {"triple": "t"})
        (tmp_path / "deep.bin").write_bytes(content)
        rows = call("list", tmp_path / "deep.bin").out.splitlines()[2:]
        assert rows[-1].split()[0] == "0.0.0.0.0"

    def test_damaged_inner_binary_is_mere_bytes(self, tmp_path: Path, call: Call) -> None:
        (tmp_path / "fat.bin").write_bytes(binary(b"\x10\xff\x10\xad and more", {"triple": "t"}))
        assert len(call("list", tmp_path / "fat.bin").out.splitlines()) == 3


class TestArchive:
    @pytest.fixture
    def library(self, call: Call, tmp_path: Path) -> Path:
        for name in ("one", "two"):
            (tmp_path / f"{name}.c").write_text(f"int {name};\n")
            (tmp_path / f"{name}.img").write_bytes(name.encode())
            images = {"file": f"{name}.img", "arch": "sm_80"}
            call("pack", write_manifest(tmp_path, images, toolchain="llvm-22"), "-o", tmp_path / "fat.bin")
            command = [peer("clang-22"), "-c", f"{name}.c", "-Xclang", "-fembed-offload-object=fat.bin"]
            run(command, cwd=tmp_path)
        run([peer("ar"), "rcs", "lib.a", "one.o", "two.o"], cwd=tmp_path)
        return tmp_path / "lib.a"

    def test_listing_names_members_and_sections(self, call: Call, library: Path) -> None:
        head, *rows = call("list", library).out.splitlines()[1:]
        assert head.split()[-2:] == ["member", "section"]
        assert [row.split()[-2:] for row in rows] == [["one.o", ".llvm.offloading"], ["two.o", ".llvm.offloading"]]

    def test_member_chooses(self, call: Call, library: Path, tmp_path: Path) -> None:
        call("extract", library, "--select", "member=two.o", "-o", tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == b"two"

    def test_member_chooses_in_the_drop_in_since_llvm_24(self, library: Path, tmp_path: Path) -> None:
        from offload_tool.cli.offload_binary import main

        words = [str(library), f"--image=member=one.o,file={tmp_path / 'out'}"]
        assert main(["llvm-offload-binary-22", *words]) == 0
        assert not (tmp_path / "out").exists()
        assert main(["llvm-offload-binary-24", *words]) == 0
        assert (tmp_path / "out").read_bytes() == b"one"

    @pytest.mark.usefixtures("library")
    def test_thin_archive_without_its_member(self, call: Call, tmp_path: Path) -> None:
        run([peer("ar"), "rcs", "--thin", "thin.a", "one.o", "two.o"], cwd=tmp_path)
        (tmp_path / "two.o").unlink()
        assert "two.o': No such file or directory" in call("list", tmp_path / "thin.a", status=1).err

    @pytest.mark.parametrize("nested", [False, True])
    @pytest.mark.usefixtures("library")
    def test_strip_leaves_the_members_of_a_thin_archive(
        self, nested: bool, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """objcopy would write the members themselves, where their names lead from the working folder."""
        monkeypatch.chdir(tmp_path)
        run([peer("ar"), "rcs", "--thin", "thin.a", "one.o", "two.o"], cwd=tmp_path)
        host = "outer.a" if nested else "thin.a"
        if nested:
            run([peer("llvm-ar-22"), "rcS", host, "thin.a"], cwd=tmp_path)
        before = [(tmp_path / name).read_bytes() for name in ("one.o", "two.o", host)]
        said = call("extract", host, "--index", "0", "-o", "out", "--strip", "bare.a", status=1).err
        assert ("leaves images in the copy" if nested else "is a thin archive, its members") in said
        assert [(tmp_path / name).read_bytes() for name in ("one.o", "two.o", host)] == before
        assert not (tmp_path / "out").exists()
        assert not (tmp_path / "bare.a").exists()

    def test_strip_of_an_archive(self, call: Call, library: Path, tmp_path: Path) -> None:
        call("extract", library, "--select", "member=one.o", "-o", tmp_path / "out", "--strip", tmp_path / "bare.a")
        assert "holds no offload binary" in call("list", tmp_path / "bare.a", status=1).err
        assert run([peer("ar"), "t", tmp_path / "bare.a"]).stdout.split() == ["one.o", "two.o"]


@pytest.mark.parametrize("codec", ["zlib", "zstd"])
def test_drop_in_compresses_since_llvm_24(tmp_path: Path, codec: str) -> None:
    from offload_tool.cli.offload_binary import main

    (tmp_path / "k.o").write_bytes(b"k" * 10_000)
    words = ["-o", str(tmp_path / "out"), f"--image=file={tmp_path / 'k.o'},triple=t", "--compress"]
    more = [f"--compression-format={codec}", "--compression-level=3"]
    assert main(["llvm-offload-binary-22", *words]) == 1
    assert main(["llvm-offload-binary-24", *words, *more]) == 0
    assert (tmp_path / "out").stat().st_size < 1000
    assert [bytes(image.content) for image in read_images(str(tmp_path / "out"))] == [b"k" * 10_000]


def test_drop_in_extracts_all_and_says_so_since_llvm_23(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from offload_tool.cli.offload_binary import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.o").write_bytes(b"k")
    images = ["--image=file=k.o,triple=t", "--image=file=k.o,triple=t,arch=a"]
    for release, said in (("22", ""), ("23", "Extracted: in-t.0.o\nExtracted: in-t-a.1.o\n")):
        assert main([f"llvm-offload-binary-{release}", "-o", "in.bin", *images]) == 0
        assert main([f"llvm-offload-binary-{release}", "in.bin"]) == 0
        assert capsys.readouterr().out == said
    assert files_in(tmp_path) == ["in-t-a.1.o", "in-t.0.o", "in.bin", "k.o"]


def test_version_is_shown_if_it_is_not_1(call: Call, manifest: Path, tmp_path: Path) -> None:
    for toolchain, shown in (("llvm-22", False), ("llvm-23", True)):
        call("pack", manifest, "-o", tmp_path / "fat.bin", "--toolchain", toolchain)
        head = call("list", tmp_path / "fat.bin").out.splitlines()[1]
        assert ("version" in head.split()) == shown
