"""What is refused while CMake configures: each message names the call, the fault and the way out."""

from __future__ import annotations

import pytest

from ..peers import peer
from .project import Project

BINARY = "offload_add_binary(app)\n"
HOST = BINARY + "add_executable(program main.c)\n"
LIBRARY = BINARY + "add_library(lib STATIC main.c)\n"
REFUSED = {
    "second output": (
        "offload_add_binary(one OUTPUT_NAME x.bin)\noffload_add_binary(two OUTPUT_NAME sub/../x.bin)",
        "offload_add_binary(two): its output '",
        "x.bin' is already that of offload_add_binary(one); choose another OUTPUT_NAME",
    ),
    "second target": (BINARY * 2, "offload_add_binary(app): there is a target 'app' already"),
    "unknown argument": (
        "offload_add_binary(app MANIFESTS images.yaml)",
        "offload_add_binary(app): unknown argument 'MANIFESTS'; expected one of MANIFEST, BIND",
    ),
    "unknown argument behind manifests": (
        "offload_add_binary(app MANIFEST images.yaml BOGUS x)",
        "offload_add_binary(app): unknown argument 'BOGUS'; expected one of MANIFEST, BIND",
    ),
    "unknown argument behind folders": (
        "offload_add_binary(app INCLUDE_DIRS . BOGUS x)",
        "offload_add_binary(app): unknown argument 'BOGUS'; expected one of MANIFEST, BIND",
    ),
    "no value": ("offload_add_binary(app OUTPUT_NAME)", "offload_add_binary(app): OUTPUT_NAME has no value"),
    "bind is no pair": ("offload_add_binary(app BIND fft)", "offload_add_binary(app): BIND 'fft' is no pair"),
    "bound twice": ("offload_add_binary(app BIND f=a f=b)", "offload_add_binary(app): input 'f' is bound twice"),
    "bound too early": (
        "offload_add_binary(app BIND fft=k)\nadd_custom_target(k)",
        "offload_add_binary(app): target 'k' in BIND is declared after this call",
    ),
    "bound to no file": (
        "add_custom_target(k)\noffload_add_binary(app BIND fft=k)",
        "target 'k' makes no file that CMake knows of; set its property OFFLOAD_OUTPUT",
    ),
    "image of nothing": (
        "offload_add_image(app FILES f TRIPLE t KIND none)",
        "offload_add_image(app): 'app' is no fat",
    ),
    "image of a plain target": (
        "add_custom_target(app)\noffload_add_image(app FILES f TRIPLE t KIND none)",
        "offload_add_image(app): 'app' is no fat binary; declare it with offload_add_binary",
    ),
    "image without file": (
        BINARY + "offload_add_image(app TRIPLE t KIND none)",
        "offload_add_image(app): expected one of FILES, TARGET and OBJECTS, found 0",
    ),
    "image without triple": (BINARY + "offload_add_image(app FILES f KIND none)", "TRIPLE is missing"),
    "image without kind": (BINARY + "offload_add_image(app FILES f TRIPLE t)", "KIND is missing; write KIND none"),
    "image of an unknown target": (
        BINARY + "offload_add_image(app TARGET k TRIPLE t KIND none)",
        "offload_add_image(app): there is no target 'k'; declare it before this call",
    ),
    "unknown image argument": (
        BINARY + "offload_add_image(app FILE f TRIPLE t KIND none)",
        "offload_add_image(app): unknown argument 'FILE'; expected one of FILES, TARGET",
    ),
    "metadata is no pair": (
        BINARY + "offload_add_image(app FILES f TRIPLE t KIND none METADATA m)",
        "offload_add_image(app): METADATA 'm' is no pair",
    ),
    "unknown host": (BINARY + "offload_embed(program app)", "offload_embed(program): there is no target 'program'"),
    "custom target as host": (
        BINARY + "add_custom_target(h)\noffload_embed(h app MODE KEEP)",
        "offload_embed(h): a target of type UTILITY cannot hold images",
    ),
}
REFUSED_HOSTS = {
    "link by gcc": (
        HOST + "offload_embed(program app)",
        "offload_embed(program): MODE LINK needs clang as the driver that links 'program', here it is",
        "or use MODE WRAP (finished images, registered at start) or MODE KEEP (bytes between symbols)",
    ),
    "static host": (
        LIBRARY + "offload_embed(lib app MODE LINK)",
        "offload_embed(lib): a static library loses what is embedded in MODE LINK",
        "or use MODE KEEP",
    ),
    "static host, wrapped": (LIBRARY + "offload_embed(lib app MODE WRAP)", "loses what is embedded in MODE WRAP"),
    "object library": (
        BINARY + "add_library(lib OBJECT main.c)\noffload_embed(lib app MODE KEEP)",
        "offload_embed(lib): a target of type OBJECT_LIBRARY cannot hold images",
    ),
    "objects of a program": (
        HOST + "offload_add_image(app OBJECTS program TRIPLE t KIND none)",
        "offload_add_image(app): OBJECTS 'program' is no object library",
    ),
    "alias": (
        HOST + "add_executable(other ALIAS program)\noffload_embed(other app MODE KEEP)",
        "offload_embed(other): 'other' is an alias or imported",
    ),
    "no fat binary": (HOST + "offload_embed(program)", "offload_embed(program): no fat binary is named"),
    "not a fat binary": (HOST + "offload_embed(program x MODE KEEP)", "offload_embed(program): 'x' is no fat binary"),
    "unknown mode": (HOST + "offload_embed(program app MODE STORE)", "unknown MODE 'STORE'; expected LINK, WRAP or"),
    "unknown word": (HOST + "offload_embed(program app NAME x)", "offload_embed(program): unknown argument 'NAME'"),
    "symbol without keep": (
        HOST + "offload_embed(program app MODE WRAP SYMBOL s)",
        "offload_embed(program): SYMBOL 's' belongs to MODE KEEP",
    ),
    "no identifier": (HOST + "offload_embed(program app MODE KEEP SYMBOL 1s)", "SYMBOL '1s' is no C identifier"),
    "embedded twice": (
        HOST + "offload_embed(program app MODE KEEP)\n" * 2,
        "offload_embed(program): 'app' is embedded into 'program' already",
    ),
    "same symbol": (
        HOST + "offload_add_binary(b)\noffload_embed(program app b MODE KEEP)",
        "offload_embed(program): SYMBOL 'the default' is taken in 'program'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(ninja_project: Project, case: str) -> None:
    text, *words = REFUSED[case]
    ninja_project.lists(text)
    said = ninja_project.configure(status=1)
    assert [word for word in words if word not in said] == [], said


@pytest.mark.parametrize("case", REFUSED_HOSTS)
def test_refused_with_a_host(ninja_project: Project, case: str) -> None:
    text, *words = REFUSED_HOSTS[case]
    ninja_project.write("main.c", "int main(void) { return 0; }")
    ninja_project.lists(text, languages="C")
    compiler = (f"-DCMAKE_C_COMPILER={peer('gcc')}", "-DCMAKE_C_COMPILER_FORCED=ON", "-DCMAKE_C_COMPILER_ID=GNU")
    said = ninja_project.configure(*compiler, status=1)
    assert [word for word in words if word not in said] == [], said


def test_embedding_without_a_compiler_is_refused(ninja_project: Project) -> None:
    ninja_project.lists(BINARY + "add_executable(program x.o)\noffload_embed(program app MODE KEEP)")
    assert "offload_embed(program): neither C nor CXX is enabled" in ninja_project.configure(status=1)


def test_upper_case_names_of_files_are_no_unknown_arguments(ninja_project: Project) -> None:
    ninja_project.write("IMAGES", "schema: 1\n")
    ninja_project.write("FOLDER/NAME", "")
    ninja_project.lists(
        "file(WRITE ${CMAKE_BINARY_DIR}/BUILT [[schema: 1]])\n"
        "offload_add_binary(app MANIFEST IMAGES BUILT INCLUDE_DIRS FOLDER)"
    )
    ninja_project.configure()
