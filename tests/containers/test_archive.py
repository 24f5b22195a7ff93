"""Archives: LLVM's bytes, and what binutils makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool.cli.offload_binary import main as drop_in_main
from offload_tool.containers.archive import Member, plan_archive, unique_names
from offload_tool.errors import UsageError

from ..peers import offload_tool_command, peer, run

SOURCE = """
int global_one; int function(void) { return 1; } static int hidden; extern int external;
int *user(void) { return &external + hidden; }
__attribute__((weak)) int weak_one; __thread int thread_local_one;
"""


@pytest.fixture
def objects(tmp_path: Path) -> list[Path]:
    made = []
    for name in ("x", "y"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "k.c").write_text(SOURCE + f"int only_{name};\n")
        run([peer("gcc"), "-c", "k.c", "-o", "k.o"], cwd=folder)
        made.append(folder / "k.o")
    return made


@pytest.mark.parametrize(
    "name", ["in.bin", "fifteen_chars_x", "sixteen_chars_xx", "with space.bin", "a_rather_long_input_file_name.bin"]
)
def test_g13_archive_equals_llvms(
    tmp_path: Path, objects: list[Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd").write_bytes(b"12345")
    images = [f"--image=file={path},triple=t" for path in (*objects, "odd")]
    assert drop_in_main(["llvm-offload-binary", "-o", name, *images]) == 0
    run([peer("llvm-offload-binary-22"), name, "--archive", "--image=file=theirs.a"], cwd=tmp_path)
    assert drop_in_main(["llvm-offload-binary", name, "--archive", "--image=file=ours.a"]) == 0
    assert (tmp_path / "ours.a").read_bytes() == (tmp_path / "theirs.a").read_bytes()


BITCODE = {
    "clang-16": ["--target=x86_64-linux-gnu", "-O2"],
    "clang-19": ["--target=amdgcn-amd-amdhsa", "-nogpulib"],
    "clang-22": ["--target=arm64-apple-macos14"],
}


def bitcode_images(folder: Path) -> list[Path]:
    made = []
    (folder / "device.c").write_text(SOURCE.replace("__thread", ""))
    for compiler, options in BITCODE.items():
        made.append(folder / f"{compiler}.bc")
        run([peer(compiler), *options, "-emit-llvm", "-c", "device.c", "-o", made[-1]], cwd=folder)
    return made


def test_index_of_bitcode_equals_llvms(tmp_path: Path, objects: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bitcode = bitcode_images(tmp_path)
    (tmp_path / "cut.bc").write_bytes(bitcode[0].read_bytes()[:400])
    (tmp_path / "odd.bc").write_bytes(bitcode[0].read_bytes() + b"\0")
    images = [
        f"--image=file={path},triple=t" for path in (objects[0], *bitcode, "cut.bc", "odd.bc", objects[1], bitcode[0])
    ]
    assert drop_in_main(["llvm-offload-binary", "-o", "in.bin", *images]) == 0
    run([peer("llvm-offload-binary-22"), "in.bin", "--archive", "--image=file=theirs.a"], cwd=tmp_path)
    assert drop_in_main(["llvm-offload-binary", "in.bin", "--archive", "--image=file=ours.a"]) == 0
    assert (tmp_path / "ours.a").read_bytes() == (tmp_path / "theirs.a").read_bytes()
    index = run([peer("llvm-nm-22"), "--print-armap", "ours.a"], status=None).stdout.split("\n\n", 1)[0].split("\n")
    names = [line.removesuffix(" in in.bin") for line in index]
    assert names.count("global_one") == 5
    assert names.count("_global_one") == 1


def test_packed_archive_names_the_bitcode_that_defines_a_symbol(tmp_path: Path, objects: list[Path]) -> None:
    library = pack_archive(tmp_path, [*objects, *bitcode_images(tmp_path)])
    index = run([peer("llvm-nm-22"), "--print-armap", library]).stdout.split("\n\n", 1)[0].split("\n")
    assert [line for line in index if line.startswith(("function ", "_function "))] == [
        "function in k.o",
        "function in k-2.o",
        "function in clang-16.bc",
        "function in clang-19.bc",
        "_function in clang-22.bc",
    ]


def pack_archive(folder: Path, files: list[Path]) -> Path:
    images = [word for file in files for word in ("--image", f"file={file},triple=t,kind=none")]
    run([*offload_tool_command(), "pack", "--archive", "-o", "lib.a", *images], cwd=folder)
    return folder / "lib.a"


def test_g13_same_base_names_and_odd_sizes(tmp_path: Path, objects: list[Path]) -> None:
    (objects[0].parent / "n.bin").write_bytes(b"12345")
    (objects[1].parent / "n.bin").write_bytes(b"12345678901")
    odd = [path.parent / "n.bin" for path in objects]
    library = pack_archive(tmp_path, [*objects, *odd])
    assert run([peer("ar"), "t", library]).stdout.split() == ["k.o", "k-2.o", "n.bin", "n-2.bin"]
    run([peer("ar"), "x", library], cwd=tmp_path)
    assert (tmp_path / "n.bin").read_bytes() == b"12345"
    assert (tmp_path / "n-2.bin").read_bytes() == b"12345678901"
    assert (tmp_path / "k-2.o").read_bytes() == objects[1].read_bytes()


def test_linker_finds_symbols_through_the_index(tmp_path: Path, objects: list[Path]) -> None:
    library = pack_archive(tmp_path, objects)
    (tmp_path / "main.c").write_text("extern int only_y; int external; int main(void) { return only_y; }\n")
    run([peer("gcc"), "main.c", library, "-o", "program"], cwd=tmp_path)
    run([tmp_path / "program"])
    index = run(["nm", "-s", library]).stdout
    assert "only_y in k-2.o" in index
    assert "hidden" not in index.split("\n\n", 1)[0]


def test_archive_is_the_same_whenever_it_is_made(tmp_path: Path, objects: list[Path]) -> None:
    first = pack_archive(tmp_path, objects).read_bytes()
    for path in objects:
        path.touch()
    assert pack_archive(tmp_path, objects).read_bytes() == first


def test_headers_beyond_four_gib_need_the_wide_index() -> None:
    members = [Member(name=b"a.o", size=5 << 30, symbols=[b"a"]), Member(name=b"b.o", size=8, symbols=[b"b"])]
    head = plan_archive(members).head
    assert head[8:24] == b"/SYM64/".ljust(16)
    count, first, second = (int.from_bytes(head[68 + 8 * word : 76 + 8 * word], "big") for word in range(3))
    assert (count, first, second) == (2, len(head), len(head) + 60 + (5 << 30))


def test_member_too_large_for_its_field() -> None:
    with pytest.raises(UsageError, match="10000000000 bytes"):
        plan_archive([Member(name=b"a.o", size=10**10)])


@pytest.mark.parametrize(
    ("names", "unique"),
    [
        (["k.o", "k.o"], ["k.o", "k-2.o"]),
        (["k.o", "k.o", "k-2.o"], ["k.o", "k-3.o", "k-2.o"]),
        (["k", "k", "k"], ["k", "k-2", "k-3"]),
        ([".o", ".o"], [".o", ".o-2"]),
    ],
)
def test_unique_names(names: list[str], unique: list[str]) -> None:
    assert unique_names(names) == unique
