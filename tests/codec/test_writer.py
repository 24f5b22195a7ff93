"""The writer: layout, alignment, string table, and what LLVM's readers make of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.codec import single_strings
from offload_tool.codec.single_strings import SingleStrings
from offload_tool.codec.string_table import string_table
from offload_tool.codec.writer import checked_align
from offload_tool.errors import UsageError

from ..peers import offload_tool_command, peer, run
from .binaries import binary, bytes_of, read

TEXT = st.binary(max_size=20).map(lambda content: content.replace(b"\0", b"n"))


@given(st.lists(TEXT, max_size=30))
def test_string_table_holds_every_string(strings: list[bytes]) -> None:
    table, offsets = string_table(strings)
    for string in strings:
        assert table[offsets[string] :].startswith(string + b"\0")


@given(
    st.lists(st.tuples(st.dictionaries(TEXT, TEXT, max_size=20), st.binary(max_size=100)), min_size=1, max_size=4),
    st.sampled_from([(1, ""), (2, ""), (3, ""), (3, "zlib"), (3, "zstd")]),
    st.sampled_from([8, 64, 4096]),
)
def test_any_images_come_back(
    images: list[tuple[dict[bytes, bytes], bytes]], form: tuple[int, str], align: int
) -> None:
    version, compress = form
    align = align if version == 1 else 8
    strings = [tuple(own.items()) for own, _ in images]
    content = binary(*(image for _, image in images), version=version, strings=strings, compress=compress, align=align)
    found = list(read(content))
    assert len(content) % align == 0
    assert [bytes_of(content, image) for image in found] == [image for _, image in images]
    if version == 1:
        assert [image.offset is not None and image.offset % align for image in found] == [0] * len(images)
    for image, (own, _) in zip(found, images, strict=True):
        decoded = {key.decode("utf-8", "surrogateescape"): value.decode("utf-8", "surrogateescape")
                   for key, value in own.items()}  # fmt: skip
        assert dict(image.strings) == decoded


@pytest.mark.parametrize("version", [2, 3])
def test_value_with_nul_since_version_2(version: int) -> None:
    content = binary(b"x", version=version, strings=[((b"note", b"a\0b"), (b"tail", b"b"))])
    assert dict(next(read(content)).strings) == {"note": "a\0b", "tail": "b"}


@pytest.mark.parametrize("align", [0, 4, 12, 100, 131072, -8])
def test_align_is_a_power_of_two_within_limits(align: int) -> None:
    with pytest.raises(UsageError, match="expected a power of two"):
        checked_align(align)


def packed(folder: Path, *more: str) -> Path:
    (folder / "k.o").write_bytes(b"object-bytes")
    (folder / "k.cubin").write_bytes(b"cubin")
    run([*offload_tool_command(), "pack", "-o", "f.bin", "--toolchain", "llvm-22", *more,
         "--image", "file=k.o,triple=amdgcn-amd-amdhsa,arch=gfx90a,kind=hip",
         "--image", "file=k.cubin,triple=nvptx64-nvidia-cuda,arch=sm_80,kind=cuda,note=a"], cwd=folder)  # fmt: skip
    return folder / "f.bin"


def test_llvm_objdump_reads_ours(tmp_path: Path) -> None:
    shown = run([peer("llvm-objdump-22"), "--offloading", packed(tmp_path)]).stdout
    words = [line.split() for line in shown.splitlines() if line]
    assert ["producer", "hip"] in words
    assert ["producer", "cuda"] in words
    assert ["arch", "gfx90a"] in words


def test_llvm_objdump_reads_aligned_binaries(tmp_path: Path) -> None:
    shown = run([peer("llvm-objdump-22"), "--offloading", packed(tmp_path, "--align", "4096")]).stdout
    assert shown.count("OFFLOADING IMAGE") == 2


def test_obj2yaml_and_back_gives_the_same_images(tmp_path: Path) -> None:
    ours = packed(tmp_path)
    text = run([peer("obj2yaml-22"), ours]).stdout
    (tmp_path / "again.yaml").write_text(text)
    run([peer("yaml2obj-22"), "again.yaml", "-o", "again.bin"], cwd=tmp_path)
    assert (tmp_path / "again.bin").read_bytes() == ours.read_bytes()


def test_reads_what_yaml2obj_writes(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(
        "--- !Offload\nMembers:\n  - ImageKind: IMG_Cubin\n    OffloadKind: OFK_OpenMP\n    Flags: 1\n"
        "    String:\n      - Key: triple\n        Value: nvptx64-nvidia-cuda\n    Content: deadbeef\n"
    )
    run([peer("yaml2obj-22"), "one.yaml", "-o", "one.bin"], cwd=tmp_path)
    content = (tmp_path / "one.bin").read_bytes()
    (image,) = read(content)
    assert (image.image_kind, image.offload_kind, image.flags) == (3, 1, 1)
    assert bytes_of(content, image).hex() == "deadbeef"


SHORT = st.binary(max_size=3).map(lambda text: text.replace(b"\0", b"a"))


@given(
    st.lists(st.tuples(SHORT, SHORT), max_size=4, unique_by=lambda pair: pair[0]),
    st.integers(0, 4),
    st.lists(SHORT, min_size=1, max_size=40),
)
def test_strings_that_differ_in_their_arch_are_those_that_are_made_one_by_one(
    others: list[tuple[bytes, bytes]], place: int, archs: list[bytes]
) -> None:
    together, others = SingleStrings(), [pair for pair in others if pair[0] != b"arch"]
    for number in range(20):  # so many that it is looked for what they share
        together.of((*others[:place], (b"arch", b"first %d" % number), *others[place:]))
    for arch in archs:
        strings = (*others[:place], (b"arch", arch), *others[place:])
        assert together.of(strings) == SingleStrings().of(strings)


def test_many_archs_have_one_table_between_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strings of most of them are put together of what the others have."""
    made = 0

    def counted(texts: Iterable[bytes]) -> tuple[bytes, dict[bytes, int]]:
        nonlocal made
        made += 1
        return string_table(texts)

    monkeypatch.setattr(single_strings, "string_table", counted)
    together = SingleStrings()
    for number in range(5000):
        together.of(((b"arch", b"sm_%d" % number), (b"triple", b"nvptx64-nvidia-cuda")))
    assert made < 20
