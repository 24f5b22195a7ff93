"""Archives of binutils and LLVM, thin ones among them, and damaged ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offload_tool.containers.archive import Member, plan_archive
from offload_tool.containers.archive_layout import HEADER_SIZE, MAGIC, THIN_MAGIC, pack_header
from offload_tool.containers.archive_reader import ArchiveMember, matches, members
from offload_tool.errors import FormatError

from ..peers import peer, run

# Names on both sides of what a header holds, odd and even sizes, and two files of one base name.
FILES = {
    "a.o": b"12345",
    "fifteen_chars_x": b"123456",
    "sixteen_chars_xx": b"1234567",
    "seventeen_chars_x": b"abcde",
    "with space.o": b"sp",
    "a rather long name with spaces.o": b"s",
    "sub/a.o": b"q",
}
BASE_NAMES = [os.path.basename(name) for name in FILES]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path)


def filled(tmp_path: Path) -> Path:
    """The folder with the files that go into archives."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "out").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def read(data: bytes) -> list[tuple[str, int, bytes]]:
    found = list(members(memoryview(data)))
    assert not any(member.is_thin for member in found)
    return [(member.name, member.occurrence, data[member.offset : member.offset + member.size]) for member in found]


def header(name: bytes, size: int, *, digits: bytes | None = None) -> bytes:
    made = pack_header(name=name, date=b"0", uid=b"0", gid=b"0", mode=b"644", size=size)
    return made if digits is None else made[:48] + digits.ljust(10) + made[58:]


def outcome(data: bytes) -> None:
    """Either members that lie in the archive, or a fault that does."""
    fault = None
    try:
        for member in members(memoryview(data)):
            assert HEADER_SIZE <= member.offset <= member.offset + member.size <= len(data)
    except FormatError as error:
        fault = error
    assert fault is None or 0 <= fault.offset <= len(data)


EXPECTED = [
    ("a.o", 0, b"12345"),
    ("fifteen_chars_x", 0, b"123456"),
    ("sixteen_chars_xx", 0, b"1234567"),
    ("seventeen_chars_x", 0, b"abcde"),
    ("with space.o", 0, b"sp"),
    ("a rather long name with spaces.o", 0, b"s"),
    ("a.o", 1, b"q"),
]


def test_g13_archive_by_binutils(folder: Path) -> None:
    run([peer("ar"), "qc", "lib.a", *FILES], cwd=folder)
    data = (folder / "lib.a").read_bytes()
    assert matches(data[:512])
    assert read(data) == EXPECTED


@pytest.mark.parametrize("form", ["gnu", "bsd", "coff"])
def test_g13_archive_by_llvm(folder: Path, form: str) -> None:
    run([peer("llvm-ar-22"), f"--format={form}", "qc", "lib.a", *FILES], cwd=folder)
    assert read((folder / "lib.a").read_bytes()) == EXPECTED


def test_darwin_archive_fills_members_up_to_eight(folder: Path) -> None:
    run([peer("llvm-ar-22"), "--format=darwin", "qc", "lib.a", *FILES], cwd=folder)
    found = read((folder / "lib.a").read_bytes())
    assert [(name, occurrence, content.rstrip(b"\n")) for name, occurrence, content in found] == EXPECTED


@pytest.mark.parametrize("form", ["gnu", "bsd", "darwin", "coff"])
def test_symbol_indexes_are_passed_over(folder: Path, form: str) -> None:
    (folder / "k.c").write_text("int answer(void) { return 42; }\n")
    targets = {"darwin": "x86_64-apple-darwin", "coff": "x86_64-pc-windows-msvc"}
    target = targets.get(form, "x86_64-pc-linux-gnu")
    run([peer("clang-22"), f"--target={target}", "-c", "k.c", "-o", "k.o"], cwd=folder)
    run([peer("llvm-ar-22"), f"--format={form}", "qcs", "lib.a", "k.o", "a.o"], cwd=folder)
    data = (folder / "lib.a").read_bytes()
    assert b"answer" in data[:200]
    found = read(data)
    assert [name for name, _, _ in found] == ["k.o", "a.o"]
    assert found[0][2].startswith((folder / "k.o").read_bytes())


def test_library_by_llvm_lib(folder: Path) -> None:
    (folder / "k.c").write_text("int answer(void) { return 42; }\n")
    run([peer("clang-22"), "--target=arm64ec-pc-windows-msvc", "-c", "k.c", "-o", "k.obj"], cwd=folder)
    run([peer("llvm-lib-22"), "/machine:arm64ec", "/out:k.lib", "k.obj"], cwd=folder)
    data = (folder / "k.lib").read_bytes()
    assert b"/<ECSYMBOLS>/" in data
    assert read(data) == [("k.obj", 0, (folder / "k.obj").read_bytes())]


def test_names_with_slashes(folder: Path) -> None:
    run([peer("ar"), "qcP", "lib.a", "sub/a.o", "a.o"], cwd=folder)
    assert read((folder / "lib.a").read_bytes()) == [("sub/a.o", 0, b"q"), ("a.o", 0, b"12345")]


def test_name_that_is_no_utf_8(folder: Path) -> None:
    name = os.fsencode(str(folder)) + b"/\xff.o"
    with open(name, "wb") as file:
        file.write(b"odd")
    run([peer("ar"), "qc", "lib.a", os.fsdecode(b"\xff.o")], cwd=folder)
    assert read((folder / "lib.a").read_bytes()) == [("\udcff.o", 0, b"odd")]


