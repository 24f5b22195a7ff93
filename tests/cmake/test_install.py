"""Images of another project: installed, moved, found after the tree that made them is gone."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..peers import peer
from .project import NEWEST, SYSTEM, Project, archs, contents, touch

CORE = """\
schema: 1
defaults: {triple: t, kind: none}
images:
  - {input: built, arch: built}
  - {file: plain.img, arch: plain}
"""
IMAGES = """\
add_custom_command(OUTPUT k.img COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/k.txt k.img DEPENDS k.txt)
offload_add_binary(core MANIFEST core.yaml BIND built=k.img)
offload_add_binary(more)
offload_add_image(more FILES more.img TRIPLE t ARCH more KIND none)
"""
PLAIN = """\
add_library(both INTERFACE)
offload_link_images(both core more)
offload_install(core DESTINATION lib/cmake/Blas NAMESPACE Blas::)
offload_install(both DESTINATION share/both NAMESPACE Blas::)
"""
EXPORTED = """\
add_library(base {base} lib.c)
add_library(over {over} lib.c)
set_property(TARGET over PROPERTY EXPORT_NAME top)
target_link_libraries(over PUBLIC base)
offload_link_images(base core)
offload_link_images(over more)
install(TARGETS base over EXPORT BlasTargets DESTINATION lib)
install(EXPORT BlasTargets DESTINATION lib/cmake/Blas NAMESPACE Blas::)
offload_install(over DESTINATION lib/cmake/Blas EXPORT BlasTargets NAMESPACE Blas::)
offload_install(base DESTINATION lib/cmake/Blas EXPORT BlasTargets NAMESPACE Blas::)
"""
CONFIG = """\
file(WRITE ${CMAKE_BINARY_DIR}/BlasConfig.cmake [[%s]])
install(FILES ${CMAKE_BINARY_DIR}/BlasConfig.cmake DESTINATION lib/cmake/Blas)
"""
FILE = 'include("${CMAKE_CURRENT_LIST_DIR}/%s")\n'
CONSUMER = """\
find_package(Blas CONFIG REQUIRED)
find_package(Blas CONFIG REQUIRED)
offload_add_binary(app)
offload_add_image(app FILES own.img TRIPLE t ARCH own KIND none)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The project that installs, the one that consumes, and the prefix they share, where it lies now."""

    producer: Project
    consumer: Project
    prefix: Path

    def installs(self, text: str, *files: str, languages: str = "NONE") -> None:
        producer = self.producer
        for name in ("k.txt", "plain.img", "more.img"):
            producer.write(name, f"bytes of {name}")
        producer.write("core.yaml", CORE)
        producer.write("lib.c", "int lib(void) { return 0; }\n")
        producer.lists(IMAGES + text + CONFIG % "".join(FILE % name for name in files), languages=languages)
        compiler = [f"-DCMAKE_C_COMPILER={peer('gcc')}"] if languages == "C" else []
        producer.configure("-DCMAKE_BUILD_TYPE=Debug", *compiler)
        producer.build()
        assert producer.build().did_nothing
        producer.install(producer.source.parent / "first place")

    def moves(self) -> None:
        """The prefix goes elsewhere and the producer is lost; nothing that CMake or the packager wrote names either."""
        shutil.move(self.producer.source.parent / "first place", self.prefix)
        shutil.rmtree(self.producer.source)
        folder = bytes(self.producer.source.parent)
        written = [path for path in self.installed() if path.endswith((".cmake", ".yaml"))]
        assert [path for path in written if folder in (self.prefix / path).read_bytes()] == []

    def consumes(self, text: str, *, languages: str = "NONE") -> list[str]:
        self.consumer.write("own.img", "own image")
        self.consumer.write("main.c", "int main(void) { return 0; }\n")
        self.consumer.lists(CONSUMER + text, languages=languages)
        self.consumer.configure(f"-DCMAKE_PREFIX_PATH={self.prefix}")
        assert self.consumer.build().packed == ["app"]
        assert self.consumer.build().did_nothing
        return archs(self.consumer.output("app.bin"))

    def installed(self) -> list[str]:
        return sorted(str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file())


@pytest.fixture
def pair(tmp_path: Path, cmake: str, generator: str) -> Pair:
    producer, consumer = (
        Project(tmp_path / name, cmake=cmake, generator=generator) for name in ("the-producer", "consumer")
    )
    return Pair(producer=producer, consumer=consumer, prefix=tmp_path / "moved with blanks")


@pytest.fixture
def ninja_pair(tmp_path: Path) -> Pair:
    producer, consumer = (
        Project(tmp_path / name, cmake=peer("cmake"), generator="Ninja") for name in ("the-producer", "consumer")
    )
    return Pair(producer=producer, consumer=consumer, prefix=tmp_path / "moved with blanks")


def _edit(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    touch(path)


def test_installed_images_outlive_the_project_that_made_them(pair: Pair) -> None:
    pair.installs(PLAIN, "core-offload.cmake", "../../../share/both/both-offload.cmake")
    pair.moves()
    assert pair.installed() == [
        "lib/cmake/Blas/BlasConfig.cmake",
        "lib/cmake/Blas/core-offload.cmake",
        "lib/cmake/Blas/core/images/k.img",
        "lib/cmake/Blas/core/images/plain.img",
        "lib/cmake/Blas/core/offload.yaml",
        "share/both/both-offload.cmake",
        "share/both/both/images/more.img",
        "share/both/both/offload.yaml",
    ]
    links = "add_library(own INTERFACE)\noffload_link_images(own Blas::both)\noffload_link_images(app Blas::core own)\n"
    assert pair.consumes(links) == ["own", "built", "plain", "more"]
    _edit(pair.prefix / "lib/cmake/Blas/core/images/plain.img", b"edited image")
    assert pair.consumer.build().packed == ["app"]
    assert b"edited image" in contents(pair.consumer.output("app.bin"))
    assert pair.consumer.build().did_nothing
    manifest = pair.prefix / "share/both/both/offload.yaml"
    _edit(manifest, manifest.read_bytes().replace(b'"more",', b'"other",'))
    assert pair.consumer.build().packed == ["app"]
    assert archs(pair.consumer.output("app.bin")) == ["own", "built", "plain", "other"]


@pytest.mark.parametrize(("cmake_choice", "generator"), [(NEWEST, "Ninja")])
@pytest.mark.parametrize("over", ["STATIC", pytest.param("SHARED", marks=pytest.mark.slow)])
def test_images_come_with_the_libraries_of_an_export_set(pair: Pair, over: str) -> None:
    files = ("BlasTargets.cmake", "base-offload.cmake", "over-offload.cmake")
    pair.installs(EXPORTED.format(base="STATIC", over=over), *files, languages="C")
    pair.moves()
    links = "add_executable(program main.c)\ntarget_link_libraries(program PRIVATE Blas::top)\n"
    embeds = "offload_embed(program app MODE KEEP)\n"
    assert pair.consumes(links + embeds, languages="C") == ["own", "more", "built", "plain"]


def test_copy_follows_its_images(pair: Pair) -> None:
    pair.installs(PLAIN, "core-offload.cmake")
    producer = pair.producer
    producer.write("k.txt", "edited image")
    assert (built := producer.build()).exported == ["core"], built.said
    producer.write("core.yaml", CORE[: CORE.rindex("  - ")])
    assert sorted(producer.build().exported) == ["both", "core"]
    assert producer.build().did_nothing
    producer.install(pair.prefix)
    assert [path for path in pair.installed() if "images/" in path and "Blas" in path] == [
        "lib/cmake/Blas/core/images/k.img"
    ]
    assert (pair.prefix / "lib/cmake/Blas/core/images/k.img").read_bytes() == b"edited image"


@pytest.mark.parametrize("generator", ["Ninja"])
@pytest.mark.parametrize("cmake_choice", [NEWEST, pytest.param(SYSTEM, marks=pytest.mark.slow)])
def test_package_that_only_another_folder_found(pair: Pair) -> None:
    """Imported targets are known in the folder that found them alone; the fat binary is of another."""
    pair.installs(PLAIN, "core-offload.cmake", "../../../share/both/both-offload.cmake")
    pair.moves()
    found = "find_package(Blas CONFIG REQUIRED)\nadd_library(own INTERFACE)\noffload_link_images(own Blas::both)\n"
    pair.consumer.write("sub/CMakeLists.txt", found)
    pair.consumer.lists("add_subdirectory(sub)\noffload_add_binary(app)\noffload_link_images(app own)\n")
    pair.consumer.configure(f"-DCMAKE_PREFIX_PATH={pair.prefix}")
    pair.consumer.build()
    assert archs(pair.consumer.output("app.bin")) == ["more", "built", "plain"]


@pytest.mark.slow
def test_images_of_an_export_set_named_in_a_call(pair: Pair) -> None:
    """What every CMake can do: each library of the set that has images of its own is named."""
    files = ("BlasTargets.cmake", "base-offload.cmake", "over-offload.cmake")
    pair.installs(EXPORTED.format(base="STATIC", over="STATIC"), *files, languages="C")
    pair.moves()
    assert pair.consumes("offload_link_images(app Blas::top Blas::base)\n") == ["own", "more", "built", "plain"]


def test_images_of_a_third_project_are_copied(ninja_pair: Pair, tmp_path: Path) -> None:
    """Named in a call they go along; linked they come by the same link again, and are not there twice."""
    pair = ninja_pair
    pair.installs(PLAIN, "core-offload.cmake", "../../../share/both/both-offload.cmake")
    pair.moves()
    between = Pair(producer=pair.consumer, consumer=pair.consumer, prefix=tmp_path / "third")
    lists = CONSUMER.partition("offload")[0] + (
        "add_library(linking INTERFACE)\ntarget_link_libraries(linking INTERFACE Blas::core)\n"
        "add_library(naming INTERFACE)\noffload_link_images(naming Blas::core)\n"
        "install(TARGETS linking naming EXPORT e)\n"
        "offload_install(linking DESTINATION . EXPORT e)\noffload_install(naming DESTINATION . EXPORT e)\n"
    )
    between.producer.lists(lists)
    between.producer.configure(f"-DCMAKE_PREFIX_PATH={pair.prefix}")
    between.producer.build()
    between.producer.install(between.prefix)
    assert [path for path in between.installed() if "images/" in path] == [
        "naming/images/k.img",
        "naming/images/plain.img",
    ]


def test_export_set_has_to_be_included_first(ninja_pair: Pair) -> None:
    ninja_pair.installs(EXPORTED.format(base="STATIC", over="STATIC"), "base-offload.cmake", languages="C")
    ninja_pair.moves()
    ninja_pair.consumer.lists(CONSUMER)
    said = ninja_pair.consumer.configure(f"-DCMAKE_PREFIX_PATH={ninja_pair.prefix}", status=1)
    assert "there is no target 'Blas::base'; include the file of the export set 'BlasTargets' before this one" in said


BINARY = "offload_add_binary(core)\n"
INSTALL = "offload_install(core DESTINATION d)\n"
REFUSED = {
    "unknown target": ("offload_install(core DESTINATION d)", "offload_install(core): there is no target 'core'"),
    "no destination": (
        BINARY + "offload_install(core)",
        "offload_install(core): DESTINATION is missing; give a folder",
    ),
    "unknown argument": (
        BINARY + "offload_install(core DESTINATION d NAME x)",
        "offload_install(core): unknown argument 'NAME'; expected one of DESTINATION, EXPORT, NAMESPACE",
    ),
    "no value": (BINARY + "offload_install(core DESTINATION d EXPORT)", "offload_install(core): EXPORT has no value"),
    "no namespace": (
        BINARY + "offload_install(core DESTINATION d NAMESPACE Blas)",
        "offload_install(core): NAMESPACE 'Blas' is none; expected a word and '::'",
    ),
    "twice": (BINARY + INSTALL * 2, "offload_install(core): 'core' is installed already; keep one of the calls"),
    "custom target": (
        "add_custom_target(core)\n" + INSTALL,
        "offload_install(core): a target of type UTILITY passes no images on",
    ),
    "owner of nothing": ("add_library(core INTERFACE)\n" + INSTALL, "offload_install(core): 'core' owns no images"),
    "imported": ("add_library(core INTERFACE IMPORTED)\n" + INSTALL, "offload_install(core): 'core' is imported"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(ninja_project: Project, case: str) -> None:
    text, words = REFUSED[case]
    ninja_project.lists(text)
    assert words in ninja_project.configure(status=1)
