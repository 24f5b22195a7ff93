"""Bitcode hosts as LLVM's own tools make them: the bytes come back as they went in, wherever they stand."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from offload_tool.containers.bitcode import EmbeddedGlobal, offloading_globals
from offload_tool.errors import FormatError

from ..peers import peer, run

SOURCE = """
#ifndef FILL
#define FILL
#endif
int counter; static const char text[] = ".llvm.offloading" FILL; int table[] = {1, 2, 3, 70000};
int twice(int value) { return value * 2 + table[value & 3]; }
int main(int count, char **words) { counter += text[count & 7]; return twice(count) + counter; }
"""
RANDOM = random.Random(22)
SIX_BIT = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"
CONTENTS = {
    "one byte": b"\xff",
    "random": RANDOM.randbytes(4099),
    "mostly zero": bytes(RANDOM.choice((0, 0, 0, 0, 200)) for _ in range(3001)),
    "zero": bytes(777),
    "seven bits": bytes(RANDOM.randrange(1, 128) for _ in range(1003)),
    "seven bits and NUL": bytes(RANDOM.randrange(1, 128) for _ in range(1003)) + b"\0",
    "eight bits and NUL": bytes(RANDOM.randrange(1, 256) for _ in range(1003)) + b"\0",
    "char6": bytes(RANDOM.choices(SIX_BIT, k=501)),
    "char6 and NUL": bytes(RANDOM.choices(SIX_BIT, k=501)) + b"\0",
    "300 KB": RANDOM.randbytes(300_000),
}


def globals_of(path: Path) -> list[EmbeddedGlobal]:
    content = path.read_bytes()
    found = offloading_globals(memoryview(content))
    for each in found:
        assert each.section == ".llvm.offloading"
        if each.offset is not None:
            assert content[each.offset : each.offset + len(each.content)] == each.content
    return found


def contents_of(path: Path) -> list[bytes]:
    return [bytes(each.content) for each in globals_of(path)]


def compiled(folder: Path, embedded: bytes, *options: str, compiler: str = "clang-22", name: str = "host") -> Path:
    (folder / f"{name}.c").write_text(SOURCE.replace("main", f"main_{name}").replace("int twice", "static int twice"))
    (folder / f"{name}.fat").write_bytes(embedded)
    embed = ("-Xclang", f"-fembed-offload-object={name}.fat")
    bitcode = folder / f"{name}.bc"
    run([peer(compiler), "-emit-llvm", "-c", f"{name}.c", "-o", bitcode, *embed, *options], cwd=folder)
    return bitcode


def assembled(folder: Path, text: str, name: str = "host") -> Path:
    (folder / f"{name}.ll").write_text(text)
    run([peer("llvm-as-22"), f"{name}.ll", "-o", f"{name}.bc"], cwd=folder)
    return folder / f"{name}.bc"


def fat_binary(folder: Path, image: bytes) -> bytes:
    (folder / "image").write_bytes(image)
    run([peer("llvm-offload-binary-22"), "-o", "fat.bin", "--image=file=image,triple=t,arch=a,kind=openmp"], cwd=folder)
    return (folder / "fat.bin").read_bytes()


@pytest.mark.parametrize("compiler", ["clang-16", "clang-19", "clang-22"])
@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_every_content_comes_back(tmp_path: Path, compiler: str, content: bytes) -> None:
    (found,) = globals_of(compiled(tmp_path, content, compiler=compiler))
    assert found.content == content
    assert found.name == "llvm.embedded.object"


@pytest.mark.parametrize("compiler", ["clang-16", "clang-19", "clang-22"])
@pytest.mark.parametrize(
    "options",
    [
        ["-O0"],
        ["-O2", "-g"],
        ["-O2", "-flto"],
        ["-O2", "-flto=thin"],
        ["-flto=thin", "-fsplit-lto-unit"],
        ["-target", "x86_64-apple-darwin"],
    ],
    ids=" ".join,
)
def test_every_way_to_compile(tmp_path: Path, compiler: str, options: list[str]) -> None:
    content = CONTENTS["random"]
    assert contents_of(compiled(tmp_path, content, *options, compiler=compiler)) == [content]


def test_typed_pointers(tmp_path: Path) -> None:
    host = compiled(tmp_path, CONTENTS["random"], "-Xclang", "-no-opaque-pointers", compiler="clang-16")
    assert contents_of(host) == [CONTENTS["random"]]


def test_several_objects_in_one_module(tmp_path: Path) -> None:
    first, second = fat_binary(tmp_path, b"first"), fat_binary(tmp_path, b"the second")
    (tmp_path / "second.fat").write_bytes(second)
    host = compiled(tmp_path, first, "-Xclang", "-fembed-offload-object=second.fat")
    assert contents_of(host) == [first, second]


def test_linked_modules_with_equal_and_with_other_contents(tmp_path: Path) -> None:
    contents = [CONTENTS["random"], CONTENTS["300 KB"], CONTENTS["random"]]
    hosts = [compiled(tmp_path, content, name=f"part{index}") for index, content in enumerate(contents)]
    for host in hosts:
        run([peer("opt-22"), "-passes=internalize", host, "-o", host])
    linked = tmp_path / "linked.bc"
    run([peer("llvm-link-22"), *hosts, "-o", linked])
    assert contents_of(linked) == contents
    assert len({found.name for found in globals_of(linked)}) == len(contents)


def test_several_modules_in_one_file(tmp_path: Path) -> None:
    contents = [CONTENTS["random"], CONTENTS["zero"], b"12345"]
    hosts = [compiled(tmp_path, content, "-g", name=f"part{index}") for index, content in enumerate(contents)]
    joined = tmp_path / "joined.bc"
    run([peer("llvm-cat-22"), "-b", *hosts, "-o", joined])
    assert contents_of(joined) == contents
    assert {found.name for found in globals_of(joined)} == {"llvm.embedded.object"}


def test_optimized_away_and_kept(tmp_path: Path) -> None:
    host = compiled(tmp_path, CONTENTS["random"])
    run([peer("opt-22"), "-O3", host, "-o", host])
    assert contents_of(host) == [CONTENTS["random"]]


@pytest.fixture(scope="module")
def hosts_at_every_bit(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Hosts that differ in the length of a string before the object, whose characters take 7 bits each."""
    folder = tmp_path_factory.mktemp("bits")
    return [compiled(folder, CONTENTS["random"], f'-DFILL="{"-" * index}"', name=f"host{index}") for index in range(8)]


