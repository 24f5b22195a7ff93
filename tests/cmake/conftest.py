from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from ..peers import missing, peer, run
from .project import FLOOR, NEWEST, SYSTEM, Project

_EVERYWHERE = [
    pytest.param(NEWEST, "Ninja", id="ninja"),
    pytest.param(NEWEST, "Unix Makefiles", id="make"),
    pytest.param(NEWEST, "Ninja Multi-Config", id="multi", marks=pytest.mark.slow),
    pytest.param(FLOOR, "Ninja", id="ninja-3.20", marks=pytest.mark.slow),
    pytest.param(FLOOR, "Unix Makefiles", id="make-3.20", marks=pytest.mark.slow),
    pytest.param(SYSTEM, "Ninja", id="ninja-system", marks=pytest.mark.slow),
    pytest.param(SYSTEM, "Unix Makefiles", id="make-system", marks=pytest.mark.slow),
    pytest.param(SYSTEM, "Ninja Multi-Config", id="multi-system", marks=pytest.mark.slow),
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for a project runs under every CMake and generator, unless it chooses some itself."""
    chosen = [mark for mark in metafunc.definition.iter_markers("parametrize") if "cmake_choice" in mark.args[0]]
    if "cmake_choice" in metafunc.fixturenames and not chosen:
        metafunc.parametrize(("cmake_choice", "generator"), _EVERYWHERE)


@pytest.fixture(scope="session")
def cmake_3_20(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The oldest CMake that the package takes, from PyPI."""
    folder = tmp_path_factory.mktemp("cmake-3.20")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = run([*pip, "--target", folder, "cmake==3.20.*"], status=None)
    if done.returncode != 0:
        missing("cmake 3.20", "it from PyPI (pip install cmake==3.20.*)")
    return str(folder / "cmake" / "data" / "bin" / "cmake")


@pytest.fixture
def cmake(cmake_choice: str, request: pytest.FixtureRequest) -> str:
    if cmake_choice == FLOOR:
        found: str = request.getfixturevalue("cmake_3_20")
        return found
    newest = peer("cmake")
    if cmake_choice == SYSTEM:
        system = shutil.which("cmake", path="/usr/bin:/usr/local/bin")
        if system is None or Path(system).resolve() == Path(newest).resolve():
            pytest.skip("the system has no other cmake")
        return system
    return newest


@pytest.fixture
def project(tmp_path: Path, cmake: str, generator: str) -> Project:
    return Project(tmp_path / "project", cmake=cmake, generator=generator)


@pytest.fixture
def ninja_project(tmp_path: Path) -> Project:
    """For what happens while CMake configures, where the generator makes no difference."""
    return Project(tmp_path / "project", cmake=peer("cmake"), generator="Ninja")
