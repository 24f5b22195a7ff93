"""Fat binaries that one process packs: the same bytes, and each rebuilt and used as if it had a rule of its own."""

from __future__ import annotations

import pytest

from .project import Project, contents, touch

IMAGE = "TRIPLE t ARCH a{number} KIND hip"
MANIFEST = "schema: 1\nimages:\n  - {{file: {name}, triple: t, kind: hip}}\n"
LISTS = """
offload_add_binary(one MANIFEST one.yaml TOGETHER fats)
offload_add_binary(two TOGETHER fats)
offload_add_image(two FILES two.img TRIPLE t KIND hip)
add_custom_command(OUTPUT made.img DEPENDS source.txt
                   COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/source.txt made.img VERBATIM)
offload_add_binary(three TOGETHER fats NO_INCREMENTAL)
offload_add_image(three FILES ${CMAKE_CURRENT_BINARY_DIR}/made.img TRIPLE t KIND hip)
foreach(name IN ITEMS one two)
  get_target_property(output ${name} OFFLOAD_OUTPUT)
  add_custom_command(OUTPUT copy_${name} COMMAND ${CMAKE_COMMAND} -E copy ${output} copy_${name}
                     DEPENDS ${name} ${output} COMMENT "Linking ${name}" VERBATIM)
  add_custom_target(use_${name} ALL DEPENDS copy_${name})
endforeach()
"""
ALL = ["3 of fats"]


@pytest.fixture
def together(project: Project) -> Project:
    """Three fat binaries of one group, and somebody who uses two of them."""
    project.write("one.yaml", MANIFEST.format(name="one.img"))
    for name in ("one.img", "two.img", "source.txt"):
        project.write(name, f"bytes of {name}")
    project.lists(LISTS)
    project.configure()
    built = project.build()
    assert (built.packed, sorted(built.linked)) == (ALL, ["one", "two"])
    return project


def test_all_are_packed_by_one_step(together: Project) -> None:
    for name, image in (("one", "one.img"), ("two", "two.img"), ("three", "source.txt")):
        assert contents(together.output(f"{name}.bin")) == [f"bytes of {image}".encode()]
    assert together.build().did_nothing


def test_only_what_changed_is_written_and_used_again(together: Project) -> None:
    before = {name: together.output(f"{name}.bin").stat().st_mtime_ns for name in ("one", "two", "three")}
    together.write("two.img", "another image")
    built = together.build()
    assert (built.packed, built.linked) == (ALL, ["two"])
    after = {name: together.output(f"{name}.bin").stat().st_mtime_ns for name in ("one", "two", "three")}
    assert [name for name in before if before[name] != after[name]] == ["two"]
    assert contents(together.output("two.bin")) == [b"another image"]
    assert together.build().did_nothing


@pytest.mark.parametrize("name", ["one.img", "two.img", "source.txt", "one.yaml"])
def test_every_input_packs_again(name: str, together: Project) -> None:
    together.write("new.img", "new image")
    together.write(name, MANIFEST.format(name="new.img") if name == "one.yaml" else "new image")
    assert together.build().packed == ALL
    assert sorted(contents(together.output(f"{one}.bin"))[0] == b"new image" for one in ("one", "two", "three")) == [
        False,
        False,
        True,
    ]
    assert together.build().did_nothing


def test_one_that_fails_leaves_its_old_output_and_the_others_packed(together: Project) -> None:
    (together.source / "one.img").unlink()
    together.write("two.img", "another image")
    built = together.build(status=None)
    assert built.status != 0
    assert "one.img': No such file or directory" in built.said
    assert contents(together.output("one.bin")) == [b"bytes of one.img"]
    assert contents(together.output("two.bin")) == [b"another image"]
    together.write("one.img", "back")
    assert together.build().packed == ALL
    assert contents(together.output("one.bin")) == [b"back"]
    assert together.build().did_nothing


def test_touched_image_leaves_outputs_and_users_alone(together: Project) -> None:
    touch(together.source / "one.img")
    built = together.build()
    assert (built.packed, built.linked) == (ALL, [])
    assert together.build().did_nothing