def test_offset_is_given_where_bytes_stand_whole(hosts_at_every_bit: list[Path]) -> None:
    found = [globals_of(host)[0] for host in hosts_at_every_bit]
    assert all(each.content == CONTENTS["random"] for each in found)
    assert sum(each.offset is not None for each in found) == 1


def test_wrapper_gives_offset_and_size(tmp_path: Path, hosts_at_every_bit: list[Path]) -> None:
    for host in hosts_at_every_bit:
        wrapped = tmp_path / "wrapped.bc"
        wrapper = struct.pack("<4sIIII", b"\xde\xc0\x17\x0b", 0, 27, host.stat().st_size, 7)
        wrapped.write_bytes(wrapper + b"padding" + host.read_bytes() + bytes(5))
        (bare,), (inside,) = globals_of(host), globals_of(wrapped)
        assert inside.content == bare.content
        assert inside.offset == (None if bare.offset is None else bare.offset + 27)


def test_llvm_extracts_the_same(tmp_path: Path) -> None:
    image = CONTENTS["300 KB"]
    host = compiled(tmp_path, fat_binary(tmp_path, image), "-O2")
    run([peer("llvm-offload-binary-22"), host, f"--image=file={tmp_path / 'theirs'},triple=t"])
    assert (tmp_path / "theirs").read_bytes() == image
    (ours,) = contents_of(host)
    assert ours == (tmp_path / "fat.bin").read_bytes()


