"""``extract``: one image to a file, many to a folder, or all into an archive."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offload_tool import read_images
from offload_tool.cli.main import main

from ..peers import offload_tool_command, peer, run
from .running import CUDA, HIP, Call, binary, files_in, write_manifest


@pytest.fixture
def fat(call: Call, manifest: Path, tmp_path: Path) -> Path:
    call("pack", manifest, "-o", tmp_path / "fat.bin")
    (tmp_path / "dir").mkdir()
    return tmp_path / "fat.bin"


def test_one_match(call: Call, fat: Path, tmp_path: Path) -> None:
    result = call("extract", fat, "--select", "arch=sm_90", "-o", tmp_path / "dir" / "k")
    assert (result.out, result.err) == ("", "")
    assert (tmp_path / "dir" / "k").read_bytes() == b"second"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            [],
            f"2 images of 'fat.bin' match (0: {CUDA} sm_80 cuda, 1: {CUDA} sm_90 cuda); choose one by --select",
        ),
        (["--select", "kind=cuda"], "2 images of 'fat.bin' match"),
        (["--select", "kind=hip"], "no image of 'fat.bin' matches; it holds 2 images"),
        (["--select", "arch=SM_80"], "no image of 'fat.bin' matches"),
        (["--index", "2"], "no image of 'fat.bin' matches"),
        (["--index", "1.0"], "no image of 'fat.bin' matches"),
        (["--index", "0", "--select", "arch=sm_90"], "no image of 'fat.bin' matches"),
    ],
)
def test_two_matches_or_none_write_nothing(
    words: list[str], message: str, call: Call, fat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dir" / "k").write_bytes(b"old")
    result = call("extract", "fat.bin", *words, "-o", "dir/k", status=1)
    assert result.out == ""
    assert result.err.startswith(f"offload-tool: error: {message}")
    assert result.err.count("\n") == 1
    assert files_in(tmp_path / "dir") == ["k"]
    assert (tmp_path / "dir" / "k").read_bytes() == b"old"


@pytest.mark.parametrize("words", [["-d", "dir"], ["--archive", "-o", "dir/lib.a"]], ids=" ".join)
def test_no_match_writes_nothing_in_any_form(
    words: list[str], call: Call, fat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("extract", "fat.bin", "--select", "kind=sycl", *words, status=1).out == ""
    assert files_in(tmp_path / "dir") == []


def test_index(call: Call, fat: Path, tmp_path: Path) -> None:
    for index, content in enumerate([b"first image", b"second"]):
        call("extract", fat, "--index", str(index), "-o", tmp_path / "k")
        assert (tmp_path / "k").read_bytes() == content


def test_folder(call: Call, fat: Path, tmp_path: Path) -> None:
    names = [f"fat-{CUDA}-sm_80.0.cubin", f"fat-{CUDA}-sm_90.1.cubin"]
    result = call("extract", fat, "-d", tmp_path / "dir")
    assert result.out.splitlines() == [str(tmp_path / "dir" / name) for name in names]
    assert [(tmp_path / "dir" / name).read_bytes() for name in names] == [b"first image", b"second"]
    assert files_in(tmp_path / "dir") == names


def test_folder_is_the_working_directory_by_default(
    call: Call, fat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / "dir")
    call("extract", fat, "--index", "1")
    assert files_in(tmp_path / "dir") == [f"fat-{CUDA}-sm_90.1.cubin"]


def test_folder_that_is_missing(call: Call, fat: Path, tmp_path: Path) -> None:
    said = call("extract", fat, "-d", tmp_path / "none", status=1).err
    assert said == f"offload-tool: error: folder '{tmp_path / 'none'}' does not exist; create it first\n"


HOSTILE = [
    "../../x",
    "/etc/x",
    "..",
    ".",
    "",
    "a/b",
    "a\\b",
    "a\nb",
    "\x1b[2J",
    "-rf",
    "é" * 300,
    "x" * 5000,
    "con:aux",
    "~",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", ["fat.bin", "..bin", "-fat", "f\nat"])
def test_names_out_of_a_file_stay_in_the_folder(text: str, name: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "deep" / "dir").mkdir(parents=True)
    (tmp_path / name).write_bytes(
        binary(b"one", {"triple": text, "arch": text}) + binary(b"two", {"triple": text, "arch": text})
    )
    before = files_in(tmp_path)
    result = call("extract", tmp_path / name, "-d", tmp_path / "deep" / "dir")
    made = files_in(tmp_path / "deep" / "dir")
    assert len(made) == 2
    assert {(tmp_path / "deep" / "dir" / file).read_bytes() for file in made} == {b"one", b"two"}
    assert all(file.isascii() and file.isprintable() and not set(file) & set("/\\~ ") for file in made)
    assert result.out.count("\n") == 2
    assert (files_in(tmp_path), files_in(tmp_path / "deep")) == (before, ["dir"])


@pytest.mark.parametrize("text", ["../../x", "é" * 300, "a/b", ""])
def test_member_names_out_of_a_file_are_safe(text: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "fat").write_bytes(binary(b"one", {"triple": text}) * 2)
    call("extract", tmp_path / "fat", "--archive", "-o", tmp_path / "lib.a")
    members = run([peer("ar"), "t", tmp_path / "lib.a"]).stdout.splitlines()
    assert len(set(members)) == 2
    assert not any("/" in member for member in members)


def test_archive(call: Call, fat: Path, tmp_path: Path) -> None:
    result = call("extract", fat, "--archive", "-o", tmp_path / "lib.a", "--select", "kind=cuda")
    assert result.out == ""
    members = run([peer("ar"), "t", tmp_path / "lib.a"]).stdout.splitlines()
    assert members == [f"fat-{CUDA}-sm_80.0.cubin", f"fat-{CUDA}-sm_90.1.cubin"]
    run([peer("ar"), "x", tmp_path / "lib.a"], cwd=tmp_path / "dir")
    assert [(tmp_path / "dir" / name).read_bytes() for name in members] == [b"first image", b"second"]


def test_archive_of_objects_links(call: Call, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text("int answer(void) { return 42; }\n", encoding="utf-8")
    (tmp_path / "main.c").write_text("int answer(void);\nint main(void) { return answer(); }\n", encoding="utf-8")
    run([peer("gcc"), "-c", "k.c"], cwd=tmp_path)
    call("pack", write_manifest(tmp_path, {"file": "k.o"}), "-o", tmp_path / "fat")
    call("extract", tmp_path / "fat", "--archive", "-o", tmp_path / "lib.a")
    run([peer("gcc"), "main.c", "lib.a", "-o", "main"], cwd=tmp_path)
    run([tmp_path / "main"], status=42)


def test_out_of_an_elf_object(call: Call, fat: Path, tmp_path: Path) -> None:
    (tmp_path / "host.c").write_text("int host;\n", encoding="utf-8")
    run([peer("gcc"), "-c", "host.c"], cwd=tmp_path)
    run([peer("objcopy"), f"--add-section=.llvm.offloading={fat}", tmp_path / "host.o"])
    call("extract", tmp_path / "host.o", "--select", "arch=sm_80", "-o", tmp_path / "k")
    assert (tmp_path / "k").read_bytes() == b"first image"


def test_output_is_a_pipe_or_a_device(fat: Path, tmp_path: Path) -> None:
    words: list[str | Path] = [*offload_tool_command(), "extract", fat, "--index", "1", "-o"]
    assert run([*words, "-"]).stdout == "second"
    run([*words, "/dev/null"])
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_output_folder_missing_or_a_folder(call: Call, fat: Path, tmp_path: Path) -> None:
    for output, message in (
        (tmp_path / "no" / "k", "does not exist"),
        (tmp_path / "dir", "is a directory; name a file"),
    ):
        for more in (["--index", "0"], ["--archive"]):
            assert message in call("extract", fat, *more, "-o", output, status=1).err


@pytest.mark.parametrize("content", [b"", b"text", b"!<arch>\n"])
def test_file_that_holds_no_image(content: bytes, call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    result = call("extract", tmp_path / "file", "-o", tmp_path / "k", status=1)
    assert result.err.count("\n") == 1
    assert files_in(tmp_path) == ["file"]


_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20)
_IMAGE = st.fixed_dictionaries(
    {
        "content": st.integers(0, 5000),
        "triple": _TEXT,
        "kind": st.sampled_from(["none", "openmp", "cuda", "hip", "sycl"]),
    },
    optional={
        "arch": _TEXT,
        "metadata": st.dictionaries(
            _TEXT.filter(lambda key: key not in ("file", "kind", "triple", "arch")), _TEXT, max_size=4
        ),
    },
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    images=st.lists(_IMAGE, max_size=4),
    toolchain=st.sampled_from(["llvm-21", "llvm-22"]),
    align=st.sampled_from([8, 64]),
)
def test_pack_list_extract_give_back_what_was_declared(
    images: list[dict[str, Any]], toolchain: str, align: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contents = [bytes((index + at) % 251 for at in range(image["content"])) for index, image in enumerate(images)]
        declared = []
        for index, image in enumerate(images):
            (folder / f"k{index}").write_bytes(contents[index])
            rest = {key: value for key, value in image.items() if key != "content"}
            declared.append({"file": f"k{index}", "image_kind": "none", **rest})
        path = write_manifest(folder, *declared, toolchain=toolchain, align=align)
        assert main(["pack", str(path), "-o", str(folder / "out"), "--no-check"]) == 0
        found = read_images(str(folder / "out"))
        assert [(image.triple, image.arch, dict(image.metadata), image.size, image.version) for image in found] == [
            (image["triple"], image.get("arch", ""), image.get("metadata", {}), image["content"], 1) for image in images
        ]
        numbers = {"none": 0, "openmp": 1, "cuda": 2, "hip": 4, "sycl": 8}
        assert [image.raw_kind for image in found] == [numbers[image["kind"]] for image in images]
        for index, content in enumerate(contents):
            assert main(["extract", str(folder / "out"), "--index", str(index), "-o", str(folder / "one")]) == 0
            assert (folder / "one").read_bytes() == content
        (folder / "dir").mkdir()
        if images:
            assert main(["extract", str(folder / "out"), "-d", str(folder / "dir")]) == 0
        assert sorted((folder / "dir" / file).read_bytes() for file in os.listdir(folder / "dir")) == sorted(contents)


def test_hip_is_told_in_either_numbering(call: Call, tmp_path: Path) -> None:
    (tmp_path / "k").write_bytes(b"x")
    path = write_manifest(tmp_path, {"file": "k", "triple": HIP, "kind": "hip"})
    for toolchain in ("llvm-19", "llvm-22"):
        call("pack", path, "-o", tmp_path / "fat", "--toolchain", toolchain)
        call("extract", tmp_path / "fat", "--select", "kind=hip", "-o", tmp_path / "one")
        assert (tmp_path / "one").read_bytes() == b"x"
