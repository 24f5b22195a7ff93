"""Where ``pack`` writes to: in place of what is there, or into it, with the right mode and time."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from offload_tool import read_images

from ..peers import offload_tool_command, run
from .running import Call, files_in, write_manifest

LONG_AGO = 1_000_000_000_000_000_000


@pytest.fixture
def umask() -> Iterator[None]:
    old = os.umask(0o027)
    yield
    os.umask(old)


def _packed(call: Call, manifest: Path, tmp_path: Path) -> bytes:
    call("pack", manifest, "-o", tmp_path / "reference")
    return (tmp_path / "reference").read_bytes()


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_output_to_stdout(call: Call, manifest: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [*offload_tool_command(), "pack", manifest, "-o", "-", "--no-check"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert done.stdout == _packed(call, manifest, tmp_path)
    assert done.stderr == b""


@pytest.mark.parametrize("name", ["/dev/null", "null"])
def test_device_is_written_into(name: str, call: Call, manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    before = os.stat("/dev/null")
    call("pack", manifest, "-o", tmp_path / name)
    after = os.stat("/dev/null")
    assert stat.S_ISCHR(after.st_mode)
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert (tmp_path / "null").is_symlink()


def test_pipe_is_written_into(call: Call, manifest: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as reader:
        call("pack", manifest, "-o", tmp_path / "pipe")
        content, _ = reader.communicate()
    assert content == _packed(call, manifest, tmp_path)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.usefixtures("umask")
def test_new_output_has_0666_less_umask(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "out", "--depfile", tmp_path / "deps.d")
    assert (_mode(tmp_path / "out"), _mode(tmp_path / "deps.d")) == (0o640, 0o640)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o600, 0o755, 0o444, 0o666])
def test_existing_mode_is_kept(mode: int, call: Call, manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    (tmp_path / "out").chmod(mode)
    call("pack", manifest, "-o", tmp_path / "out")
    assert _mode(tmp_path / "out") == mode
    assert len(read_images(str(tmp_path / "out"))) == 2


@pytest.mark.parametrize("target", ["old", "nowhere"])
def test_symbolic_link_is_replaced(target: str, call: Call, manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "out").symlink_to(target)
    call("pack", manifest, "-o", tmp_path / "out", "--write-if-changed")
    assert not (tmp_path / "out").is_symlink()
    assert (tmp_path / "old").read_bytes() == b"old"
    assert not (tmp_path / "nowhere").exists()


def test_other_name_of_a_hard_linked_output_keeps_its_bytes(call: Call, manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "out").hardlink_to(tmp_path / "old")
    call("pack", manifest, "-o", tmp_path / "out")
    assert (tmp_path / "old").read_bytes() == b"old"
    assert len(read_images(str(tmp_path / "out"))) == 2


@pytest.mark.parametrize("archive", [[], ["--archive"]], ids=["binary", "archive"])
def test_unchanged_output_is_left_alone_where_that_is_asked_for(
    archive: list[str], call: Call, manifest: Path, tmp_path: Path
) -> None:
    words = ["pack", manifest, "-o", tmp_path / "out", *archive]
    call(*words)
    os.utime(tmp_path / "out", ns=(LONG_AGO, LONG_AGO))
    inode = (tmp_path / "out").stat().st_ino
    call(*words, "--write-if-changed")
    status = (tmp_path / "out").stat()
    assert (status.st_mtime_ns, status.st_ino) == (LONG_AGO, inode)
    (tmp_path / "one.cubin").write_bytes(b"other image")
    call(*words, "--write-if-changed")
    assert (tmp_path / "out").stat().st_mtime_ns > LONG_AGO
    os.utime(tmp_path / "out", ns=(LONG_AGO, LONG_AGO))
    content = (tmp_path / "out").read_bytes()
    call(*words)
    assert (tmp_path / "out").stat().st_mtime_ns > LONG_AGO
    assert (tmp_path / "out").read_bytes() == content


def test_nothing_else_is_left(call: Call, manifest: Path, tmp_path: Path) -> None:
    before = files_in(tmp_path)
    for more in ([], ["--write-if-changed"], ["--archive"]):
        call("pack", manifest, "-o", tmp_path / "out", *more)
    assert files_in(tmp_path) == sorted([*before, "out"])


def test_relative_output_in_the_working_directory(manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    run([*offload_tool_command(), "pack", manifest, "-o", "out"], cwd=tmp_path / "sub")
    assert files_in(tmp_path / "sub") == ["out"]


def test_long_name_that_is_no_ascii(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / ("é" * 127))


def test_long_ascii_name(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / ("e" * 255))


@pytest.mark.parametrize("align", [8, 16, 64, 4096, 65536])
@pytest.mark.parametrize("by", ["option", "manifest"])
def test_align_holds_for_sizes_and_images(align: int, by: str, call: Call, tmp_path: Path) -> None:
    for size in (0, 1, 5000):
        (tmp_path / f"k{size}").write_bytes(b"k" * size)
    more: dict[str, Any] = {"align": align} if by == "manifest" else {}
    images = [{"file": f"k{size}", "arch": f"sm_{size}"} for size in (5000, 0, 1)]
    option = ["--align", str(align)] if by == "option" else []
    call("pack", write_manifest(tmp_path, *images, **more), "-o", tmp_path / "out", *option)
    assert (tmp_path / "out").stat().st_size % align == 0
    found = read_images(str(tmp_path / "out"))
    assert [image.size for image in found] == [5000, 0, 1]
    assert [image.offset is not None and image.offset % align for image in found] == [0, 0, 0]


def test_option_counts_before_the_manifest(call: Call, manifest: Path, tmp_path: Path) -> None:
    path = write_manifest(
        tmp_path, {"file": "one.cubin", "kind": "hip"}, toolchain="llvm-22", align=4096, name="n.yaml"
    )
    call("pack", path, "-o", tmp_path / "out", "--toolchain", "llvm-19", "--align", "8")
    (image,) = read_images(str(tmp_path / "out"))
    assert image.raw_kind == 3
    assert (tmp_path / "out").stat().st_size < 4096


@pytest.mark.parametrize(
    ("named", "by_default", "raw_kind"),
    [("llvm-19", "llvm-22", 3), (None, "llvm-22", 4), (None, None, 3), (None, "", 3)],
)
def test_default_toolchain_counts_last(
    named: str | None, by_default: str | None, raw_kind: int, call: Call, manifest: Path, tmp_path: Path
) -> None:
    more = {} if named is None else {"toolchain": named}
    path = write_manifest(tmp_path, {"file": "one.cubin", "kind": "hip"}, name="n.yaml", **more)
    option = [] if by_default is None else ["--default-toolchain", by_default]
    call("pack", path, "-o", tmp_path / "out", *option)
    assert read_images(str(tmp_path / "out"))[0].raw_kind == raw_kind


def test_no_image_at_all_is_an_empty_output(call: Call, tmp_path: Path) -> None:
    call("pack", write_manifest(tmp_path), "-o", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b""
    assert call("list", tmp_path / "out").out == f"{tmp_path / 'out'}: 0 images, 0 bytes\n"


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_bytes_depend_on_nothing_but_the_input(hash_seed: str, call: Call, tmp_path: Path) -> None:
    contents = set()
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "k").write_bytes(b"image")
        metadata = {f"key{index}": str(index) for index in range(12)}
        write_manifest(folder, {"file": "k", "arch": "sm_80", "metadata": metadata})
        env = {"PYTHONHASHSEED": hash_seed, "LC_ALL": "C" if name == "a" else "C.UTF-8"}
        run([*offload_tool_command(), "pack", "m.yaml", "-o", "out"], cwd=folder, env=env)
        contents.add((folder / "out").read_bytes())
    call("pack", tmp_path / "a" / "m.yaml", "-o", tmp_path / "out")
    assert contents == {(tmp_path / "out").read_bytes()}
