"""From fat binaries to programs, and back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ..openmp import ANSWER, RUN_ENVIRONMENT, make_pieces
from ..peers import LLVM_22_LIBRARIES, ROOT, peer, run
from .project import Project

SETUP = """\
import offload_tool.scons
says = {{f"{{rule}}COMSTR": f"{{step}} $TARGET" for rule, step in
        dict(CC="CC", CXX="CC", SHCC="CC", LINK="LINK", SHLINK="LINK", AR="AR", RANLIB="AR").items()}}
env = Environment(tools=["default", offload_tool.scons.generate], CC={compiler!r}, CXX="g++",
                  OFFLOADTOOLCHAIN="llvm-22", **says)
images = env.OffloadBinary("images.bin", "images.yaml")
"""
KEPT = """\
#include <stdio.h>
extern const unsigned char offload_images_start[], offload_images_end[];
int main(void) { return fwrite(offload_images_start, 1, offload_images_end - offload_images_start, stdout) == 0; }
"""
EMPTY = "int main(void) { return 0; }\n"


def _project(project: Project, compiler: str, text: str, main: str = EMPTY) -> None:
    peer(Path(compiler).name)
    project.sconstruct(text, setup=SETUP.format(compiler=compiler))
    project.manifest("images.yaml", "k.bc", kind="openmp")
    project.write("k.bc", b"BC\xc0\xde first")
    project.write("main.c", main)


def _program_output(project: Project, name: str) -> bytes:
    return subprocess.run([project.folder / name], check=True, capture_output=True).stdout


def test_kept_images_reach_the_program_and_edits_relink(project: Project) -> None:
    _project(project, "gcc", 'env.Program("app", ["main.c", env.OffloadEmbed("stub", images, mode="keep")])\n', KEPT)
    assert project.build() == ["CC main.o", "OFFLOAD images.bin", "OFFLOAD stub.o", "LINK app"]
    assert _program_output(project, "app") == project.bytes("images.bin")
    assert project.build() == []
    project.write("k.bc", b"BC\xc0\xde edited")
    assert project.build() == ["OFFLOAD images.bin", "OFFLOAD stub.o", "LINK app"]
    assert b"edited" in _program_output(project, "app")
    project.write("main.c", KEPT + "/* a comment */\n")
    assert project.build() == ["CC main.o"]
    assert project.build() == []


def test_symbol_of_kept_images(project: Project) -> None:
    text = 'env.Program("app", ["main.c", env.OffloadEmbed("stub", images, mode="keep", symbol="{}")])\n'
    _project(project, "gcc", text.format("offload_images"), KEPT)
    project.build()
    project.sconstruct(text.format("other"), setup=SETUP.format(compiler="gcc"))
    assert "OFFLOAD stub.o" in project.build(status=2)


@pytest.mark.parametrize("call", ["Program", "SharedLibrary", "LoadableModule"])
def test_gcc_link_of_linked_images_is_refused_while_reading(project: Project, call: str) -> None:
    _project(project, "gcc", f'env.{call}("app", ["main.c", env.OffloadEmbed("stub", images)])\n')
    assert project.build(status=2) == []
    assert f"scons: *** SConstruct:7: {call} '" in project.output
    assert "need clang as link driver" in project.output
    assert "mode='wrap'" in project.output
    assert "mode='keep'" in project.output


def test_link_driver_of_the_other_language_is_refused(project: Project) -> None:
    _project(project, "clang-22", 'env.Program("app", ["main.cpp", env.OffloadEmbed("stub", images)])\n')
    project.write("main.cpp", EMPTY)
    assert project.build(status=2) == []
    assert "$LINK is 'g++'" in project.output


def test_link_driver_of_one_call_is_refused(project: Project) -> None:
    _project(project, "clang-22", 'env.Program("app", ["main.c", env.OffloadEmbed("stub", images)], LINK="gcc")\n')
    assert project.build(status=2) == []
    assert "$LINK is 'gcc'" in project.output


@pytest.mark.parametrize("mode", ["link", "wrap"])
def test_static_library_of_a_stub_is_refused(project: Project, mode: str) -> None:
    _project(
        project, "clang-22", f'env.StaticLibrary("app", ["main.c", env.OffloadEmbed("stub", images, mode="{mode}")])\n'
    )
    assert project.build(status=2) == []
    assert "StaticLibrary 'libapp.a'" in project.output


def test_kept_images_may_go_into_libraries(project: Project) -> None:
    text = """
stub = env.OffloadEmbed("stub", images, mode="keep")
env.Program("app", ["main.c"], LIBS=[env.StaticLibrary("kept", stub)])
env.SharedLibrary("shared", [stub])
"""
    _project(project, "gcc", text, KEPT)
    project.build()
    assert _program_output(project, "app") == project.bytes("images.bin")


def test_clang_link_gets_the_flag_where_images_are(project: Project) -> None:
    text = """
