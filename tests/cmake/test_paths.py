"""Names that build tools misread, and what a name is relative to."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool import read_images

from .project import NEWEST, Project, contents, touch

MANIFEST = "schema: 1\nimages:\n  - {file: '%s', triple: t, arch: a, kind: none}\n"
ODD = ("in 1.img", "two  blanks.img", "(x86) [a] {b}.img", "a,b=c%d~e+f@g.img", "näme.img")
MISREAD_BY_OLD_NINJA = ("cash$.img", "${HOME}.img", "hash#.img")


def _settles_and_sees_each_edit(project: Project, names: tuple[str, ...]) -> None:
    """Images of these names, of a manifest and of the build file."""
    image = "  - {file: '%s', triple: t, arch: a, kind: none}\n"
    listed = [image % name.replace("{", "{{").replace("}", "}}") for name in names]
    project.write("images.yaml", "schema: 1\nimages:\n" + "".join(listed))
    for name in names:
        project.write(name, "as it was")
    files = " ".join('"{}"'.format(name.replace("$", "\\$")) for name in names)
    declared = f"offload_add_image(declared FILES {files} TRIPLE t ARCH b KIND none)"
    project.lists(f"offload_add_binary(listed MANIFEST images.yaml)\noffload_add_binary(declared)\n{declared}")
    project.configure()
    assert sorted(project.build().packed) == ["declared", "listed"]
    assert project.build().did_nothing
    for name in names:
        project.write(name, f"now edited: {name}")
        assert sorted(project.build().packed) == ["declared", "listed"], name
    assert contents(project.output("listed.bin")) == [f"now edited: {name}".encode() for name in names]
    assert contents(project.output("declared.bin")) == contents(project.output("listed.bin"))
    assert project.build().did_nothing


def test_g15_odd_names_in_depfile(project: Project) -> None:
    _settles_and_sees_each_edit(project, ODD)


def test_g15_dollar_and_hash_in_depfile(project: Project, cmake_choice: str) -> None:
    if cmake_choice != NEWEST and "Ninja" in project.generator:
        pytest.skip("CMake before 3.30 takes the escapes out of depfiles for Ninja: it packs at every build")
    _settles_and_sees_each_edit(project, MISREAD_BY_OLD_NINJA)


@pytest.mark.parametrize("name", ["a;b.img", "a|b.img", "a:b.img", "a\\b.img"])
def test_g15_name_that_no_depfile_can_say_is_refused(ninja_project: Project, name: str) -> None:
    project = ninja_project
    project.write(name, "one")
    project.write("images.yaml", MANIFEST % name)
    project.lists("offload_add_binary(app MANIFEST images.yaml)")
    project.configure()
    assert "which no dependency file can say; rename it" in project.fails()


@pytest.mark.parametrize("folder", ["a blank (x86)", "cash$ and 100%", "hash #1", "it's & more"])
def test_g15_odd_folders(tmp_path: Path, cmake: str, generator: str, cmake_choice: str, folder: str) -> None:
    if ("#" in folder or "$" in folder or "&" in folder) and cmake_choice != NEWEST:
        pytest.skip("CMake itself misreads such folders in older releases")
    if "&" in folder and "Ninja" in generator:
        pytest.skip("Ninja misreads & in depfiles: documented")
    project = Project(tmp_path / folder, cmake=cmake, generator=generator)
    project.write("one.img", "one")
    project.write("images.yaml", MANIFEST % "one.img")
    project.write("main.c", "int main(void) { return 0; }")
    embed = "add_executable(program main.c)\noffload_embed(program app MODE KEEP)"
    project.lists(f"offload_add_binary(app MANIFEST images.yaml)\n{embed}", languages="C")
    project.configure()
    assert project.build().packed == ["app"]
    assert project.build().did_nothing
    project.write("one.img", "two")
    built = project.build()
    assert (built.packed, built.embedded, built.linked) == (["app"], ["app into program"], ["program"])
    assert contents(project.output("app.bin")) == [b"two"]
    assert project.build().did_nothing


def test_g28_names_are_relative_to_the_manifest_that_holds_them(project: Project) -> None:
    project.write("deep/images/one.img", "one")
    project.write("deep/manifests/images.yaml", MANIFEST % "../images/one.img")
    project.write("deep/CMakeLists.txt", "offload_add_binary(app MANIFEST manifests/images.yaml OUTPUT_NAME x/y.bin)\n")
    project.lists("add_subdirectory(deep)")
    project.configure()
    assert project.build().packed == ["app"]
    touch(project.source / "deep/images/one.img")
    assert project.build().packed == ["app"]
    output = project.binary / "deep" / ("Debug" if project.is_multi_config else "") / "x/y.bin"
    assert contents(output) == [b"one"]


def test_texts_of_the_build_file_arrive_as_written(ninja_project: Project) -> None:
    project = ninja_project
    project.write("one.img", "one")
    metadata = r'METADATA "list=a;b" "path=C:\\dir \"x\"" "brackets=[{,}]" "equation=a=b" "price=5$"'
    image = f'offload_add_image(app FILES one.img TRIPLE t ARCH "gfx942:xnack+" 9.0 KIND none {metadata})'
    project.lists(f"offload_add_binary(app)\n{image}\n{image.replace(' 9.0', '').replace('t ARCH', 'u ARCH')}")
    project.configure()
    project.build()
    images = read_images(str(project.output("app.bin")))
    assert [(image.triple, image.arch) for image in images] == [
        ("t", "gfx942:xnack+"), ("t", "9.0"), ("u", "gfx942:xnack+"),
    ]  # fmt: skip
    expected = {"list": "a;b", "path": r'C:\dir "x"', "brackets": "[{,}]", "equation": "a=b", "price": "5$"}
    assert dict(images[0].metadata) == dict(images[2].metadata) == expected
