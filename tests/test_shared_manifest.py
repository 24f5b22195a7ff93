"""The example of two projects: either build tool packs what either one installed, and all four ways agree."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .peers import ROOT, offload_tool_command, peer, run

EXAMPLE = ROOT / "examples" / "shared_manifest"
INSTALLED = ["axpy.sm_70.ptx", "axpy.sm_80.ptx", "axpy.sm_90.ptx"]
ENVIRONMENT = {"PYTHONPATH": str(ROOT)}
DONE = {"cmake": "Packing", "scons": "OFFLOAD"}


def _scons(folder: Path, *arguments: str) -> str:
    done = run([peer("scons"), "-Q", "-C", folder, *arguments], env=ENVIRONMENT)
    return done.stdout + done.stderr


def _cmake(folder: Path, *definitions: str) -> None:
    made = [f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_MAKE_PROGRAM=" + peer("ninja")]
    run([peer("cmake"), "-G", "Ninja", "-S", folder, "-B", folder / "build", *made, *definitions], env=ENVIRONMENT)


def _cmake_build(folder: Path, *arguments: str | Path) -> str:
    done = run([peer("cmake"), *(arguments or ("--build", folder / "build"))], env=ENVIRONMENT)
    return done.stdout + done.stderr


def _install_by_scons(folder: Path, prefix: Path) -> None:
    _scons(folder, "install", f"PREFIX={prefix}")


def _install_by_cmake(folder: Path, prefix: Path) -> None:
    _cmake(folder)
    _cmake_build(folder)
    _cmake_build(folder, "--install", folder / "build", "--prefix", prefix)


def _pack_by_scons(folder: Path, prefix: Path) -> str:
    return _scons(folder, f"PREFIX={prefix}")


def _pack_by_cmake(folder: Path, prefix: Path) -> str:
    _cmake(folder, f"-DPREFIX={prefix}")
    return _cmake_build(folder)


INSTALL: dict[str, Callable[[Path, Path], None]] = {"cmake": _install_by_cmake, "scons": _install_by_scons}
PACK: dict[str, Callable[[Path, Path], str]] = {"cmake": _pack_by_cmake, "scons": _pack_by_scons}


def _copied(project: str, folder: Path) -> Path:
    return shutil.copytree(EXAMPLE / project, folder / project, ignore=shutil.ignore_patterns("build", ".scon*"))


@pytest.fixture(scope="module", params=sorted(INSTALL))
def prefix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the kernels were installed and then moved to; their project is gone."""
    folder = tmp_path_factory.mktemp("producer")
    kernels = _copied("kernels", folder / "sources")
    INSTALL[request.param](kernels, folder / "prefix")
    shutil.rmtree(folder / "sources")
    moved = folder / "moved to another place" / "the prefix"
    moved.parent.mkdir()
    (folder / "prefix").rename(moved)
    return moved


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the command line packs of the example's own files."""
    folder = tmp_path_factory.mktemp("expected")
    tool = offload_tool_command()
    run([*tool, "export", EXAMPLE / "kernels" / "images.yaml", "-d", folder / "kernels"])
    run([*tool, "pack", EXAMPLE / "app" / "images.yaml", "-I", folder, "-o", folder / "app.bin"])
    return (folder / "app.bin").read_bytes()


def test_no_path_of_the_machine_is_installed(prefix: Path) -> None:
    copy = prefix / "share" / "kernels"
    assert sorted(path.name for path in (copy / "images").iterdir()) == INSTALLED
    producer = os.fsencode(prefix.parent.parent)
    for path in prefix.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert producer not in content, path
            assert os.fsencode(ROOT) not in content, path


@pytest.mark.parametrize("consumer", sorted(PACK))
def test_installed_kernels_are_packed_to_the_same_bytes(
    consumer: str, prefix: Path, expected: bytes, tmp_path: Path
) -> None:
    app = _copied("app", tmp_path)
    own = shutil.copytree(prefix, tmp_path / "own prefix")
    assert DONE[consumer] in PACK[consumer](app, own)
    assert (app / "build" / "app.bin").read_bytes() == expected
    assert DONE[consumer] not in PACK[consumer](app, own)
    image = own / "share" / "kernels" / "images" / INSTALLED[1]
    image.write_text(image.read_text() + "// edited\n")
    assert DONE[consumer] in PACK[consumer](app, own)
    assert b"// edited" in (app / "build" / "app.bin").read_bytes()