env.Replace(LINKCOMSTR="LINK $TARGET: $LINKCOM")
env.Program("app", ["main.c", env.OffloadEmbed("stub", images)])
env.Program("plain", "main.c")
env.Program("own", ["main.c", "stub.o"], LINKFLAGS=["--offload-link"])
env.Program("targets", ["main.c", "stub.o"], LINKFLAGS=["-fopenmp-targets=x86_64"])
env.Program("more", ["main.c", "stub.o"], LINKFLAGS="-s")
"""
    _project(project, "clang-22", text)
    project.build("-n")
    links = {line.split()[1].rstrip(":"): line for line in project.output.splitlines() if line.startswith("LINK")}
    assert " --offload-link " in links["app"]
    assert "--offload-link" not in links["plain"]
    assert links["own"].count("--offload-link") == 1
    # Without -fopenmp that starts no wrapper; beside it the flag is unused, of which clang would warn.
    flags = " --start-no-unused-arguments --offload-link --end-no-unused-arguments "
    assert f" -fopenmp-targets=x86_64{flags}" in links["targets"]
    assert f" -s{flags}" in links["more"]


@pytest.mark.parametrize("mode", ["link", "wrap"])
def test_images_run_on_the_device(project: Project, tmp_path: Path, mode: str) -> None:
    pieces = make_pieces(tmp_path)
    images = {"link": pieces.relocatable, "wrap": pieces.finished}[mode]
    call = f"""
stub = env.OffloadEmbed("stub", {str(images)!r}, mode="{mode}")
env.Program("app", [{str(pieces.host_object)!r}, stub], LIBS=["omp", "omptarget"], LIBPATH=[{str(LLVM_22_LIBRARIES)!r}])
"""
    compiler = {"link": peer("clang-22"), "wrap": peer("gcc")}[mode]
    _project(project, compiler, call)
    assert project.build("app") == ["OFFLOAD stub.o", "LINK app"]
    assert run([project.folder / "app"], env=RUN_ENVIRONMENT).stdout == ANSWER


def test_finished_image_in_mode_link_is_told(project: Project) -> None:
    _project(project, "gcc", 'env.OffloadEmbed("stub", images)\n')
    project.write("k.bc", ".version 7.0\n.target sm_80\n.address_size 64\n")
    assert project.build(status=2) == ["OFFLOAD images.bin", "OFFLOAD stub.o"]
    assert "scons: *** [stub.o] image 0 of " in project.output


def test_missing_compiler_is_told(project: Project) -> None:
    _project(project, "gcc", 'env.OffloadEmbed("stub", images, OFFLOADCC="not-to-be-found")\n')
    assert project.build(status=2) == ["OFFLOAD images.bin", "OFFLOAD stub.o"]
    assert "scons: *** [stub.o] compiler 'not-to-be-found' is not to be found" in project.output


def test_extract(project: Project) -> None:
    text = 'env.OffloadExtract("one.bc", images, select={})\n'
    _project(project, "gcc", text.format("{'arch': 'a0'}"))
    assert project.build("one.bc") == ["OFFLOAD images.bin", "OFFLOAD one.bc"]
    assert project.bytes("one.bc") == b"BC\xc0\xde first"
    assert project.build() == []
    project.write("k.bc", b"BC\xc0\xde edited")
    assert project.build() == ["OFFLOAD images.bin", "OFFLOAD one.bc"]
    project.sconstruct(text.format("{'arch': 'b'}"), setup=SETUP.format(compiler="gcc"))
    assert project.build(status=2) == ["OFFLOAD one.bc"]
    assert project.bytes("one.bc") == b"BC\xc0\xde edited"


def test_database_lists_every_pack(project: Project) -> None:
    _project(
        project,
        "gcc",
        """
env.OffloadDatabase("offload_images.json")
one = env.OffloadImage("k.bc", triple="t", arch="b", kind="cuda", metadata={"x": "y"})
env.OffloadArchive("later.a", "images.yaml", images=one)
""",
    )
    assert "OFFLOAD offload_images.json" in project.build("offload_images.json")
    first, second = json.loads(project.bytes("offload_images.json"))
    image = {"file": "k.bc", "triple": "nvptx64-nvidia-cuda", "arch": "a0", "kind": "openmp"}
    assert first == {
        "output": "images.bin",
        "archive": False,
        "manifests": ["images.yaml"],
        "toolchain": "llvm-22",
        "images": [{**image, "image_kind": None, "metadata": {}}],
    }
    assert (second["output"], second["archive"]) == ("later.a", True)
    assert [image["arch"] for image in second["images"]] == ["a0", "b"]
    assert project.build("offload_images.json") == []
    project.write("k.bc", b"BC\xc0\xde edited")
    assert project.build("offload_images.json") == []
    project.manifest("images.yaml", "k.bc", "k.bc", kind="openmp")
    assert project.build("offload_images.json") == ["OFFLOAD offload_images.json"]
    assert str(ROOT) not in project.bytes("offload_images.json").decode()
