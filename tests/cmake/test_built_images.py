"""Images that other rules of the same build make: each kind, built for the first time and then edited."""

from __future__ import annotations

import pytest

from .project import Project, archs, contents

IMAGE = " TRIPLE x86_64-pc-linux-gnu ARCH generic KIND openmp)\n"
BOUND = """\
schema: 1
images:
  - {input: fft, triple: x86_64-pc-linux-gnu, arch: generic, kind: openmp}
"""
GENERATED = """\
add_custom_command(OUTPUT k.img COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/k.txt k.img DEPENDS k.txt)
"""
COMPILED = {
    "executable": ("add_executable(k k.c main.c)\n", "TARGET k"),
    "shared library": ("add_library(k SHARED k.c)\n", "TARGET k"),
    "object library": ("add_library(k OBJECT k.c main.c)\n", "OBJECTS k"),
    "object library as target": ("add_library(k OBJECT k.c)\n", "TARGET k"),
    "objects as expression": ("add_library(k OBJECT k.c)\n", "OBJECTS $<TARGET_OBJECTS:k>"),
}


def _lives(project: Project, edited: str, text: str) -> None:
    """First build, nothing to do, edit, nothing to do."""
    project.configure()
    assert project.build().packed == ["app"]
    assert project.build().did_nothing
    before = contents(project.output("app.bin"))
    project.write(edited, text)
    assert project.build().packed == ["app"]
    assert contents(project.output("app.bin")) != before
    assert project.build().did_nothing


@pytest.mark.parametrize("kind", COMPILED)
def test_compiled_image(project: Project, kind: str) -> None:
    declared, source = COMPILED[kind]
    project.write("k.c", "int k(void) { return 1; }\n")
    project.write("main.c", "int main(void) { return 0; }\n")
    project.lists(f"offload_add_binary(app)\n{declared}offload_add_image(app {source}{IMAGE}", languages="C")
    _lives(project, "k.c", "int k(void) { return 2; }\nint more(void) { return k(); }\n")
    expected = 2 if kind == "object library" else 1
    assert archs(project.output("app.bin")) == ["generic"] * expected


def test_image_of_a_custom_command_in_the_same_folder(project: Project) -> None:
    project.write("k.txt", "one")
    project.lists(f"{GENERATED}offload_add_binary(app)\noffload_add_image(app FILES k.img{IMAGE}")
    _lives(project, "k.txt", "two")


def test_image_of_a_custom_target_in_another_folder(project: Project) -> None:
    project.write("k.txt", "one")
    made = "${CMAKE_CURRENT_BINARY_DIR}/k.img"
    property_of_target = f'set_property(TARGET k PROPERTY OFFLOAD_OUTPUT "{made}")\n'
    generated = GENERATED.replace("${CMAKE_CURRENT_SOURCE_DIR}/k.txt", "${CMAKE_SOURCE_DIR}/k.txt")
    generated = generated.replace("DEPENDS k.txt", "DEPENDS ${CMAKE_SOURCE_DIR}/k.txt")
    project.write("kernels/CMakeLists.txt", f"{generated}add_custom_target(k DEPENDS k.img)\n{property_of_target}")
    project.lists(f"add_subdirectory(kernels)\noffload_add_binary(app)\noffload_add_image(app TARGET k{IMAGE}")
    _lives(project, "k.txt", "two")


@pytest.mark.parametrize("bound", ["fft=k", "fft=$<TARGET_FILE:k>"])
def test_input_of_a_manifest_bound_to_a_target(project: Project, bound: str) -> None:
    project.write("images.yaml", BOUND)
    project.write("k.c", "int main(void) { return 1; }\n")
    project.lists(f"add_executable(k k.c)\noffload_add_binary(app MANIFEST images.yaml BIND {bound})", languages="C")
    _lives(project, "k.c", "int main(void) { return 2; }\n")


def test_input_of_a_manifest_bound_to_a_generated_file(project: Project) -> None:
    project.write("images.yaml", BOUND)
    project.write("k.txt", "one")
    project.lists(f"{GENERATED}offload_add_binary(app MANIFEST images.yaml BIND fft=k.img)")
    _lives(project, "k.txt", "two")


def test_generated_manifest(project: Project) -> None:
    project.write("k.img", "one")
    project.write("images.in", "schema: 1\nimages: [{file: ../k.img, triple: t, arch: one, kind: none}]\n")
    copies = GENERATED.replace("k.img", "images.yaml").replace("k.txt", "images.in")
    project.lists(f"{copies}offload_add_binary(app MANIFEST images.yaml)")
    project.configure()
    assert project.build().packed == ["app"]
    project.write("images.in", "schema: 1\nimages: [{file: ../k.img, triple: t, arch: two, kind: none}]\n")
    assert project.build().packed == ["app"]
    assert archs(project.output("app.bin")) == ["two"]
    assert project.build().did_nothing


def test_image_added_from_a_folder_that_comes_later(project: Project) -> None:
    project.write("late/late.img", "late")
    project.write("late/CMakeLists.txt", "offload_add_image(late::alias FILES late.img TRIPLE t ARCH a b KIND none)\n")
    project.lists("offload_add_binary(app)\nadd_library(late::alias ALIAS app)\nadd_subdirectory(late)")
    _lives(project, "late/late.img", "later")
    assert archs(project.output("app.bin")) == ["a", "b"]
