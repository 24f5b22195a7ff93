"""The depfile: what was read, in a form that make and ninja both take; read here by make itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from offload_tool.deps.packager import loaded_modules, packager_modules

from ..peers import offload_tool_command, peer, run
from .running import Call, files_in, write_manifest


def _prerequisites(text: str) -> list[str]:
    """The paths after the target, unescaped: written independently of the package."""
    _, _, rest = text.replace("\\\n", " ").partition(": ")
    marked = rest.replace("\\ ", "\0").replace("\\#", "#").replace("$$", "$")
    return [word.replace("\0", " ") for word in marked.split()]


def test_depfile_lists_manifests_images_and_the_packager(call: Call, manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    other = write_manifest(tmp_path / "sub", {"file": "../one.cubin", "arch": "sm_70"})
    (tmp_path / "free").write_bytes(b"free")
    call(
        "pack", manifest, other, "--image", f"file={tmp_path / 'free'},triple=t,kind=none",
        "-o", tmp_path / "out", "--depfile", tmp_path / "deps.d",
    )  # fmt: skip
    text = (tmp_path / "deps.d").read_text(encoding="utf-8")
    assert text.startswith(f"{tmp_path / 'out'}: \\\n")
    assert text.endswith("\n")
    expected = [manifest, other, tmp_path / "one.cubin", tmp_path / "two.cubin", tmp_path / "free", *loaded_modules()]
    assert _prerequisites(text) == [str(path) for path in expected]


def test_depfile_lists_the_modules_that_had_a_say(manifest: Path, tmp_path: Path) -> None:
    run([*offload_tool_command(), "pack", manifest, "-o", "out", "--depfile", "d"], cwd=tmp_path)
    modules = [path for path in _prerequisites((tmp_path / "d").read_text()) if path.endswith(".py")]
    assert all(os.path.isabs(module) and os.path.exists(module) for module in modules)
    assert set(modules) < set(packager_modules())
    names = {os.path.basename(module) for module in modules}
    assert {"pack.py", "load.py", "pack_command.py", "version.py", "writer.py", "output.py"} <= names
    assert not {"embed_command.py", "cuda_fatbin.py", "patching.py"} & names


def test_depfile_lists_what_was_loaded_on_the_way(manifest: Path, tmp_path: Path) -> None:
    words: list[str | Path] = [*offload_tool_command(), "pack", manifest, "-o", "out", "--depfile", "d"]
    run([*words, "--archive"], cwd=tmp_path)
    assert "/archiving.py" in (tmp_path / "d").read_text()
    run([*words, "--incremental"], cwd=tmp_path)
    assert "/incremental.py" in (tmp_path / "d").read_text()


def test_g14_depfile_without_images_lists_the_manifest(call: Call, tmp_path: Path) -> None:
    path = write_manifest(tmp_path)
    call("pack", path, "-o", tmp_path / "out", "--depfile", tmp_path / "deps.d")
    assert _prerequisites((tmp_path / "deps.d").read_text(encoding="utf-8"))[0] == str(path)


def test_depfile_target(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "out", "--depfile", tmp_path / "d", "--depfile-target", "sub/out #1")
    assert (tmp_path / "d").read_text(encoding="utf-8").startswith("sub/out\\ \\#1: \\\n")


def test_stamp_is_touched_where_the_output_keeps_its_age(call: Call, manifest: Path, tmp_path: Path) -> None:
    words = ["pack", manifest, "-o", tmp_path / "out", "--depfile", tmp_path / "d", "--stamp", tmp_path / "stamp"]
    call(*words, "--write-if-changed")
    assert (tmp_path / "d").read_text(encoding="utf-8").startswith(f"{tmp_path / 'stamp'}: ")
    for name in ("out", "stamp"):
        os.utime(tmp_path / name, ns=(1, 1))
    call(*words, "--write-if-changed")
    assert (tmp_path / "out").stat().st_mtime_ns == 1
    assert (tmp_path / "stamp").stat().st_mtime_ns > 1
    assert (tmp_path / "stamp").read_bytes() == b""


def test_stamp_keeps_its_age_after_a_failure(call: Call, manifest: Path, tmp_path: Path) -> None:
    words = ["pack", manifest, "-o", tmp_path / "out", "--stamp", tmp_path / "stamp"]
    call(*words)
    os.utime(tmp_path / "stamp", ns=(1, 1))
    (tmp_path / "two.cubin").unlink()
    call(*words, status=1)
    assert (tmp_path / "stamp").stat().st_mtime_ns == 1


def test_stamp_that_cannot_be_touched(call: Call, manifest: Path, tmp_path: Path) -> None:
    words = ["pack", manifest, "-o", tmp_path / "out", "--stamp"]
    assert "name another file" in call(*words, tmp_path / "out", status=2).err
    assert "is a directory" in call(*words, tmp_path, status=1).err
    assert not (tmp_path / "out").exists()
    (tmp_path / "loop").symlink_to("loop")
    assert f"stamp '{tmp_path / 'loop'}': " in call(*words, tmp_path / "loop", status=1).err
    before = manifest.read_bytes()
    assert "is one of its own inputs" in call(*words, manifest, status=1).err
    assert manifest.read_bytes() == before


def test_images_that_are_not_selected_are_not_listed(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "out", "--depfile", tmp_path / "d", "--select", "arch=sm_90")
    prerequisites = _prerequisites((tmp_path / "d").read_text(encoding="utf-8"))
    assert str(tmp_path / "two.cubin") in prerequisites
    assert str(tmp_path / "one.cubin") not in prerequisites


@pytest.mark.parametrize("name", ["in 1.o", "a#b.o", "cost$5.o", "k(x86).o", "a$(b) #c  d.o", "ünï.o", "k.o"])
def test_g15_make_reads_every_path(name: str, manifest: Path, tmp_path: Path) -> None:
    """make rebuilds when the image is newer, and only then: it has understood the line."""
    (tmp_path / name).write_bytes(b"x")
    path = write_manifest(tmp_path, {"file": name.replace("{", "{{")}, name="n.yaml")
    words: list[str | Path] = [*offload_tool_command(), "pack", path, "-o", "out", "--depfile", "deps.d"]
    run(words, cwd=tmp_path)
    (tmp_path / "Makefile").write_text("out: ; @echo packs\n-include deps.d\n", encoding="utf-8")
    make = [peer("make"), "-s", "out"]
    newest = max(Path(module).stat().st_mtime_ns for module in packager_modules())
    later = max(newest, (tmp_path / name).stat().st_mtime_ns) + 10**9
    os.utime(tmp_path / "out", ns=(later, later))
    assert "packs" not in run(make, cwd=tmp_path).stdout
    os.utime(tmp_path / name, ns=(later + 10**9, later + 10**9))
    assert "packs" in run(make, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("where", "character"),
    [
        *(("image", character) for character in ";|:\\"),  # control characters are refused in an image anyway
        *((where, character) for where in ("output", "target", "manifest") for character in "\n\t\r;|:\\"),
    ],
)
def test_g15_path_that_no_depfile_can_say(
    character: str, where: str, call: Call, manifest: Path, tmp_path: Path
) -> None:
    odd = tmp_path / f"a{character}b"
    odd.write_bytes(b"x")
    words: dict[str, list[str | Path]] = {
        "image": [manifest, "--image", f"file={odd},triple=t,kind=none", "-o", tmp_path / "out"],
        "output": [manifest, "-o", odd],
        "target": [manifest, "-o", tmp_path / "out", "--depfile-target", odd],
        "manifest": [odd, "-o", tmp_path / "out"],
    }
    if where == "manifest":
        odd.write_bytes(manifest.read_bytes())
    before, content = files_in(tmp_path), odd.read_bytes()
    result = call("pack", *words[where], "--depfile", tmp_path / "deps.d", status=1)
    assert result.err == (
        f"offload-tool: error: path {str(odd)!r} holds {character!r}, which no dependency file can say; rename it\n"
    )
    assert files_in(tmp_path) == before
    assert odd.read_bytes() == content
    call("pack", *words[where])


@pytest.mark.parametrize("character", ["&", "'", '"', "*", "^", "<"])
def test_path_that_ninja_misreads_has_a_warning(character: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / f"a{character}b").write_bytes(b"x")
    path = write_manifest(tmp_path, {"file": f"a{character}b"})
    words = ["pack", path, "-o", tmp_path / "out"]
    assert call(*words).err == ""
    assert "ninja misreads" in call(*words, "--depfile", tmp_path / "d").err
    assert "--strict" in call(*words, "--depfile", tmp_path / "d", "--strict", status=1).err


def test_g19_depfile_is_not_newer_than_a_failed_output(call: Call, manifest: Path, tmp_path: Path) -> None:
    call("pack", manifest, "-o", tmp_path / "out", "--depfile", tmp_path / "d")
    before = [(tmp_path / name).stat().st_mtime_ns for name in ("out", "d")]
    (tmp_path / "two.cubin").unlink()
    call("pack", manifest, "-o", tmp_path / "out", "--depfile", tmp_path / "d", status=1)
    assert [(tmp_path / name).stat().st_mtime_ns for name in ("out", "d")] == before
