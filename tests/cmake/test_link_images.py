"""Images as usage requirements: through libraries, folders and aliases, each image once, edits seen from afar."""

from __future__ import annotations

import pytest

from ..peers import peer
from .project import FLOOR, NEWEST, SYSTEM, Project, archs, contents

MANIFEST = """\
schema: 1
defaults: {triple: t, kind: none}
images:
  - {input: built, arch: built}
  - {file: plain.img, arch: plain}
"""
CORE = """\
add_subdirectory(making)
offload_add_binary(core MANIFEST images.yaml BIND built=made)
add_library(blas::core ALIAS core)
"""
MAKING = """\
add_custom_command(OUTPUT k.img COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/k.txt k.img
                   DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/k.txt)
add_custom_target(made DEPENDS k.img)
set_property(TARGET made PROPERTY OFFLOAD_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/k.img")
"""
OWN_IMAGE = "offload_add_image(app FILES own.img TRIPLE t ARCH own KIND none)\n"
OWN = "offload_add_binary(app)\n" + OWN_IMAGE
STEPS = """\
add_library(near INTERFACE)
add_library(far INTERFACE)
offload_link_images(app near)
offload_link_images(near far)
add_subdirectory(core)
offload_link_images(far blas::core)
"""
LIBRARIES = """\
add_subdirectory(core)
add_library(owner {owner} lib.c)
offload_link_images(owner core)
add_library(middle {middle} lib.c)
target_link_libraries(middle {scope} owner)
add_executable(program main.c)
target_link_libraries(program PRIVATE middle)
offload_embed(program app MODE KEEP)
"""
BY_LINKS = {
    "static, private": ({"owner": "STATIC", "middle": "STATIC", "scope": "PRIVATE"}, True),
    "shared, private": ({"owner": "STATIC", "middle": "SHARED", "scope": "PRIVATE"}, False),
    "shared, public, of objects": ({"owner": "OBJECT", "middle": "SHARED", "scope": "PUBLIC"}, True),
}


def _files(project: Project) -> None:
    project.write("core/images.yaml", MANIFEST)
    project.write("core/CMakeLists.txt", CORE)
    project.write("core/making/CMakeLists.txt", MAKING)
    project.write("core/making/k.txt", "built image")
    project.write("core/plain.img", "plain image")
    project.write("own.img", "own image")


@pytest.fixture
def steps(project: Project) -> Project:
    """A fat binary, two libraries, and the images of another folder, in that order, named before they are there."""
    _files(project)
    project.lists(OWN + STEPS)
    project.configure()
    assert project.build("--target", "app").packed == ["app"]
    assert archs(project.output("app.bin")) == ["own", "built", "plain"]
    assert sorted(project.build().packed) == ["core"]
    assert project.build().did_nothing
    return project


def _app_after(project: Project, *, resolved: bool) -> list[bytes]:
    built = project.build()
    assert "app" in built.packed
    assert (built.resolved == ["core"]) or not resolved
    assert project.build().did_nothing
    return contents(project.output("app.bin"))


def test_edits_two_steps_away_pack_again(steps: Project) -> None:
    steps.write("core/plain.img", "edited image")
    assert _app_after(steps, resolved=False) == [b"own image", b"built image", b"edited image"]
    steps.write("core/making/k.txt", "edited, too")
    assert _app_after(steps, resolved=False) == [b"own image", b"edited, too", b"edited image"]
    steps.write("core/images.yaml", MANIFEST.replace("arch: plain", "arch: other"))
    _app_after(steps, resolved=True)
    assert archs(steps.output("app.bin")) == ["own", "built", "other"]


@pytest.mark.slow
def test_touched_manifest_two_steps_away_packs_nothing_but_its_own(steps: Project) -> None:
    steps.write("core/images.yaml", MANIFEST + "# a comment\n")
    built = steps.build()
    assert (built.resolved, built.packed) == (["core"], ["core"])
    assert steps.build().did_nothing


