"""How fat binaries sit in a project: policies, folders, consumers, configurations."""

from __future__ import annotations

import pytest

from .project import CMAKE_FILES, NEWEST, SYSTEM, Project, archs, contents

MULTI_CONFIG = [(NEWEST, "Ninja Multi-Config"), (SYSTEM, "Ninja Multi-Config")]
APP = "offload_add_binary(app)\noffload_add_image(app FILES one.img TRIPLE t ARCH a KIND none)\n"


def test_project_with_old_policies_gets_no_warning_and_sees_edits(project: Project) -> None:
    project.write("one.img", "one")
    project.write("sub/images.yaml", "schema: 1\nimages: [{file: ../one.img, triple: t, arch: a, kind: none}]\n")
    project.write("sub/CMakeLists.txt", "offload_add_binary(app MANIFEST images.yaml)\n")
    prologue = "cmake_minimum_required(VERSION 3.15)\nproject(t LANGUAGES NONE)\ncmake_policy(VERSION 3.15)\n"
    project.write("CMakeLists.txt", f"{prologue}find_package(OffloadTool CONFIG REQUIRED)\nadd_subdirectory(sub)\n")
    said = project.configure("-Wdev")
    assert "OffloadTool" not in said
    assert "CMP0116" not in said
    assert project.build().packed == ["app"]
    assert project.build().did_nothing
    project.write("one.img", "two")
    assert project.build().packed == ["app"]
    assert project.build().did_nothing


def test_g16_two_consumers_and_eight_jobs_pack_once(project: Project) -> None:
    project.write("one.img", "one")
    output = "$<TARGET_PROPERTY:app,OFFLOAD_OUTPUT>"
    if project.is_multi_config:
        output = "$<TARGET_GENEX_EVAL:app,$<TARGET_PROPERTY:app,OFFLOAD_OUTPUT>>"
    consumers = "".join(
        f'add_custom_command(OUTPUT c{n} COMMAND ${{CMAKE_COMMAND}} -E copy "{output}" c{n} '
        f'DEPENDS app "{output}" COMMENT "Linking c{n}")\nadd_custom_target(consumer{n} ALL DEPENDS c{n})\n'
        for n in (1, 2, 3)
    )
    project.lists(APP + consumers)
    project.configure()
    built = project.build("-j8")
    assert (built.packed, sorted(built.linked)) == (["app"], ["c1", "c2", "c3"])
    project.write("one.img", "two")
    assert project.build("-j8").packed == ["app"]
    assert project.build("-j8").did_nothing


def test_fat_binary_of_a_fetched_project_by_its_alias(project: Project) -> None:
    project.write("lib/one.img", "one")
    project.write(
        "lib/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.15)\nproject(lib LANGUAGES NONE)\n"
        f"find_package(OffloadTool CONFIG REQUIRED)\n{APP}add_library(lib::app ALIAS app)\n",
    )
    project.write("main.c", "int main(void) { return 0; }")
    fetch = 'include(FetchContent)\nFetchContent_Declare(lib SOURCE_DIR "${CMAKE_SOURCE_DIR}/lib")\n'
    use = "add_executable(program main.c)\ntarget_link_libraries(program lib::app)\n"
    project.lists(
        f"{fetch}FetchContent_MakeAvailable(lib)\n{use}offload_embed(program lib::app MODE KEEP)", languages="C"
    )
    project.configure()
    assert project.build().embedded == ["app into program"]
    project.write("lib/one.img", "two")
    built = project.build()
    assert (built.packed, built.linked) == (["app"], ["program"])
    assert project.build().did_nothing


def test_excluded_from_all_is_packed_when_asked_for(project: Project) -> None:
    project.write("one.img", "one")
    project.lists(APP.replace("(app)", "(app EXCLUDE_FROM_ALL)"))
    project.configure()
    assert project.build().did_nothing
    assert project.build("--target", "app").packed == ["app"]


