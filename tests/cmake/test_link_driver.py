"""MODE LINK where several compilers could link the host: its images arrive, or CMake refuses; they are never lost."""

from __future__ import annotations

import pytest

from ..peers import peer, run
from .project import Project
from .test_embed import COUNTS_REGISTERED, LINK

OPENMP = "-fopenmp -fopenmp-targets=x86_64-pc-linux-gnu"
CXX_HOST = LINK.replace("main.c)", "main.cpp)")
REFUSED = (
    "offload_embed(program): MODE LINK needs clang as the driver that links 'program', here it is",
    "or use MODE WRAP (finished images, registered at start) or MODE KEEP (bytes between symbols)",
)


def write_sources(project: Project) -> None:
    hooks, main, rest = COUNTS_REGISTERED.partition("int main(void)")
    include, hooks = hooks.split("\n", 1)
    project.write("main.c", COUNTS_REGISTERED)
    project.write("main.cpp", f'{include}\nextern "C" {{\n{hooks}}}\n{main}{rest}')
    project.write("device.c", "int device(void) { return 1; }\n")
    project.write("lib.c", "int lib(void) { return 0; }\n")
    project.write("lib.cpp", "int lib() { return 0; }\n")


def compilers(c: str, cxx: str) -> tuple[str, str]:
    return f"-DCMAKE_C_COMPILER={peer(c)}", f"-DCMAKE_CXX_COMPILER={peer(cxx)}"


@pytest.mark.parametrize("flags", ["", OPENMP])
def test_cxx_program_linked_by_gcc_is_refused_whatever_the_c_compiler_is(project: Project, flags: str) -> None:
    write_sources(project)
    project.lists(CXX_HOST, languages="C CXX")
    said = project.configure(*compilers("clang-22", "g++"), f"-DCMAKE_C_FLAGS={flags}", status=1)
    assert [word for word in (*REFUSED, peer("g++")) if word not in said] == [], said


def test_flags_of_another_language_do_not_keep_the_images_out(project: Project) -> None:
    write_sources(project)
    project.lists(CXX_HOST, languages="C CXX")
    project.configure(*compilers("clang-22", "clang++-22"), f"-DCMAKE_C_FLAGS={OPENMP}")
    project.build()
    assert run([project.output("program")]).stdout == "1\n"
    assert project.build().did_nothing


def test_flags_of_another_configuration_do_not_keep_the_images_out(project: Project) -> None:
    write_sources(project)
    targets = "-fopenmp;-fopenmp-targets=x86_64-pc-linux-gnu"
    options = f'target_link_options(program PRIVATE "$<$<CONFIG:Release>:{targets}>")\n'
    project.lists(CXX_HOST + options, languages="C CXX")
    project.configure(*compilers("clang-22", "clang++-22"))
    project.build()
    assert run([project.output("program")]).stdout == "1\n"


def test_targets_without_openmp_do_not_keep_the_images_out(ninja_project: Project) -> None:
    """clang 22 links without its wrapper then, and says nothing."""
    project = ninja_project
    write_sources(project)
    project.lists(LINK + "target_link_options(program PRIVATE -fopenmp-targets=x86_64-pc-linux-gnu)\n", languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer('clang-22')}")
    project.build()
    assert run([project.output("program")]).stdout == "1\n"


def test_flags_that_call_the_linker_wrapper_too_are_no_fault(ninja_project: Project) -> None:
    project = ninja_project
    write_sources(project)
    options = f'target_link_options(program PRIVATE -Werror "SHELL:{OPENMP}" --offload-link)\n'
    project.lists(LINK + options, languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer('clang-22')}", "-DCMAKE_EXE_LINKER_FLAGS=--offload-link")
    assert "warning" not in project.build().said
    assert run([project.output("program")]).stdout == "1\n"


def test_gcc_for_other_programs_of_the_project_is_no_fault(ninja_project: Project) -> None:
    project = ninja_project
    write_sources(project)
    project.lists(LINK + "add_executable(other main.cpp)\n", languages="C CXX")
    project.configure(*compilers("clang-22", "g++"))
    project.build()
    assert run([project.output("program")]).stdout == "1\n"


def test_a_library_in_cxx_has_its_compiler_link_the_program(ninja_project: Project) -> None:
    project = ninja_project
    write_sources(project)
    library = "add_library(lib STATIC lib.cpp)\ntarget_link_libraries(program lib)\n"
    project.lists(LINK + library, languages="C CXX")
    said = project.configure(*compilers("clang-22", "g++"), status=1)
    assert [word for word in REFUSED if word not in said] == [], said
    project.lists(LINK + library.replace("lib.cpp", "lib.c"), languages="C CXX")
    project.configure()
    project.build()
    assert run([project.output("program")]).stdout == "1\n"


def test_linker_language_settles_which_compiler_links(ninja_project: Project) -> None:
    project = ninja_project
    write_sources(project)
    language = "set_target_properties(program PROPERTIES LINKER_LANGUAGE {})\n"
    project.lists(LINK + language.format("CXX"), languages="C CXX")
    said = project.configure(*compilers("clang-22", "g++"), status=1)
    assert [word for word in REFUSED if word not in said] == [], said
    project.lists(LINK + language.format("C"), languages="C CXX")
    project.configure()
    project.build()
    assert run([project.output("program")]).stdout == "1\n"


def test_host_of_a_folder_with_a_language_of_its_own(ninja_project: Project) -> None:
    """The folder that embeds, and the top one, know nothing of the C++ compiler."""
    project = ninja_project
    write_sources(project)
    project.write("host/CMakeLists.txt", "enable_language(CXX)\nadd_executable(program ../main.cpp)\n")
    embeds = CXX_HOST.replace("add_executable(program main.cpp)", "add_subdirectory(host)")
    project.lists(embeds, languages="C")
    said = project.configure(*compilers("clang-22", "g++"), status=1)
    assert [word for word in REFUSED if word not in said] == [], said
    project.binary.rename(project.source / "refused")
    project.configure(*compilers("clang-22", "clang++-22"))
    project.build()
    assert run([project.output("host/program")]).stdout == "1\n"


def test_options_and_sources_may_come_after_the_call(ninja_project: Project) -> None:
    project = ninja_project
    write_sources(project)
    project.write("embeds/CMakeLists.txt", "offload_embed(program app)\n")
    late = "target_sources(program PRIVATE main.cpp)\nset_target_properties(program PROPERTIES LINK_OPTIONS -Wl,-O1)\n"
    embeds = CXX_HOST.replace("offload_embed(program app)", f"add_subdirectory(embeds)\n{late}").replace(
        "add_executable(program main.cpp)", "add_executable(program lib.c)"
    )
    project.lists(embeds, languages="C CXX")
    project.configure(*compilers("gcc", "clang++-22"))
    project.build()
    assert run([project.output("program")]).stdout == "1\n"
