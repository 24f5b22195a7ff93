"""Fat binaries in programs and libraries: the three modes, the languages, and what a rebuild makes anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool import read_images

from ..peers import peer, run
from .project import Project, archs

IMAGE = "offload_add_binary(app)\noffload_add_image(app FILES one.img TRIPLE t ARCH a KIND none)\n"
KEEP = IMAGE + "add_executable(program main.c)\noffload_embed(program app MODE KEEP)\n"
READS_ITSELF = """\
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
extern const char PREFIX(_start)[], PREFIX(_end)[];
extern const unsigned long long PREFIX(_size);
#ifdef __cplusplus
}
#endif
int main(void)
{
    fwrite(PREFIX(_start), 1, PREFIX(_size), stdout);
    return PREFIX(_start) + PREFIX(_size) != PREFIX(_end);
}
"""
COUNTS_REGISTERED = """\
#include <stdio.h>
struct description { int count; };
static int seen;
void __tgt_register_lib(struct description *found) { seen += found->count; }
void __tgt_unregister_lib(struct description *found) {}
void __tgt_init_all_rtls(void) {}
int main(void) { printf("%d\\n", seen); return 0; }
"""
LINK = """\
add_library(device OBJECT device.c)
target_compile_options(device PRIVATE -fPIC)
offload_add_binary(app)
offload_add_image(app OBJECTS device TRIPLE x86_64-pc-linux-gnu ARCH generic KIND openmp)
add_executable(program main.c)
offload_embed(program app)
"""


def reads_itself(symbol: str = "offload_images") -> str:
    """A program that prints the fat binary it holds."""
    return f"#define PREFIX(part) {symbol}##part\n{READS_ITSELF}"


def printed(program: Path) -> bytes:
    return run([program]).stdout.encode("utf-8", "surrogateescape")


def test_keep_gives_the_program_its_images_and_follows_them(project: Project) -> None:
    project.write("one.img", "one")
    project.write("main.c", reads_itself())
    project.lists(KEEP, languages="C")
    project.configure()
    assert project.build("-j8").embedded == ["app into program"]
    assert printed(project.output("program")) == project.output("app.bin").read_bytes()
    assert project.build().did_nothing
    project.write("one.img", "an edited image")
    built = project.build("-j8")
    assert (built.packed, built.embedded, built.linked) == (["app"], ["app into program"], ["program"])
    assert printed(project.output("program")) == project.output("app.bin").read_bytes()
    assert project.build().did_nothing


def test_repacking_the_same_bytes_does_not_relink(project: Project) -> None:
    project.write("one.img", "one")
    project.write("main.c", reads_itself())
    project.lists(KEEP, languages="C")
    project.configure()
    project.build()
    project.write("one.img", "one")
    built = project.build()
    assert (built.packed, built.embedded, built.linked) == (["app"], [], [])
    assert project.build().did_nothing


def test_host_of_another_folder_and_two_hosts(project: Project) -> None:
    project.write("one.img", "one")
    project.write("host/main.c", reads_itself())
    project.write("host/CMakeLists.txt", "add_executable(program main.c)\nadd_executable(other main.c)\n")
    embeds = "offload_embed(program app MODE KEEP)\noffload_embed(other app MODE KEEP)\n"
    project.lists(f"add_subdirectory(host)\n{IMAGE}{embeds}", languages="C")
    project.configure()
    assert sorted(project.build("-j8").embedded) == ["app into other", "app into program"]
    project.write("one.img", "two")
    built = project.build("-j8")
    assert (built.packed, sorted(built.linked)) == (["app"], ["other", "program"])
    assert printed(project.output("host/other")) == project.output("app.bin").read_bytes()
    assert project.build().did_nothing


def test_symbols_tell_two_fat_binaries_apart(ninja_project: Project) -> None:
    project = ninja_project
    project.write("one.img", "one")
    project.write("main.c", reads_itself("second"))
    second = IMAGE.replace("(app", "(second").replace("ARCH a", "ARCH b")
    project.lists(f"{KEEP}{second}offload_embed(program second MODE KEEP SYMBOL second)", languages="C")
    project.configure()
    project.build()
    assert printed(project.output("program")) == project.output("second.bin").read_bytes()


def test_keep_in_a_static_library(project: Project) -> None:
    project.write("one.img", "one")
    project.write("main.c", reads_itself())
    project.write("lib.c", "int lib(void) { return 0; }\n")
    library = "add_library(lib STATIC lib.c)\noffload_embed(lib app MODE KEEP)\n"
    project.lists(f"{IMAGE}{library}add_executable(program main.c)\ntarget_link_libraries(program lib)", languages="C")
    project.configure()
    project.build()
    assert printed(project.output("program")) == project.output("app.bin").read_bytes()
    project.write("one.img", "two")
    assert project.build().packed == ["app"]
    assert printed(project.output("program")) == project.output("app.bin").read_bytes()
    assert project.build().did_nothing


@pytest.mark.parametrize("compiler", ["g++", "clang++-22"])
def test_project_of_cxx_alone(ninja_project: Project, compiler: str) -> None:
    project = ninja_project
    project.write("one.img", "one")
    project.write("main.cpp", reads_itself())
    strict = "-DCMAKE_CXX_FLAGS=-std=c++17 -Werror -Wall -pedantic -Wno-long-long -m64"
    project.lists(KEEP.replace("main.c", "main.cpp"), languages="CXX")
    project.configure(strict, f"-DCMAKE_CXX_COMPILER={peer(compiler)}")
    project.build()
    assert printed(project.output("program")) == project.output("app.bin").read_bytes()


@pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
def test_program_with_link_time_optimization(ninja_project: Project, compiler: str) -> None:
    project = ninja_project
    project.write("one.img", "one")
    project.write("main.c", reads_itself())
    project.lists("set(CMAKE_C_FLAGS -flto)\n" + KEEP, languages="C")
    flags = f"-DCMAKE_EXE_LINKER_FLAGS=--ld-path={peer('ld.lld-22')}" if compiler != "gcc" else "-DNOTHING=1"
    project.configure(f"-DCMAKE_C_COMPILER={peer(compiler)}", flags)
    project.build()
    assert printed(project.output("program")) == project.output("app.bin").read_bytes()


def test_program_of_prebuilt_objects(project: Project) -> None:
    project.write("one.img", "one")
    project.write("main.c", reads_itself())
    run([peer("gcc"), "-c", "main.c", "-o", "main.o"], cwd=project.source)
    linker = "set_target_properties(program PROPERTIES LINKER_LANGUAGE C)\n"
    project.lists(KEEP.replace("main.c", "main.o") + linker, languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer('gcc')}")
    project.build()
    assert printed(project.output("program")) == project.output("app.bin").read_bytes()


def test_flags_for_devices_stay_out_of_the_host_object(ninja_project: Project) -> None:
    """-fopenmp-targets would compile the stub for the device too, where there is no such section."""
    project = ninja_project
    project.write("one.img", "one")
    project.write("main.c", reads_itself())
    flags = 'set(CMAKE_C_FLAGS "-fopenmp -fopenmp-targets=nvptx64-nvidia-cuda")\n'
    project.lists(flags + KEEP, languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer('clang-22')}")
    assert project.build("--target", "program_app_embedded").embedded == ["app into program"]


def test_machine_flags_reach_the_host_object(ninja_project: Project) -> None:
    project = ninja_project
    project.write("one.img", "one")
    project.write("main.c", reads_itself())
    cross = ["-DCMAKE_C_COMPILER_TARGET=i686-pc-linux-gnu", "-DCMAKE_C_COMPILER_WORKS=ON"]
    for definitions in (cross, ["-DCMAKE_C_COMPILER_TARGET=", "-DCMAKE_C_FLAGS=-m32 -mllvm -x86-asm-syntax=intel"]):
        project.lists(KEEP, languages="C")
        project.configure(f"-DCMAKE_C_COMPILER={peer('clang-22')}", "-DCMAKE_C_COMPILER_WORKS=ON", *definitions)
        assert project.build("--target", "program_app_embedded").embedded == ["app into program"]
        header = run([peer("readelf"), "-h", project.binary / "CMakeFiles" / "program.offload" / "app.o"]).stdout
        assert "ELF32" in header


@pytest.mark.parametrize("compiler", ["clang-22", pytest.param("clang-19", marks=pytest.mark.slow)])
def test_link_registers_the_images(project: Project, compiler: str) -> None:
    project.write("device.c", "int device(void) { return 1; }\n")
    project.write("main.c", COUNTS_REGISTERED)
    project.lists(LINK, languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer(compiler)}")
    project.build()
    assert run([project.output("program")]).stdout == "1\n"
    project.write("device.c", "int device(void) { return 2; }\nint more;\n")
    built = project.build()
    assert (built.packed, built.embedded, built.linked) == (["app"], ["app into program"], ["program"])
    assert project.build().did_nothing


def test_link_object_has_the_section_that_linkers_look_for(ninja_project: Project) -> None:
    project = ninja_project
    project.write("device.c", "int device(void) { return 1; }\n")
    project.write("main.c", COUNTS_REGISTERED)
    project.lists(LINK, languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer('clang-22')}")
    project.build()
    host_object = project.binary / "CMakeFiles" / "program.offload" / "app.o"
    section = next(line for line in run([peer("readelf"), "-SW", host_object]).stdout.splitlines() if ".llvm" in line)
    _, section_type, _, _, size, _, flags = section.partition("]")[2].split()[:7]
    assert section_type in ("LLVM_OFFLOADING", "LOOS+0xfff4c0b"), section
    assert int(size, 16) == project.output("app.bin").stat().st_size
    assert flags == "E"
    shown = run([peer("llvm-objdump-22"), "--offloading", host_object]).stdout
    assert "OFFLOADING IMAGE [0]" in shown
    assert [image.arch for image in read_images(str(host_object))] == ["generic"]


def test_finished_image_in_mode_link_is_named(ninja_project: Project) -> None:
    project = ninja_project
    project.write("device.c", "int device(void) { return 1; }\n")
    project.write("main.c", COUNTS_REGISTERED)
    finished = LINK.replace("device OBJECT", "device SHARED").replace("OBJECTS device", "TARGET device")
    project.lists(finished, languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer('clang-22')}")
    assert "x86_64-pc-linux-gnu generic) is finished" in project.fails()


def test_wrap_registers_a_finished_image_in_a_program_linked_by_gcc(project: Project) -> None:
    peer("llvm-offload-wrapper-22")
    project.write("device.c", "int device(void) { return 1; }\n")
    project.write("main.c", COUNTS_REGISTERED)
    wrapped = LINK.replace("device OBJECT", "device SHARED").replace("OBJECTS device", "TARGET device")
    project.lists(wrapped.replace("offload_embed(program app)", "offload_embed(program app MODE WRAP)"), languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer('gcc')}")
    project.build()
    assert run([project.output("program")]).stdout == "1\n"
    assert project.build().did_nothing


@pytest.mark.parametrize(("compiler", "toolchain"), [("clang-22", "llvm-22"), ("clang-19", "llvm-20"), ("gcc", None)])
def test_toolchain_is_asked_from_the_compiler_once(
    ninja_project: Project, compiler: str, toolchain: str | None
) -> None:
    project = ninja_project
    project.write("one.img", "one")
    hip = IMAGE.replace("KIND none", "KIND hip")
    project.lists(hip + "offload_add_binary(named TOOLCHAIN llvm-16)", languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer(compiler)}")
    rules = (project.binary / "build.ninja").read_text()
    assert ("--default-toolchain" in rules) == (toolchain is not None)
    assert "--toolchain llvm-16" in rules
    said = project.build().said
    assert ("name the toolchain" in said) == (toolchain is None)
    raw = {"llvm-22": 4, "llvm-20": 3, None: 3}
    assert [image.raw_kind for image in read_images(str(project.output("app.bin")))] == [raw[toolchain]]
    cache = (project.binary / "CMakeCache.txt").read_text()
    assert cache.count("_OFFLOADTOOL_TOOLCHAIN_") == 1
    project.configure()
    assert project.build().did_nothing
    assert archs(project.output("app.bin")) == ["a"]