@pytest.mark.parametrize("generator", ["Ninja"])
@pytest.mark.parametrize("cmake_choice", [NEWEST, pytest.param(FLOOR, marks=pytest.mark.slow)])
def test_diamond_gives_each_image_once(project: Project) -> None:
    _files(project)
    sides = "".join(
        f"add_library({side} INTERFACE)\noffload_link_images({side} core)\noffload_link_images(bottom {side})\n"
        for side in ("left", "right")
    )
    project.lists(
        f"add_subdirectory(core)\nadd_library(bottom INTERFACE)\n{sides}{OWN}offload_link_images(app core bottom)"
    )
    project.configure()
    project.build()
    assert archs(project.output("app.bin")) == ["own", "built", "plain"]


@pytest.mark.parametrize(
    ("cmake_choice", "generator"), [(NEWEST, "Ninja"), pytest.param(NEWEST, "Unix Makefiles", marks=pytest.mark.slow)]
)
def test_images_come_by_target_link_libraries(project: Project) -> None:
    """The program's fat binary gets them, and so does one that links a library itself."""
    _by_links(
        project, "static, private", "offload_add_binary(second)\ntarget_link_libraries(second INTERFACE middle)\n"
    )
    assert archs(project.output("second.bin")) == ["built", "plain"]
    project.write("core/plain.img", "edited image")
    built = project.build()
    assert sorted(built.packed) == ["app", "core", "second"]
    assert (built.embedded, built.linked) == (["app into program"], ["program"])
    assert contents(project.output("app.bin")) == [b"own image", b"built image", b"edited image"]
    assert project.build().did_nothing


@pytest.mark.parametrize("case", [case for case in BY_LINKS if case != "static, private"])
def test_images_go_where_links_go(ninja_project: Project, case: str) -> None:
    _by_links(ninja_project, case, "")


def _by_links(project: Project, case: str, more: str) -> None:
    words, reaches = BY_LINKS[case]
    _files(project)
    project.write("lib.c", "static int f(void) { return 0; }\nint (*lib)(void) __attribute__((weak)) = f;\n")
    project.write("main.c", "int main(void) { return 0; }\n")
    project.lists("offload_add_binary(app)\n" + LIBRARIES.format(**words) + OWN_IMAGE + more, languages="C")
    project.configure(f"-DCMAKE_C_COMPILER={peer('gcc')}")
    project.build()
    assert project.build().did_nothing
    assert archs(project.output("app.bin")) == (["own", "built", "plain"] if reaches else ["own"])


def test_only_the_first_fat_binary_of_a_program_gets_what_the_program_links(ninja_project: Project) -> None:
    second = "offload_add_binary(second)\n" + OWN_IMAGE.replace("app", "second")
    embedded = "offload_embed(program second MODE KEEP SYMBOL second)\n"
    _by_links(ninja_project, "static, private", second + embedded)
    assert archs(ninja_project.output("second.bin")) == ["own"]


def test_fat_binary_that_its_own_program_links_has_its_images_once(ninja_project: Project) -> None:
    _by_links(ninja_project, "static, private", "target_link_libraries(program PRIVATE app)\n")


def test_keywords_of_a_fat_binary_hold_for_its_own_images(ninja_project: Project) -> None:
    """Both bind the same input, and only one selects and defines."""
    project = ninja_project
    project.write("a.yaml", 'schema: 1\ndefaults: {triple: t, kind: none}\nimages: [{file: "{X}.img", arch: [a, b]}]\n')
    project.write("b.yaml", "schema: 1\nimages: [{input: i, triple: t, arch: i, kind: none}]\n")
    for name in ("a", "b", "c"):
        project.write(f"{name}.img", name)
    project.lists(
        "offload_add_binary(one MANIFEST a.yaml b.yaml BIND i=b.img SELECT arch=a arch=i DEFINE X=a)\n"
        "offload_add_binary(app MANIFEST b.yaml BIND i=c.img)\noffload_link_images(app one)\n"
    )
    project.configure()
    project.build()
    assert contents(project.output("app.bin")) == [b"c", b"a", b"b"]


