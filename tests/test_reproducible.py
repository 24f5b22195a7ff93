"""Same in, same out: other checkouts, umasks, locales, time zones, hash seeds, users and numbers of jobs, equal bytes.

The record of an incremental pack is left out: it says of each file its times and inode, so that it is of one folder of
one machine, and it is never delivered.  A depfile is, too: it names files by their absolute paths.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

import pytest

from .peers import ROOT, offload_tool_command, peer, run

NOBODY = 65534
PROGRAM = """
import json, os, sys
umask, uid, commands = json.loads(sys.argv[1])
from tests.faults.serving import load_everything
load_everything()
from offload_tool.cli.main import main
os.umask(umask)
if uid is not None:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)
for command in commands:
    assert main(command) == 0, command
"""
"""Everything is loaded before another user takes over: Python may lie where that one may not read."""
COMMANDS = {
    "pack": ["pack", "m.yaml", "-o", "out/fat.bin"],
    "incremental": ["pack", "m.yaml", "-o", "out/incremental.bin", "--incremental"],
    "older": ["pack", "m.yaml", "-o", "out/older.bin", "--toolchain", "llvm-19"],
    "compressed": ["pack", "m.yaml", "-o", "out/z.bin", "--toolchain", "llvm-24", "--format-version", "3",
                   "--compress", "zstd:19"],
    "zlib": ["pack", "m.yaml", "-o", "out/zlib.bin", "--toolchain", "llvm-24", "--format-version", "3",
             "--compress", "zlib"],
    "archive": ["pack", "m.yaml", "--archive", "-o", "out/lib.a"],
    "extract": ["extract", "out/fat.bin", "-d", "out/extracted"],
    "extract archive": ["extract", "out/fat.bin", "--archive", "-o", "out/extracted.a"],
    "export": ["export", "m.yaml", "-d", "out/exported"],
    "keep": ["embed", "out/fat.bin", "-o", "out/keep.o", "--mode", "keep", "--cc", "gcc"],
    "link": ["embed", "out/linked.bin", "-o", "out/link.o", "--mode", "link", "--cc", "gcc"],
}  # fmt: skip
LINKED = ["pack", "-o", "out/linked.bin", "--toolchain", "llvm-22", "--image", "file=k.bc,triple=t,kind=openmp"]
WRAPPED = [
    ["pack", "-o", "out/openmp.bin", "--toolchain", "llvm-22", "--image", "file=k.cubin,triple=t,kind=openmp"],
    ["embed", "out/openmp.bin", "-o", "out/wrap.o", "--mode", "wrap", "--cc", "gcc"],
]


@dataclass(frozen=True, kw_only=True)
class World:
    """Where and how a build runs."""

    folder: str = "a"
    umask: int = 0o022
    environment: dict[str, str] = field(
        default_factory=lambda: {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0"}
    )
    uid: int | None = None
    jobs: int = 1


HOME = World()
OTHERS = {
    "another folder": World(folder="a much longer folder, with blanks, and é/and one more/" + "x" * 100),
    "another umask": World(umask=0o077),
    "another locale": World(environment={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "a locale with other letters": World(environment={"LC_ALL": "tr_TR.UTF-8"}),
    "another time zone": World(environment={"TZ": "Pacific/Kiritimati", "SOURCE_DATE_EPOCH": "1"}),
    "another hash seed": World(environment={"PYTHONHASHSEED": "4242"}),
    "another user": World(uid=NOBODY),
    "everything at once": World(
        folder="z/y", umask=0o007, jobs=5,
        environment={"LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "7", "HOME": "/nonexistent", "USER": "x"},
    ),
}  # fmt: skip


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that other users may reach, which those of pytest are not."""
    folder = Path(mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def _checkout(place: Path, world: World) -> Path:
    folder = place / world.folder
    folder.mkdir(parents=True)
    contents = {
        "k.cubin": b"\x7fELF" * 99,
        "b.bin": bytes(range(256)) * 40,
        "ä.bin": b"x",
        "k.bc": b"BC\xc0\xde" + b"k" * 100,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    metadata = {f"key{number}": f"é{number}" for number in range(9)}
    images = [
        {"file": name, "triple": "t", "kind": "openmp", "arch": f"a{number}", "metadata": metadata}
        for number, name in enumerate(("b.bin", "ä.bin"))
    ]
    document = {"schema": 1, "toolchain": "llvm-22", "images": images}
    (folder / "m.yaml").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    (folder / "out" / "extracted").mkdir(parents=True)
    for path in [*place.rglob("*")]:
        path.chmod(0o777)
    return folder


def _made(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(".offload-record")
    }


def _build(place: Path, world: World) -> dict[str, bytes]:
    folder = _checkout(place, world)
    commands = [*COMMANDS.values()]
    commands.insert(0, LINKED)
    if shutil.which("llvm-offload-wrapper-22"):
        commands += WRAPPED
    temporary = folder / "temporary"
    temporary.mkdir()
    temporary.chmod(0o777)
    environment = {**world.environment, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    words = json.dumps([world.umask, world.uid, commands])
    run([sys.executable, "-c", PROGRAM, words], cwd=folder, env=environment)
    return _made(folder / "out")


@pytest.mark.parametrize("name", OTHERS)
def test_outputs_of_the_command_line(name: str, place: Path) -> None:
    peer("gcc")
    world = OTHERS[name]
    if world.uid is not None and os.getuid() != 0:
        pytest.skip("only root may become somebody else")
    here, there = _build(place / "here", HOME), _build(place / "there", world)
    assert len(here) >= len(COMMANDS)
    assert {*here} == {*there}
    assert [path for path in here if here[path] != there[path]] == []
    assert not any(str(place).encode() in content for content in here.values()), "no output names the folder"


SCONSTRUCT = """\
import offload_tool.scons
env = Environment(tools=["default", offload_tool.scons.generate], OFFLOADTOOLCHAIN="llvm-22")
made = [env.Command(f"build/k{n}", "b.bin", Action(f"cat $SOURCE > $TARGET; echo {n} >> $TARGET")) for n in range(6)]
images = [env.OffloadImage(one, triple="t", arch=f"a{n}", kind="openmp") for n, one in enumerate(made)]
env.OffloadManifest("out/generated", images)
fat = env.OffloadBinary("out/fat.bin", "m.yaml", images=images)
env.OffloadBinary("out/lib.a", "m.yaml", images=images)
env.OffloadEmbed("out/stub", fat, mode="keep")
"""
LISTS = """\
cmake_minimum_required(VERSION 3.20)
project(reproducible LANGUAGES C)
find_package(OffloadTool CONFIG REQUIRED)
offload_add_binary(app MANIFEST m.yaml)
foreach(number RANGE 5)
  add_custom_command(OUTPUT k${number} COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/b.bin k${number}
                     DEPENDS b.bin)
  offload_add_image(app FILES ${CMAKE_CURRENT_BINARY_DIR}/k${number} TRIPLE t ARCH a${number} KIND openmp)
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/main.c "int main(void) { return 0; }\\n")
add_executable(program ${CMAKE_CURRENT_BINARY_DIR}/main.c)
offload_embed(program app MODE KEEP)
"""


def _by_scons(place: Path, world: World) -> dict[str, bytes]:
    folder = _checkout(place, world)
    (folder / "SConstruct").write_text(SCONSTRUCT, encoding="utf-8")
    words = ["sh", "-c", f'umask {world.umask:o}; exec "$@"', "sh", peer("scons"), "-Q", f"-j{world.jobs}"]
    run(words, cwd=folder, env={**world.environment, "PYTHONPATH": str(ROOT)})
    return {name: content for name, content in _made(folder / "out").items() if "stub.c" not in name}


def _by_cmake(place: Path, world: World) -> dict[str, bytes]:
    """CMake's own manifest names files by absolute paths; with the checkout's path left out it has to be the same."""
    folder = _checkout(place, world)
    (folder / "CMakeLists.txt").write_text(LISTS, encoding="utf-8")
    tool = [f"-DOffloadTool_DIR={ROOT / 'cmake'}", f"-DOffloadTool_PYTHON={sys.executable}"]
    ninja = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={peer('ninja')}", f"-DCMAKE_C_COMPILER={peer('gcc')}"]
    environment = {**world.environment, "PYTHONPATH": str(ROOT)}
    umask = ["sh", "-c", f'umask {world.umask:o}; exec "$@"', "sh"]
    run([*umask, peer("cmake"), *ninja, "-S", folder, "-B", folder / "build", *tool], env=environment)
    run([*umask, peer("cmake"), "--build", folder / "build", f"-j{world.jobs}"], env=environment)
    wanted = ("app.bin", "app.offload/manifest.yaml", "program.offload/app.o")
    made = {name: content for name, content in _made(folder / "build").items() if name.endswith(wanted)}
    assert len(made) == len(wanted)
    return {name: content.replace(str(folder).encode(), b"CHECKOUT") for name, content in made.items()}


@pytest.mark.parametrize("build", [_by_scons, _by_cmake], ids=["scons", "cmake"])
def test_outputs_of_builds(build: object, place: Path) -> None:
    assert callable(build)
    here, there = build(place / "here", HOME), build(place / "there", OTHERS["everything at once"])
    assert any(name.endswith(".yaml") for name in here)
    assert any(name.endswith(".o") for name in here)
    assert {*here} == {*there}
    assert [path for path in here if here[path] != there[path]] == []


def test_locales_of_the_table_change_something_where_they_are_there() -> None:
    """The table is no good if a process that it describes runs as every other one does."""
    program = "import sys; print(sys.getfilesystemencoding(), hash('x'))"
    said = {
        run([sys.executable, "-c", program], env=OTHERS[name].environment).stdout
        for name in ("another locale", "another hash seed")
    }
    assert len(said) == 2
    assert offload_tool_command()[0] == sys.executable
