"""``list``: what a person reads, and the document that programs read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ..peers import peer, run
from .running import CUDA, HIP, Call, binary, write_manifest


def _listed(call: Call, *words: str | Path) -> list[dict[str, Any]]:
    document = json.loads(call("list", "--json", *words).out)
    return [image for file in document["files"] for image in file["images"]]


def test_json_document_is_as_promised(call: Call, tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(b"image")
    target = {"triple": HIP, "arch": "gfx90a", "kind": "hip", "image_kind": "object", "metadata": {"origin": "blas"}}
    path = write_manifest(tmp_path, {"file": "k", **target}, toolchain="llvm-22")
    call("pack", path, "-o", tmp_path / "out")
    content = (tmp_path / "out").read_bytes()
    out = call("list", tmp_path / "out", "--json").out
    assert json.loads(out) == {
        "files": [
            {
                "file": str(tmp_path / "out"),
                "images": [
                    {
                        "index": 0,
                        **target,
                        "flags": 0,
                        "size": 5,
                        "offset": content.index(b"image"),
                        "version": 1,
                        "raw_kind": 4,
                        "container": "offload-binary",
                        "member": None,
                        "section": None,
                    }
                ],
            }
        ]
    }
    keys = list(json.loads(out)["files"][0]["images"][0])
    assert keys == [
        "index", "triple", "arch", "kind", "image_kind", "flags", "size", "offset", "version", "metadata", "raw_kind",
        "container", "member", "section",
    ]  # fmt: skip


def test_table_for_a_person(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "--image", f"file={tmp_path / 'two.cubin'},triple=t,kind=none", "-o", tmp_path / "out")
    lines = call("list", tmp_path / "out").out.splitlines()
    assert lines[0] == f"{tmp_path / 'out'}: 3 images, 23 bytes"
    assert lines[1].split() == ["index", "kind", "image", "kind", "triple", "arch", "size", "offset"]
    assert lines[2].split()[:6] == ["0", "cuda", "cubin", CUDA, "sm_80", "11"]
    assert lines[4].split()[:6] == ["2", "none", "cubin", "t", "-", "6"]
    assert "raw kind" in call("list", tmp_path / "out", "--raw-kind").out


@pytest.mark.parametrize(
    ("number", "triple", "arch", "kind"),
    [
        (0, "", "", "none"),
        (1, HIP, "", "openmp"),
        (2, CUDA, "", "cuda"),
        (3, HIP, "", "hip"),
        (4, HIP, "", "hip"),
        (4, "", "gfx90a", "hip"),
        (4, "spir64", "", "sycl"),
        (4, "spirv64-unknown-unknown", "", "sycl"),
        (4, "spirv64-chipstar-unknown", "", "hip or sycl"),
        (4, "t", "", "hip or sycl"),
        (8, "spirv64-unknown-unknown", "", "sycl"),
        (7, HIP, "gfx90a", "7"),
        (65535, "", "", "65535"),
    ],
)
def test_g01_kind_numbers(number: int, triple: str, arch: str, kind: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(binary(b"x", {"triple": triple, "arch": arch}, kind=number))
    (image,) = _listed(call, tmp_path / "out")
    assert (image["kind"], image["raw_kind"]) == (kind, number)
    shown = call("list", tmp_path / "out", "--raw-kind").out
    assert kind in shown
    assert shown.split()[-1] == str(number)


@pytest.mark.parametrize("toolchain", ["llvm-23", "llvm-24"])
@pytest.mark.parametrize("triple", [HIP, "spirv64-unknown-unknown", "spirv64-chipstar-unknown", "t"])
def test_g01_only_the_newer_numbers_since_version_2(toolchain: str, triple: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(b"k")
    words = [
        word for kind in ("hip", "sycl") for word in ("--image", f"file={tmp_path / 'k'},triple={triple},kind={kind}")
    ]
    call("pack", *words, "--toolchain", toolchain, "-o", tmp_path / "out")
    found = [(image["kind"], image["raw_kind"]) for image in _listed(call, tmp_path / "out")]
    assert found == [("hip", 4), ("sycl", 8)]
    content = (tmp_path / "out").read_bytes()
    version = content[4]
    entry = {2: 32, 3: 40}[version]
    (tmp_path / "out").write_bytes(content[: entry + 2] + b"\3" + content[entry + 3 :])
    assert _listed(call, tmp_path / "out")[0]["kind"] == "3"


@pytest.mark.parametrize(("number", "word"), [(3, "cubin"), (6, "spirv"), (9, "9")])
def test_image_kind_numbers(number: int, word: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(binary(b"x", {"triple": "t"}, image_kind=number, flags=5))
    assert [(image["image_kind"], image["flags"]) for image in _listed(call, tmp_path / "out")] == [(word, 5)]


def test_select(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "out")
    assert [image["index"] for image in _listed(call, tmp_path / "out", "--select", "arch=sm_90")] == [1]
    assert [image["index"] for image in _listed(call, tmp_path / "out", "--select", "kind=cuda,image_kind=cubin")] == [
        0,
        1,
    ]
    assert _listed(call, tmp_path / "out", "--select", "kind=hip") == []


def test_terminal_controls_in_strings_are_escaped(call: Call, tmp_path: Path) -> None:
    hostile = "\x1b[31mred\x07\x9b\u202e\nnext\r"
    (tmp_path / "out").write_bytes(binary(b"x", {"triple": hostile, "arch": hostile, "k": hostile}))
    out = call("list", tmp_path / "out").out
    assert out.count("\n") == 3
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(out)
    assert "\\x1b[31mred\\x07\\x9b\\u202e\\nnext\\r" in out
    (image,) = _listed(call, tmp_path / "out")
    assert image["triple"] == image["metadata"]["k"] == hostile


def test_strings_that_are_no_utf8(call: Call, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(binary(b"x", {"triple": "t\udcff"}))
    assert "t\\udcff" in call("list", tmp_path / "out").out
    assert _listed(call, tmp_path / "out")[0]["triple"] == "t\udcff"


def test_what_can_be_listed_is_listed_where_one_file_fails(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "out")
    result = call("list", "--json", tmp_path / "none", tmp_path / "out", manifest, status=1)
    assert [file["file"] for file in json.loads(result.out)["files"]] == [str(tmp_path / "out")]
    first, second = result.err.splitlines()
    assert first == f"offload-tool: error: '{tmp_path / 'none'}': No such file or directory"
    assert second.startswith(f"offload-tool: error: '{manifest}' is of no known kind; expected an offload binary or")


def test_pipe_and_folder_are_no_files(call: Call, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        assert "is no regular file" in call("list", tmp_path / name, status=1).err


def _object(folder: Path, name: str) -> Path:
    (folder / f"{name}.c").write_text(f"int {name};\n", encoding="utf-8")
    run([peer("gcc"), "-c", f"{name}.c"], cwd=folder)
    return folder / f"{name}.o"


def _by_objcopy(folder: Path, name: str, fat: Path) -> Path:
    """An object whose section is of type PROGBITS and alignment 1."""
    made = _object(folder, name)
    run([peer("objcopy"), f"--add-section=.llvm.offloading={fat}", made])
    return made


def _by_stub(folder: Path, name: str, fat: Path, section: str = ".llvm.offloading") -> Path:
    (folder / f"{name}.s").write_text(
        f'.section {section},"e",@0x6fff4c0b\n.balign 8\n.incbin "{fat}"\n', encoding="utf-8"
    )
    run([peer("gcc"), "-c", f"{name}.s"], cwd=folder)
    return folder / f"{name}.o"


@pytest.mark.parametrize("way", ["objcopy", "stub", "stub of another name"])
def test_g06_elf_object(way: str, call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "fat")
    section = ".llvm.offloading" if way != "stub of another name" else ".elsewhere"
    if way == "objcopy":
        made = _by_objcopy(tmp_path, "host", tmp_path / "fat")
    else:
        made = _by_stub(tmp_path, "host", tmp_path / "fat", section)
    found = _listed(call, made)
    assert [(image["arch"], image["section"], image["container"]) for image in found] == [
        ("sm_80", section, "elf"), ("sm_90", section, "elf")
    ]  # fmt: skip
    content = made.read_bytes()
    assert [content[image["offset"] :][: image["size"]] for image in found] == [b"first image", b"second"]


def test_g06_partial_link_keeps_all_images_in_order(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "fat")
    call("pack", manifest, "-o", tmp_path / "one", "--select", "arch=sm_90")
    objects = [_by_stub(tmp_path, "a", tmp_path / "fat"), _by_stub(tmp_path, "b", tmp_path / "one")]
    run([peer("ld"), "-r", *objects, "-o", tmp_path / "both.o"])
    found = _listed(call, tmp_path / "both.o")
    assert [image["arch"] for image in found] == ["sm_80", "sm_90", "sm_90"]
    assert [image["index"] for image in found] == [0, 1, 2]
    assert {image["section"] for image in found} == {".llvm.offloading"}


def test_g06_sections_of_both_types_are_found(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "fat")
    made = _by_stub(tmp_path, "host", tmp_path / "fat", ".elsewhere")
    run([peer("objcopy"), f"--add-section=.llvm.offloading={tmp_path / 'fat'}", made])
    assert [image["section"] for image in _listed(call, made)] == [".elsewhere"] * 2 + [".llvm.offloading"] * 2


def test_g06_elf_without_such_a_section_is_status_1(call: Call, tmp_path: Path) -> None:
    made = _object(tmp_path, "host")
    result = call("list", made, status=1)
    assert result.out == ""
    assert result.err == (f"offload-tool: error: '{made}' is an ELF file that holds no offload binary\n")


def test_damage_within_a_section_is_told_by_its_name_and_the_files_offset(
    call: Call, manifest: Path, tmp_path: Path
) -> None:
    call("pack", manifest, "-o", tmp_path / "fat")
    fat = (tmp_path / "fat").read_bytes()
    made = _by_objcopy(tmp_path, "host", tmp_path / "fat")
    content = made.read_bytes()
    start = content.index(fat)
    made.write_bytes(content[: start + 4] + b"\x09" + content[start + 5 :])
    said = call("list", made, status=1).err
    assert f"'{made}': section '.llvm.offloading': offload binary version 9 " in said
    assert f"(at byte {start + 4})" in said