def test_requirement_counts_images_of_others_on_both_sides(ninja_project: Project) -> None:
    project = ninja_project
    _files(project)
    project.write("all.yaml", "schema: 1\nimages: []\nrequire: [{arch: [own, plain]}]\n")
    project.lists(
        OWN.replace("(app)", "(app MANIFEST all.yaml)", 1)
        + STEPS
        + "offload_add_binary(over)\noffload_link_images(over app)"
    )
    project.configure()
    project.build()
    assert archs(project.output("over.bin")) == ["own", "built", "plain"]


def test_missing_image_of_another_target_is_named(ninja_project: Project) -> None:
    _files(ninja_project)
    ninja_project.lists(OWN + STEPS)
    (ninja_project.source / "core" / "plain.img").unlink()
    ninja_project.configure()
    assert "core/plain.img': No such file or directory" in ninja_project.fails("--target", "app")


PLAIN = OWN + "add_library(lib INTERFACE)\n"
REFUSED = {
    "unknown target": (
        OWN + "offload_link_images(app core)",
        "offload_link_images(app): there is no target 'core'; declare it, or find its package, before this call",
    ),
    "unknown owner": ("offload_link_images(lib app)", "offload_link_images(lib): there is no target 'lib'"),
    "unknown argument": (PLAIN + "offload_link_images(app PUBLIC lib)", "unknown argument 'PUBLIC'; expected targets"),
    "nothing named": (OWN + "offload_link_images(app)", "offload_link_images(app): no target is named that owns"),
    "owner of nothing": (
        PLAIN + "offload_link_images(app lib)",
        "offload_link_images(app): 'lib' owns no images; give it some with offload_link_images(lib <other>...)",
    ),
    "custom target": (
        OWN + "add_custom_target(k)\noffload_link_images(app k)",
        "offload_link_images(app): 'k', a target of type UTILITY, owns no images",
    ),
    "custom target as owner": (
        OWN + "add_custom_target(k)\noffload_link_images(k app)",
        "offload_link_images(k): a target of type UTILITY passes no images on; name the fat binary",
    ),
    "imported owner": (
        OWN + "add_library(lib INTERFACE IMPORTED)\noffload_link_images(lib app)",
        "offload_link_images(lib): 'lib' is imported",
    ),
    "imported target without images": (
        OWN + "add_library(lib INTERFACE IMPORTED)\noffload_link_images(app lib)",
        "offload_link_images(app): 'lib' owns no images",
    ),
    "itself": (OWN + "offload_link_images(app app)", "offload_link_images(app): 'app' is 'app' itself"),
    "each other": (
        PLAIN + "offload_link_images(lib app)\noffload_link_images(app lib)",
        "offload_link_images(app): 'lib' has the images of 'app' already; one of the two calls must go",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(ninja_project: Project, case: str) -> None:
    text, words = REFUSED[case]
    ninja_project.write("own.img", "own")
    ninja_project.lists(text)
    assert words in ninja_project.configure(status=1)


@pytest.mark.slow
@pytest.mark.parametrize(("cmake_choice", "generator"), [(SYSTEM, "Ninja"), (FLOOR, "Ninja")])
def test_older_cmake_needs_a_call_at_each_step(project: Project) -> None:
    links = "add_library(far INTERFACE)\noffload_link_images(far app)\ntarget_link_libraries(lib INTERFACE far)\n"
    project.write("own.img", "own")
    project.lists(PLAIN + links + "offload_add_binary(over)\noffload_link_images(over lib)")
    said = project.configure(status=None)
    if "CMake 3.30" in said:
        assert "'lib' owns no images; give it some with offload_link_images(lib <other>...)" in said
    else:
        project.build()
        assert archs(project.output("over.bin")) == ["own"]