def thin(data: bytes) -> list[ArchiveMember]:
    found = list(members(memoryview(data)))
    assert all(member.is_thin and member.size == 0 and member.offset <= len(data) for member in found)
    return found


@pytest.mark.parametrize("program", ["ar", "llvm-ar-22"])
def test_g13_thin_archive(folder: Path, program: str) -> None:
    run([peer(program), "--thin", "-qc", "lib.a", *FILES], cwd=folder)
    data = (folder / "lib.a").read_bytes()
    assert matches(data[:512])
    assert [member.name for member in thin(data)] == list(FILES)


@pytest.mark.parametrize("program", ["ar", "llvm-ar-22"])
def test_g13_thin_archive_names_files_from_its_own_folder(folder: Path, program: str) -> None:
    run([peer(program), "--thin", "-qc", "out/lib.a", *FILES], cwd=folder)
    found = thin((folder / "out" / "lib.a").read_bytes())
    assert [(folder / "out" / member.name).read_bytes() for member in found] == list(FILES.values())
    assert [member.name for member in found][-1] == "../sub/a.o"


def test_thin_coff_archive(folder: Path) -> None:
    run([peer("llvm-ar-22"), "--format=coff", "--thin", "qc", "lib.a", *FILES], cwd=folder)
    assert [member.name for member in thin((folder / "lib.a").read_bytes())] == list(FILES)


def test_thin_archive_of_an_archive(folder: Path) -> None:
    run([peer("ar"), "qc", "out/inner.a", *FILES], cwd=folder)
    run([peer("ar"), "--thin", "-qc", "lib.a", "out/inner.a", "a.o"], cwd=folder)
    found = thin((folder / "lib.a").read_bytes())
    assert [member.name for member in found] == ["out/inner.a"] * len(FILES) + ["a.o"]
    assert [member.occurrence for member in found] == [*range(len(FILES)), 0]
    inner = {member.header_offset: member for member in members(memoryview((folder / "out/inner.a").read_bytes()))}
    assert [inner[member.origin].name for member in found[:-1] if member.origin is not None] == BASE_NAMES
    assert found[-1].origin is None


@pytest.mark.parametrize("program", ["ar", "llvm-ar-22"])
def test_thin_archive_of_a_thin_archive(folder: Path, program: str) -> None:
    run([peer(program), "--thin", "-qc", "out/inner.a", "sub/a.o"], cwd=folder)
    run([peer(program), "--thin", "-qc", "lib.a", "out/inner.a"], cwd=folder)
    assert [(member.name, member.origin) for member in thin((folder / "lib.a").read_bytes())] == [("sub/a.o", None)]


def test_thin_archive_with_a_symbol_index(folder: Path) -> None:
    (folder / "k.c").write_text("int answer(void) { return 42; }\n")
    run([peer("gcc"), "-c", "k.c"], cwd=folder)
    run([peer("ar"), "--thin", "-qcs", "lib.a", "k.o", "a.o"], cwd=folder)
    data = (folder / "lib.a").read_bytes()
    assert b"answer" in data
    assert [member.name for member in thin(data)] == ["k.o", "a.o"]


def test_big_archive_of_aix_is_refused_by_name(folder: Path) -> None:
    run([peer("llvm-ar-22"), "--format=bigarchive", "qc", "lib.a", "a.o"], cwd=folder)
    data = (folder / "lib.a").read_bytes()
    assert matches(data[:512])
    with pytest.raises(FormatError, match="archive of AIX, '<bigaf>', is not supported"):
        list(members(memoryview(data)))


def test_empty_archive(folder: Path) -> None:
    run([peer("ar"), "qc", "lib.a"], cwd=folder)
    assert read((folder / "lib.a").read_bytes()) == []


def written(parts: Sequence[tuple[bytes, bytes, list[bytes]]]) -> bytes:
    plan = plan_archive([Member(name=name, size=len(content), symbols=symbols) for name, content, symbols in parts])
    bodies = (content + b"\n" * (len(content) % 2) for _, content, _ in parts)
    return plan.head + b"".join(head + body for head, body in zip(plan.headers, bodies, strict=True))


NAMES = st.binary(min_size=1, max_size=40).filter(
    lambda name: b"\0" not in name and b"/\n" not in name and not name.endswith(b"/") and not name.startswith(b"__.SYM")
)
SYMBOLS = st.lists(st.binary(min_size=1, max_size=5).filter(lambda symbol: b"\0" not in symbol), max_size=3)


@settings(deadline=None)
@given(st.lists(st.tuples(NAMES, st.binary(max_size=20), SYMBOLS), max_size=6))
def test_members_that_the_writer_made_come_back(parts: list[tuple[bytes, bytes, list[bytes]]]) -> None:
    data = written(parts)
    expected = [(name.decode("utf-8", "surrogateescape"), content) for name, content, _ in parts]
    assert [(name, content) for name, _, content in read(data)] == expected


@settings(deadline=None)
@given(st.sampled_from([b"", MAGIC, THIN_MAGIC]), st.binary(max_size=300))
def test_any_bytes_are_answered(magic: bytes, tail: bytes) -> None:
    matches(magic + tail)
    outcome(magic + tail)


@pytest.mark.parametrize("head", [b"", b"!<arch>", b"!<arch>\r\n", b"\x7fELF" + bytes(60)])
def test_no_archive(head: bytes) -> None:
    assert not matches(head)
    with pytest.raises(FormatError, match="is not that of an archive"):
        list(members(memoryview(head)))
