"""The ways to load the tool, and what it does not work with."""

from __future__ import annotations

import shutil

from ..peers import ROOT, offload_tool_command, peer, run
from .project import Project

PACK = 'env.OffloadBinary("out.bin", "images.yaml", OFFLOADTOOLCHAIN="llvm-22")\n'


def _images(project: Project) -> None:
    project.manifest("images.yaml", "k.cubin")
    project.write("k.cubin", "kernel")


def test_with_the_default_tools(project: Project) -> None:
    _images(project)
    setup = 'import offload_tool.scons\nenv = Environment(tools=["default", offload_tool.scons.generate])\n'
    project.sconstruct(PACK, setup=setup)
    assert project.build() == ["OFFLOAD out.bin"]


def test_toolpath_from_the_command_line(project: Project) -> None:
    _images(project)
    folder = run([*offload_tool_command(), "--scons-dir"]).stdout.strip()
    project.sconstruct(PACK, setup=f'env = Environment(tools=["offload"], toolpath=[{folder!r}])\n')
    assert project.build() == ["OFFLOAD out.bin"]


def test_site_scons_of_the_checkout_finds_the_package(project: Project) -> None:
    _images(project)
    project.package = project.folder / "empty"  # only the site folder leads to the package
    project.sconstruct(
        'import os, offload_tool\nprint("HOME", os.path.dirname(os.path.dirname(offload_tool.__file__)))\n' + PACK,
        setup='env = Environment(tools=["offload"])\n',
    )
    assert project.build(f"--site-dir={ROOT / 'site_scons'}") == ["OFFLOAD out.bin"]
    assert f"HOME {ROOT}\n" in project.output


def test_site_tool_does_not_hide_the_package(project: Project) -> None:
    project.sconstruct(
        'import offload_tool\nprint("PACKAGE", offload_tool.__name__, offload_tool.__version__)\n',
        setup='env = Environment(tools=["default", "offload"])\n',
    )
    project.build(f"--site-dir={ROOT / 'site_scons'}")
    assert "PACKAGE offload_tool 0" in project.output


def test_start_up_of_a_build_loads_no_foreign_package(project: Project) -> None:
    project.sconstruct("import sys\nprint([name for name in ('yaml', 'elftools') if name in sys.modules])\n")
    project.build()
    assert "[]" in project.output


def test_g24_ninja_tool_is_told_to_be_unsupported_once(project: Project) -> None:
    peer("ninja")
    _images(project)
    project.sconstruct(
        PACK.replace("env.", "env.Clone().") + PACK.replace("out.bin", "two.bin"),
        setup="""\
import offload_tool.scons
SetOption("experimental", "ninja")
env = Environment(tools=["default", "ninja", offload_tool.scons.generate])
""",
    )
    project.build("--disable-execute-ninja")
    assert project.output.count("ninja tool is not supported") == 1


def test_quickstart_example(project: Project) -> None:
    peer("gcc")
    shutil.copytree(
        ROOT / "examples/quickstart", project.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build", ".*")
    )
    project.build()
    images = project.packed("build/quickstart.bin")
    assert images[:2] == [project.bytes("saxpy.ptx"), project.bytes("scale.bc")]
    assert images[2] == project.bytes("build/scale.o")
    assert project.build() == []