def test_same_bytes_as_one_by_one(together: Project) -> None:
    names = ("one", "two", "three")
    before = [together.output(f"{name}.bin").read_bytes() for name in names]
    together.lists(LISTS.replace("TOGETHER fats", ""))
    together.configure()
    assert sorted(together.build().packed) == sorted(names)
    assert [together.output(f"{name}.bin").read_bytes() for name in names] == before


def test_many_are_packed_in_lots(project: Project) -> None:
    project.write("k.img", "image")
    project.lists("""
foreach(number RANGE 1 40)
  offload_add_binary(fat_${number} TOGETHER fats)
  offload_add_image(fat_${number} FILES k.img TRIPLE t ARCH a${number} KIND hip)
endforeach()
""")
    project.configure()
    assert sorted(project.build().packed) == ["32 of fats", "8 of fats"]
    assert contents(project.output("fat_40.bin")) == [b"image"]
    assert project.build().did_nothing


def test_image_of_another_folder_and_of_another_target(project: Project) -> None:
    project.write("k.c", "int k;\n")
    project.write("sub/k.img", "of another folder")
    project.write("sub/CMakeLists.txt", "offload_add_image(one FILES k.img TRIPLE t KIND hip)\n")
    project.lists(
        "add_library(device OBJECT k.c)\noffload_add_binary(one TOGETHER fats)\n"
        "offload_add_image(one OBJECTS device TRIPLE t KIND hip)\nadd_subdirectory(sub)\n",
        languages="C",
    )
    project.configure()
    assert project.build().packed == ["1 of fats"]
    assert [content[:4] for content in contents(project.output("one.bin"))] == [b"\x7fELF", b"of a"]
    project.write("k.c", "int k = 1;\n")
    assert project.build().packed == ["1 of fats"]
    assert project.build().did_nothing


@pytest.mark.parametrize(
    "lists",
    [
        "add_custom_target(fats)\noffload_add_binary(one TOGETHER fats)",
        "offload_add_binary(one TOGETHER fats)\nadd_custom_target(fats)",
        "offload_add_binary(one TOGETHER one)",
    ],
)
@pytest.mark.parametrize(("cmake_choice", "generator"), [("newest cmake", "Ninja")])
def test_group_named_as_a_target_is_refused(lists: str, project: Project) -> None:
    project.lists(lists)
    said = project.configure(status=1)
    assert "offload_add_binary(one): there is a target 'fats' already" in said or "a target 'one' already" in said


@pytest.mark.parametrize(("cmake_choice", "generator"), [("newest cmake", "Ninja")])
def test_image_that_is_made_of_another_one_of_the_group_is_a_loop(project: Project) -> None:
    project.write("k.img", "image")
    project.lists("""
offload_add_binary(one TOGETHER fats)
offload_add_image(one FILES k.img TRIPLE t KIND hip)
get_target_property(output one OFFLOAD_OUTPUT)
add_custom_command(OUTPUT made.img COMMAND ${CMAKE_COMMAND} -E copy ${output} made.img DEPENDS one ${output})
offload_add_binary(two TOGETHER fats)
offload_add_image(two FILES ${CMAKE_CURRENT_BINARY_DIR}/made.img TRIPLE t KIND hip)
""")
    assert "cycle" in project.configure(status=1)


def test_member_is_embedded_and_linked_again_when_it_changes(project: Project) -> None:
    project.write("k.img", "image")
    project.write("main.c", "int main(void) { return 0; }\n")
    project.lists(
        "offload_add_binary(one TOGETHER fats)\noffload_add_image(one FILES k.img TRIPLE t KIND hip)\n"
        "offload_add_binary(two TOGETHER fats)\noffload_link_images(two one)\n"
        "add_executable(app main.c)\noffload_embed(app two MODE KEEP)\n",
        languages="C",
    )
    project.configure()
    project.build()
    assert contents(project.output("app")) == [b"image"]
    assert project.build().did_nothing
    project.write("k.img", "another image")
    built = project.build()
    assert (built.packed, len(built.embedded), built.linked) == (["2 of fats"], 1, ["app"])
    assert contents(project.output("app")) == [b"another image"]
    assert project.build().did_nothing
