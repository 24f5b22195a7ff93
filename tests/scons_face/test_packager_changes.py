"""The packager and the compiler are dependencies: a change of either packs again, and caches do not mix them up."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ..peers import ROOT, peer
from .project import PACKED, Project


@pytest.fixture
def own_package(project: Project, tmp_path: Path) -> Project:
    """A build that runs a copy of the package."""
    shutil.copytree(ROOT / "offload_tool", tmp_path / "p/offload_tool", ignore=shutil.ignore_patterns("__pycache__"))
    project.package = tmp_path / "p"
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml")\n')
    project.manifest("images.yaml", "k.cubin")
    project.write("k.cubin", "kernel")
    assert project.build() == PACKED
    return project


@pytest.mark.parametrize("module", ["version.py", "wire/bounded.py", "actions/copying.py", "scons/nodes.py"])
def test_g18_edited_module_of_the_packager_repacks(own_package: Project, module: str) -> None:
    assert own_package.build() == []
    with (own_package.package / "offload_tool" / module).open("a") as file:
        file.write("# edited\n")
    assert own_package.build() == PACKED
    assert own_package.build() == []


def test_cache_dir(own_package: Project, tmp_path: Path, scons: list[str]) -> None:
    text = f'CacheDir({str(tmp_path / "cache")!r})\nenv.OffloadBinary("out.bin", "images.yaml")\n'
    own_package.sconstruct(text)
    own_package.write("k.cubin", "edited")
    assert own_package.build() == PACKED
    edited = own_package.bytes("out.bin")
    own_package.write("k.cubin", "edited again")
    assert own_package.build() == PACKED
    own_package.write("k.cubin", "edited")
    assert own_package.build() == ["Retrieved `out.bin' from cache"]
    assert own_package.bytes("out.bin") == edited
    other = Project(tmp_path / "second checkout", scons, own_package.package)
    for name in ("SConstruct", "images.yaml", "k.cubin"):
        other.write(name, own_package.bytes(name))
    assert other.build() == ["Retrieved `out.bin' from cache"]
    assert other.bytes("out.bin") == edited
    with (own_package.package / "offload_tool/version.py").open("a") as file:
        file.write("# edited\n")
    assert other.build() == PACKED


def _compiler(project: Project, packager: str) -> None:
    """A compiler that is no more than the knowledge where its packager is."""
    script = project.write("bin/mycc", f'#!/bin/sh\necho asked >>"{project.folder}/asked"\necho "{packager}"\n')
    script.chmod(0o755)


def _kind_number(project: Project) -> int:
    return int.from_bytes(project.bytes("out.bin")[0x22:0x24], "little")


def test_toolchain_is_asked_from_the_compiler(project: Project) -> None:
    old, new = peer("clang-offload-packager-19"), peer("llvm-offload-binary-22")
    setup = "import os, offload_tool.scons\nenv = Environment(tools=[offload_tool.scons.generate], CC='mycc')\n"
    setup += "env.PrependENVPath('PATH', os.path.abspath('bin'))\n"
    project.sconstruct('env.OffloadBinary("out.bin", "m.yaml")\nenv.OffloadBinary("two.bin", "m.yaml")\n', setup=setup)
    project.manifest("m.yaml", "k.o", kind="hip")
    project.write("k.o", "k")
    _compiler(project, old)
    assert project.build() == ["OFFLOAD out.bin", "OFFLOAD two.bin"]
    assert _kind_number(project) == 3
    assert project.bytes("asked").count(b"asked") == 1  # once, whatever the number of packs
    assert project.build() == []
    _compiler(project, new)
    assert project.build() == ["OFFLOAD out.bin", "OFFLOAD two.bin"]
    assert _kind_number(project) == 4
    manifest = project.manifest("m.yaml", "k.o", kind="hip")
    manifest.write_text("toolchain: llvm-19\n" + manifest.read_text())
    assert project.build("out.bin") == PACKED
    assert _kind_number(project) == 3
    project.sconstruct('env.OffloadBinary("out.bin", "m.yaml", OFFLOADTOOLCHAIN="llvm-22")\n', setup=setup)
    (project.folder / "asked").unlink()
    assert project.build() == PACKED
    assert _kind_number(project) == 4
    assert not (project.folder / "asked").exists()


def test_reading_and_cleaning_ask_no_compiler(project: Project) -> None:
    setup = "import offload_tool.scons\nenv = Environment(tools=[offload_tool.scons.generate], OFFLOADCC='bin/mycc')\n"
    project.sconstruct(
        'env.OffloadBinary("out.bin", "m.yaml")\nenv.Command("other", [], Touch("$TARGET"))\n', setup=setup
    )
    project.manifest("m.yaml")
    _compiler(project, "nothing")
    project.build("other")
    project.build("-c")
    assert not (project.folder / "asked").exists()


@pytest.mark.parametrize("compiler", ["", "not-to-be-found", "false"])
def test_compiler_without_packager_passes_nothing(project: Project, compiler: str) -> None:
    setup = (
        f"import offload_tool.scons\nenv = Environment(tools=[offload_tool.scons.generate], OFFLOADCC={compiler!r})\n"
    )
    project.sconstruct('env.OffloadBinary("out.bin", "m.yaml")\n', setup=setup)
    project.manifest("m.yaml", "k.o", kind="hip")
    project.write("k.o", "k")
    assert project.build() == PACKED
    assert _kind_number(project) == 3
    assert "name the toolchain" in project.output
