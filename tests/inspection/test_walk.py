"""The files of a tree: which, once each, and in what order."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from offload_tool.actions.inspection.tree import Shard, candidates

from .trees import GPU

DEPTH = 1200
CUBIN = (GPU / "cubin_sm_80.cubin").read_bytes()


def names(*operands: Path) -> list[str]:
    return [found.path for found in candidates(map(str, operands), Shard())]


def below(tree: Path) -> list[str]:
    return [os.path.relpath(path, tree) for path in names(tree)]


def put(tree: Path, *paths: str) -> None:
    for path in paths:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(CUBIN)


def test_entries_come_by_name_folder_by_folder(tmp_path: Path) -> None:
    put(tmp_path, "b", "a/z", "a/b/c", "a.x", "B", "a-b")
    assert below(tmp_path) == ["B", "a/b/c", "a/z", "a-b", "a.x", "b"]


def test_only_files_of_a_known_kind(tmp_path: Path) -> None:
    put(tmp_path, "code")
    (tmp_path / "source.cu").write_text("__global__ void f() {}\n")
    (tmp_path / "empty").touch()
    assert below(tmp_path) == ["code"]


def test_a_file_that_is_named_is_taken_whatever_it_is(tmp_path: Path) -> None:
    (tmp_path / "source.cu").touch()
    assert names(tmp_path / "source.cu") == [str(tmp_path / "source.cu")]


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "tree/a/code", "outside/code")
    (tmp_path / "tree" / "loop").symlink_to("..")
    (tmp_path / "tree" / "a" / "away").symlink_to(tmp_path / "outside")
    assert below(tmp_path / "tree") == ["a/code"]


def test_a_link_named_on_the_command_line_is_followed(tmp_path: Path) -> None:
    put(tmp_path, "tree/code")
    (tmp_path / "link").symlink_to("tree")
    assert below(tmp_path / "link") == ["code"]


def test_a_file_with_links_in_its_tree_comes_once_by_its_own_name(tmp_path: Path) -> None:
    put(tmp_path, "lib/libx.so.1.2")
    (tmp_path / "lib" / "libx.so").symlink_to("libx.so.1")
    (tmp_path / "lib" / "libx.so.1").symlink_to("libx.so.1.2")
    (tmp_path / "a").symlink_to("lib/libx.so")
    assert below(tmp_path) == ["lib/libx.so.1.2"]


def test_a_file_elsewhere_comes_once_by_its_first_link(tmp_path: Path) -> None:
    put(tmp_path, "outside", "tree/z")
    for name in ("tree/m/second", "tree/b", "tree/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(tmp_path / "outside")
    assert below(tmp_path / "tree") == ["b", "z"]


def test_a_folder_whose_name_begins_like_the_tree_is_elsewhere(tmp_path: Path) -> None:
    put(tmp_path, "tree/a", "tree2/code")
    (tmp_path / "tree" / "link").symlink_to("../tree2/code")
    assert below(tmp_path / "tree") == ["a", "link"]


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    put(tmp_path, "code")
    (tmp_path / "broken").symlink_to("nothing")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "device").symlink_to("/dev/null")
    assert below(tmp_path) == ["code"]


def test_pipes_and_sockets_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "code")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        assert below(tmp_path) == ["code"]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    put(tmp_path, os.fsdecode(b"\xff\xfe.o"), "\u00e9.o")
    assert below(tmp_path) == ["\u00e9.o", os.fsdecode(b"\xff\xfe.o")]


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a/code", "b/code", "c")
    really = os.scandir

    def scandir(path: str) -> Iterator[os.DirEntry[str]]:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied", path)
        return really(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = list(candidates([str(tmp_path)], Shard()))
    assert [(one.relative, one.fault) for one in found] == [
        ("a", f"{str(tmp_path / 'a')!r}: Permission denied"),
        ("b/code", None),
        ("c", None),
    ]


def test_a_file_that_cannot_be_opened_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", "b")
    really = os.open

    def opening(path: str, flags: int) -> int:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied", path)
        return really(path, flags)

    monkeypatch.setattr(os, "open", opening)
    found = list(candidates([str(tmp_path)], Shard()))
    assert [one.fault for one in found] == [f"{str(tmp_path / 'a')!r}: Permission denied", None]


def test_a_tree_deeper_than_the_interpreter_recurses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(DEPTH):
        os.mkdir("d")
        os.chdir("d")
    shutil.copy(GPU / "cubin_sm_80.cubin", "code")
    os.chdir(tmp_path)
    found = list(candidates(["."], Shard()))
    os.unlink("d/" * DEPTH + "code")
    for depth in range(DEPTH, 0, -1):  # shutil.rmtree would recurse
        os.rmdir("d/" * depth)
    assert [one.relative for one in found] == ["d/" * DEPTH + "code"]
