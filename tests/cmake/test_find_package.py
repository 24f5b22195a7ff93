"""Finding the package: from a checkout, from an installed wheel, and saying why not."""

from __future__ import annotations

import shutil
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from offload_tool import __version__

from ..peers import ROOT, offload_tool_command, peer, run
from .project import CMAKE_FILES, Project, archs

LISTS = """\
cmake_minimum_required(VERSION 3.20)
project(test LANGUAGES NONE)
find_package(OffloadTool {request} CONFIG REQUIRED)
offload_add_binary(app)
offload_add_image(app FILES one.img TRIPLE t ARCH a KIND none)
"""
FINDING = """\
cmake_minimum_required(VERSION 3.20)
project(test LANGUAGES NONE)
find_package(Python 3.10 COMPONENTS Interpreter REQUIRED)
execute_process(COMMAND "${Python_EXECUTABLE}" -m offload_tool --cmake-dir OUTPUT_STRIP_TRAILING_WHITESPACE
                OUTPUT_VARIABLE OffloadTool_DIR COMMAND_ERROR_IS_FATAL ANY)
find_package(OffloadTool CONFIG REQUIRED)
offload_add_binary(app)
offload_add_image(app FILES one.img TRIPLE t ARCH a KIND none)
"""


def _configure(source: Path, *definitions: str, status: int = 0, env: dict[str, str] | None = None) -> str:
    make = f"-DCMAKE_MAKE_PROGRAM={peer('ninja')}"
    folders = ["-S", str(source), "-B", str(source / "build")]
    done = run([peer("cmake"), "-G", "Ninja", *folders, make, *definitions], status=status, env=env)
    return " ".join((done.stdout + done.stderr).split())


def _source(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "one.img").write_bytes(b"one")
    (folder / "CMakeLists.txt").write_text(text)
    return folder


def _packs(source: Path) -> None:
    run([peer("cmake"), "--build", source / "build"])
    assert archs(source / "build" / "app.bin") == ["a"]


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """A Python without the package."""
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    return tmp_path / "bare" / "bin" / "python"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for folder in ("offload_tool", "cmake"):
        shutil.copytree(ROOT / folder, tmp_path / "checkout" / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "checkout" / "pyproject.toml").touch()
    return tmp_path / "checkout"


def test_the_version_file_and_the_package_agree() -> None:
    assert f'set(PACKAGE_VERSION "{__version__}")' in (CMAKE_FILES / "OffloadToolConfigVersion.cmake").read_text()


def test_found_through_the_packager_of_the_python_that_cmake_finds(tmp_path: Path) -> None:
    source = _source(tmp_path / "p", FINDING)
    _configure(source, f"-DPython_EXECUTABLE={sys.executable}", env={"PYTHONPATH": str(ROOT)})
    _packs(source)


def test_checkout_runs_in_a_python_that_lacks_the_package(tmp_path: Path, checkout: Path, bare_python: Path) -> None:
    source = _source(tmp_path / "p", LISTS.format(request=""))
    _configure(source, f"-DOffloadTool_DIR={checkout / 'cmake'}", f"-DPython_EXECUTABLE={bare_python}")
    _packs(source)


def test_checkout_runs_its_own_packager_not_an_installed_one(tmp_path: Path, checkout: Path) -> None:
    """The running Python has the package installed; what the build runs is the checkout that CMake was shown."""
    (checkout / "offload_tool" / "cli" / "pack_command.py").write_text("raise SystemExit('this very checkout')\n")
    source = _source(tmp_path / "p", LISTS.format(request=""))
    _configure(source, f"-DOffloadTool_DIR={checkout / 'cmake'}", f"-DOffloadTool_PYTHON={sys.executable}")
    done = run([peer("cmake"), "--build", source / "build"], status=None)
    assert "this very checkout" in done.stdout + done.stderr