def test_output_name_and_archive(project: Project) -> None:
    project.write("one.img", "one")
    names = ["offload_add_binary(lib ARCHIVE)", "offload_add_binary(named OUTPUT_NAME deep/er/x.fat)"]
    images = [f"offload_add_image({name} FILES one.img TRIPLE t ARCH a KIND none)" for name in ("lib", "named")]
    project.lists("\n".join(names + images))
    project.configure()
    project.build()
    assert project.output("liblib.a").read_bytes().startswith(b"!<arch>\n")
    folder = project.binary / "Debug" if project.is_multi_config else project.binary
    assert archs(folder / "deep" / "er" / "x.fat") == ["a"]


def test_manifests_in_order_then_the_images_of_the_build_file(project: Project) -> None:
    project.write("one.img", "one")
    for name in ("m", "n"):
        image = f"{{file: one.img, triple: t, arch: {name}, kind: none}}"
        project.write(f"{name}.yaml", f"schema: 1\nimages: [{image}]\n")
    project.write("v.yaml", "schema: 1\nimages: [{file: '{stem}.img', triple: t, arch: v, kind: none}]\n")
    project.lists(APP.replace("(app)", "(app MANIFEST n.yaml m.yaml v.yaml DEFINE stem=one)"))
    project.configure()
    project.build()
    assert archs(project.output("app.bin")) == ["n", "m", "v", "a"]


@pytest.mark.slow
@pytest.mark.parametrize(("cmake_choice", "generator"), MULTI_CONFIG)
def test_g17_each_configuration_has_an_output_of_its_own(project: Project) -> None:
    project.write("k.c", "#ifdef NDEBUG\nint main(void) { return 1; }\n#else\nint main(void) { return 2; }\n#endif\n")
    project.write("images.yaml", "schema: 1\nimages: [{input: k, triple: t, arch: bound, kind: none}]\n")
    image = "offload_add_image(app TARGET k TRIPLE t ARCH declared KIND none)\n"
    host = "add_executable(program k.c)\noffload_embed(program app MODE KEEP)\n"
    binary = "offload_add_binary(app MANIFEST images.yaml BIND k=k)\n"
    project.lists(f"add_executable(k k.c)\n{binary}{image}{host}", languages="C")
    project.configure()
    for configuration in ("Debug", "Release"):
        built = project.build("--config", configuration)
        assert (built.packed, built.embedded) == (["app"], ["app into program"])
    assert project.build("--config", "Debug").did_nothing
    images = [contents(project.output("app.bin", configuration=name)) for name in ("Debug", "Release")]
    programs = [project.output("k", configuration=name).read_bytes() for name in ("Debug", "Release")]
    assert images == [[programs[0]] * 2, [programs[1]] * 2]


@pytest.mark.slow
def test_multi_config_before_cmake_3_21_is_refused(ninja_project: Project, cmake_3_20: str) -> None:
    project = Project(ninja_project.source, cmake=cmake_3_20, generator="Ninja Multi-Config")
    project.lists(APP)
    assert "needs CMake 3.21 or newer here, this is 3.20" in project.configure(status=1)


def test_finding_the_package_twice_is_harmless(ninja_project: Project) -> None:
    project = ninja_project
    project.write("one.img", "one")
    project.lists("find_package(OffloadTool CONFIG REQUIRED)\n" * 2 + APP)
    project.configure()
    assert project.build().packed == ["app"]


def test_cmake_files_stay_short() -> None:
    files = sorted(CMAKE_FILES.glob("*.cmake"))
    assert len(files) > 3
    assert [file.name for file in files if len(file.read_text().splitlines()) > 300] == []


def test_everything_is_quiet(ninja_project: Project) -> None:
    project = ninja_project
    project.write("one.img", "one")
    project.lists(APP)
    assert "OffloadTool" not in project.configure()
    assert project.build().said.splitlines() == ["[1/1] Packing app"]