GLOBAL = '@first = private constant [5 x i8] c"1234\\FF", section ".llvm.offloading"\n'


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('!llvm.embedded.objects = !{!0}\n!0 = !{ptr @first, !".llvm.offloading"}', ["first"]),
        ('!llvm.embedded.objects = !{!0}\n!0 = distinct !{ptr @first, !".llvm.offloading", i32 1}', ["first"]),
        ('!llvm.embedded.objects = !{!0, !1}\n!0 = !{ptr @first, !".llvm.offloading"}\n!1 = !{!0}', ["first"]),
        ('!llvm.embedded.objects = !{!0, !0}\n!0 = !{ptr @first, !".llvm.offloading"}', ["first"]),
        ('!llvm.embedded.objects = !{!0}\n!0 = !{ptr @first, !".llvm.other"}', []),
        ("!llvm.embedded.objects = !{!0}\n!0 = !{ptr @first}", []),
        ('!llvm.embedded.objects = !{!0}\n!0 = !{!".llvm.offloading", ptr @first}', []),
        ('!llvm.embedded.objects = !{!0}\n!0 = !{null, !".llvm.offloading"}', []),
        ('!llvm.embedded.objects = !{!0}\n!0 = !{ptr @declared, !".llvm.offloading"}', []),
        ('!llvm.embedded.objects = !{!0}\n!0 = !{ptr @function, !".llvm.offloading"}', []),
        ('!llvm.embedded.objects = !{!0}\n!0 = !{ptr @alias, !".llvm.offloading"}', []),
        ('!llvm.embedded.objects = !{!0}\n!0 = !{i32 0, !".llvm.offloading"}', []),
        ("!llvm.embedded.objects = !{}", []),
        ('!llvm.embedded = !{!0}\n!0 = !{ptr @first, !".llvm.offloading"}', []),
        ("", []),
    ],
)  # fmt: skip
def test_only_what_the_metadata_lists_counts(tmp_path: Path, text: str, names: list[str]) -> None:
    others = "@declared = external global [5 x i8]\ndeclare void @function()\n@alias = alias [5 x i8], ptr @first\n"
    host = assembled(tmp_path, f"{GLOBAL}{others}{text}\n")
    assert [found.name for found in globals_of(host)] == names


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("[2 x i32] [i32 1, i32 2]", "no array of bytes"),
        ("i32 7", "no array of bytes"),
        ("<{ [2 x i8], [1 x i8] }> <{ [2 x i8] zeroinitializer, [1 x i8] zeroinitializer }>", "no array of bytes"),
        ("[2 x i8] undef", "not an array of known bytes"),
        ("[2 x i8] [i8 1, i8 undef]", "no known byte"),
        ("[1099511627776 x i8] zeroinitializer", "array of 1099511627776 bytes is zero"),
    ],
)
def test_initializer_that_is_no_bytes(tmp_path: Path, value: str, message: str) -> None:
    listed = '!llvm.embedded.objects = !{!0}\n!0 = !{ptr @x, !".llvm.offloading"}\n'
    host = assembled(tmp_path, f"@x = private constant {value}\n{listed}")
    with pytest.raises(FormatError, match=message):
        globals_of(host)


def test_many_globals_and_strings_before_it(tmp_path: Path) -> None:
    before = "".join(f'@g{index} = global [3 x i8] c"abc"\n' for index in range(2000))
    nodes = "".join(f'!{index} = !{{!"string {index}", ptr @g{index}}}\n' for index in range(1, 2000))
    listed = '!0 = !{ptr @first, !".llvm.offloading"}\n!llvm.embedded.objects = !{!0}\n'
    kept = "!keep = !{" + ", ".join(f"!{index}" for index in range(1, 2000)) + "}\n"
    host = assembled(tmp_path, before + GLOBAL + kept + nodes + listed)
    assert [(found.name, bytes(found.content)) for found in globals_of(host)] == [("first", b"1234\xff")]