def test_python_without_the_package_is_named(tmp_path: Path, checkout: Path, bare_python: Path) -> None:
    moved = checkout / "cmake"
    moved.rename(tmp_path / "alone")
    source = _source(tmp_path / "p", LISTS.format(request=""))
    tool = [f"-DOffloadTool_DIR={tmp_path / 'alone'}", f"-DOffloadTool_PYTHON={bare_python}"]
    said = _configure(source, *tool, status=1)
    assert "no Python runs the packager 'python -m offload_tool'; install the Python package offload-tool" in said
    assert f"{bare_python}: " in said
    assert "No module named offload_tool" in said


def test_packager_of_another_version_is_refused(tmp_path: Path, checkout: Path) -> None:
    version = checkout / "offload_tool" / "version.py"
    version.write_text(version.read_text().replace(__version__, "0.0.9"))
    source = _source(tmp_path / "p", LISTS.format(request=""))
    tool = [f"-DOffloadTool_DIR={checkout / 'cmake'}", f"-DOffloadTool_PYTHON={sys.executable}"]
    said = _configure(source, *tool, status=1)
    assert f"runs offload-tool 0.0.9, these CMake files are of {__version__}" in said


@pytest.mark.parametrize(
    ("request_", "fits"),
    [
        (__version__, True),
        ("0", True),
        ("0.1", True),
        ("0.1...1", True),
        ("0.0.1", False),
        ("0.1.99", False),
        ("1", False),
    ],
)
def test_requested_version(tmp_path: Path, request_: str, fits: bool) -> None:
    source = _source(tmp_path / "p", LISTS.format(request=request_))
    tool = [f"-DOffloadTool_DIR={CMAKE_FILES}", f"-DOffloadTool_PYTHON={sys.executable}"]
    said = _configure(source, *tool, status=0 if fits else 1)
    assert fits or f"version: {__version__}" in said


@pytest.mark.slow
def test_found_in_an_installed_wheel(tmp_path: Path) -> None:
    """In the package's folder, as --cmake-dir tells, and under share/cmake without a hint."""
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT])
    prefix = tmp_path / "prefix"
    venv.create(prefix, with_pip=False, symlinks=True)
    packages = next(prefix.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(packages)
    shutil.copytree(next(packages.glob("*.data")) / "data", prefix, dirs_exist_ok=True)
    python = prefix / "bin" / "python3"
    told = run([python, "-m", "offload_tool", "--cmake-dir"], cwd=tmp_path).stdout.strip()
    assert told == str(packages / "offload_tool" / "cmake")
    by_hint, by_path, by_prefix = (_source(tmp_path / name, LISTS.format(request=__version__)) for name in "abc")
    _configure(by_hint, f"-DOffloadTool_DIR={told}")
    _configure(by_path, env={"PATH": f"{prefix / 'bin'}:/usr/bin:/bin"})
    _configure(by_prefix, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DPython_EXECUTABLE={sys.executable}")
    for source in (by_hint, by_path, by_prefix):
        _packs(source)


def test_the_command_line_names_the_folder_of_the_package_file() -> None:
    told = run([*offload_tool_command(), "--cmake-dir"], cwd=ROOT).stdout.strip()
    assert (Path(told) / "OffloadToolConfig.cmake").is_file()


def test_two_folders_find_the_package_and_a_third_uses_it(ninja_project: Project) -> None:
    project = ninja_project
    finds = "find_package(OffloadTool CONFIG REQUIRED)\n"
    for name in ("a", "b"):
        project.write(f"{name}/CMakeLists.txt", f"{finds}offload_add_binary({name})\n")
    project.write("c/CMakeLists.txt", "offload_add_binary(c)\n")
    subfolders = "".join(f"add_subdirectory({name})\n" for name in "abc")
    project.write("CMakeLists.txt", f"cmake_minimum_required(VERSION 3.20)\nproject(t LANGUAGES NONE)\n{subfolders}")
    project.configure()
    assert sorted(project.build().packed) == ["a", "b", "c"]
