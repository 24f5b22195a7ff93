"""Files are made under names out of files: they stay in their folder, hide nobody's file and follow no link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.actions.file_names import portable_names, safe_name
from offload_tool.cli.offload_binary import main as offload_binary

from ..cli.running import Call, binary, caller, files_in, write_manifest
from ..peers import peer, run

HOSTILE = [
    "../x", "../../../../tmp/x", "..", ".", "/etc/x", "//x", "a/../../b", "C:\\x", "C:x", "\\\\server\\share\\x",
    "a\\..\\b", "a\0b", "\0", "a\nb", "a\rb", "\x1b[2J", "\u202etxt.exe", "con", "CON.o", "nul", "nul.txt", "aux.",
    "com1", "LPT9.bin", "x.", "x ", " x", "x. . .", "~root", "-rf", "$(id)", "`id`", "a;b", "a|b", "*", "?", "x" * 300,
    "é" * 300, "x" * 300 + ".cubin", "\udcff", "", " ", ".hidden", "...",
]  # fmt: skip
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(capsys)


def _check_name(name: str) -> None:
    assert name.isascii()
    assert name.isprintable()
    assert not set(name) & set("/\\ ~$`*?|;<>\"'&()")
    assert 0 < len(name) <= 255 - len("..offload-63.part")
    assert not name.startswith(".")
    assert not name.endswith((".", " "))
    assert name.split(".", maxsplit=1)[0].lower() not in RESERVED
    assert name[1:2] != ":", "no letter of a drive"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_becomes_a_plain_name(text: str) -> None:
    for name in (safe_name(text), *portable_names([text, text, text.upper()])):
        _check_name(name)


@given(st.lists(st.text(max_size=300), max_size=8))
def test_any_texts_become_names_of_their_own(texts: list[str]) -> None:
    names = portable_names(texts)
    assert len({name.casefold() for name in names}) == len(texts)
    assert all("/" not in name and name not in ("", ".", "..") and len(name) <= 255 for name in names)


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\0" not in text])
def test_extracted_names(text: str, call: Call, tmp_path: Path) -> None:
    for folder in ("in", "in/dir"):
        (tmp_path / folder).mkdir()
    fat = tmp_path / "fat.bin"
    fat.write_bytes(
        b"".join(binary(bytes([65 + n]), {"triple": word}) for n, word in enumerate((text, text, text.upper())))
    )
    call("extract", fat, "-d", tmp_path / "in" / "dir")
    made = files_in(tmp_path / "in" / "dir")
    assert sorted((tmp_path / "in" / "dir" / name).read_bytes() for name in made) == [b"A", b"B", b"C"]
    assert len({name.lower() for name in made}) == 3
    for name in made:
        _check_name(name)
    assert (files_in(tmp_path), files_in(tmp_path / "in")) == (["fat.bin", "in"], ["dir"])
    call("extract", fat, "--archive", "-o", tmp_path / "lib.a")
    members = run([peer("ar"), "t", tmp_path / "lib.a"]).stdout.splitlines()
    assert sorted(members) == made


@pytest.mark.parametrize("stem", ["con", "NUL", "..", "-rf", "x" * 240, "é" * 120])
def test_extracted_names_of_a_file_with_a_hostile_name(stem: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    fat = tmp_path / f"{stem}.bin"
    fat.write_bytes(binary(b"one", {}) + binary(b"two", {}))
    call("extract", fat, "-d", tmp_path / "dir")
    assert len(files_in(tmp_path / "dir")) == 2
    for name in files_in(tmp_path / "dir"):
        _check_name(name)


def test_exported_names(call: Call, tmp_path: Path) -> None:
    """Files of one name in several folders, of names that differ in case alone, of names as long as can be."""
    hostile = ["con", "nul.cubin", "x. .", "a\\b", "-rf", "K.o", "k.o", "é" * 127, "x" * 255, "..x", "C:x", "~"]
    files = [f"{folder}/{name}" for folder in ("one", "two") for name in hostile]
    for number, file in enumerate(files):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(b"%d" % number)
    manifest = write_manifest(
        tmp_path, *({"file": file, "arch": f"a{n}"} for n, file in enumerate(files)), literal=True
    )
    call("export", manifest, "-d", tmp_path / "copy")
    made = files_in(tmp_path / "copy" / "images")
    assert len({name.casefold() for name in made}) == len(files)
    for name in made:
        _check_name(name)
    call("pack", manifest, "-o", tmp_path / "one.bin", "--no-check")
    call("pack", tmp_path / "copy" / "offload.yaml", "-o", tmp_path / "two.bin", "--no-check")
    assert (tmp_path / "one.bin").read_bytes() == (tmp_path / "two.bin").read_bytes()


@pytest.mark.parametrize("name", ["..k", "_k_", "#1_3", "k o", "k\\o", "a,b", "x" * 200])
def test_packed_member_names(name: str, call: Call, tmp_path: Path) -> None:
    """A member of an archive has its file's name, which other archivers read back."""
    (tmp_path / name).write_bytes(b"k" * 3)
    call(
        "pack",
        write_manifest(tmp_path, {"file": name}, literal=True),
        "--archive",
        "-o",
        tmp_path / "lib.a",
        "--no-check",
    )
    assert run([peer("ar"), "p", tmp_path / "lib.a"]).stdout == "kkk"
    assert run([peer("ar"), "t", tmp_path / "lib.a"]).stdout == f"{name}\n"


@pytest.fixture
def fat(tmp_path: Path) -> Path:
    (tmp_path / "dir").mkdir()
    (tmp_path / "victim").write_bytes(b"victim")
    (tmp_path / "fat.bin").write_bytes(binary(b"image", {"triple": "t"}))
    return tmp_path / "fat.bin"


@pytest.mark.parametrize("what", ["link", "dangling", "link to device", "pipe", "hard link"])
def test_what_stands_under_an_extracted_name_is_replaced(what: str, call: Call, fat: Path, tmp_path: Path) -> None:
    name = tmp_path / "dir" / "fat-t.0"
    if what == "pipe":
        os.mkfifo(name)
    elif what == "hard link":
        name.hardlink_to(tmp_path / "victim")
    else:
        name.symlink_to({"link": f"{tmp_path}/victim", "dangling": "nowhere", "link to device": "/dev/null"}[what])
    call("extract", fat, "-d", tmp_path / "dir")
    assert not name.is_symlink()
    assert name.read_bytes() == b"image"
    assert (tmp_path / "victim").read_bytes() == b"victim"
    assert files_in(tmp_path / "dir") == ["fat-t.0"]


@pytest.mark.parametrize("program", ["llvm-offload-binary-23", "offload-binary"])
def test_what_stands_in_the_way_of_the_drop_in_is_replaced(
    program: str, fat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its names are LLVM's: whatever a triple holds but a slash, which is refused."""
    monkeypatch.chdir(tmp_path / "dir")
    assert offload_binary([program, str(fat)]) == 0
    (name,) = files_in(tmp_path / "dir")
    (tmp_path / "dir" / name).unlink()
    os.mkfifo(tmp_path / "dir" / name)
    assert offload_binary([program, str(fat)]) == 0
    assert (tmp_path / "dir" / name).read_bytes() == b"image"
    fat.write_bytes(binary(b"image", {"triple": "/../../t"}))
    assert offload_binary([program, str(fat)]) == 1
    assert files_in(tmp_path / "dir") == [name]


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_folder_under_an_extracted_name_is_refused(kind: str, call: Call, fat: Path, tmp_path: Path) -> None:
    name = tmp_path / "dir" / "fat-t.0"
    (tmp_path / "other").mkdir()
    if kind == "folder":
        name.mkdir()
    else:
        name.symlink_to(tmp_path / "other")
    assert "is a directory; name a file" in call("extract", fat, "-d", tmp_path / "dir", status=1).err
    assert files_in(tmp_path / "other") == []


def test_link_that_a_person_names_as_the_folder_is_followed(call: Call, fat: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("dir")
    call("extract", fat, "-d", tmp_path / "link")
    assert files_in(tmp_path / "dir") == ["fat-t.0"]


@pytest.mark.parametrize("what", ["images", "offload.yaml", "image"])
def test_links_in_the_way_of_an_export_are_not_followed(what: str, call: Call, manifest: Path, tmp_path: Path) -> None:
    for folder in ("copy", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "victim").write_bytes(b"victim")
    words = ["export", manifest, "-d", tmp_path / "copy"]
    if what == "images":
        (tmp_path / "copy" / "images").symlink_to(tmp_path / "other")
        assert "is a symbolic link; remove it" in call(*words, status=1).err
    else:
        place = tmp_path / "copy" / ("offload.yaml" if what == "offload.yaml" else "images/one.cubin")
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(tmp_path / "victim")
        call(*words)
        assert not place.is_symlink()
    assert (tmp_path / "victim").read_bytes() == b"victim"
    assert files_in(tmp_path / "other") == []


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    (tmp_path / "one.cubin").write_bytes(b"first image")
    return write_manifest(tmp_path, {"file": "one.cubin", "arch": "sm_80"}, toolchain="llvm-22")


def test_folder_that_becomes_a_link_between_two_images(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who may rename the folder itself chooses where the rest goes; no name leads out of what then stands there."""
    from offload_tool.actions import extract

    (tmp_path / "dir").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "fat.bin").write_bytes(binary(b"one", {"triple": "t"}) + binary(b"two", {"triple": "../../t"}))
    real = extract.copy_out

    def copy_and_replace(*words: object, **more: object) -> None:
        real(*words, **more)  # type: ignore[arg-type]
        if not (tmp_path / "dir").is_symlink():
            (tmp_path / "dir").rename(tmp_path / "moved")
            (tmp_path / "dir").symlink_to("other")

    monkeypatch.setattr(extract, "copy_out", copy_and_replace)
    call("extract", tmp_path / "fat.bin", "-d", tmp_path / "dir")
    assert (files_in(tmp_path / "moved"), files_in(tmp_path / "other")) == (["fat-t.0"], ["fat-.._.._t.1"])
    assert files_in(tmp_path) == ["dir", "fat.bin", "moved", "other"]
