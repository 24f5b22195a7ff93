from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..peers import ROOT, missing, peer
from .project import PACKED, Project

NEWEST = "newest"
VERSIONS = ["installed", *(pytest.param(version, marks=pytest.mark.slow) for version in ("4.4.0", NEWEST))]


@pytest.fixture(scope="session")
def scons_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """The command that runs a version of SCons; made on first use in an environment of its own."""
    made: dict[str, list[str]] = {}

    def command(version: str) -> list[str]:
        if version not in made:
            made[version] = [peer("scons")] if version == "installed" else _installed(version, tmp_path_factory)
        return made[version]

    return command


def _installed(version: str, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp(f"scons-{version}")
    requirement = "scons" if version == NEWEST else f"scons=={version}"
    python = folder / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    done = subprocess.run([*pip, requirement, "pyyaml", "ninja"], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        missing(f"{requirement} ({done.stderr.strip()})", "it from a package index that this machine can reach")
    return [str(folder / "bin" / "scons")]


@pytest.fixture(params=VERSIONS)
def scons(request: pytest.FixtureRequest, scons_of: Callable[[str], list[str]]) -> list[str]:
    return scons_of(request.param)


@pytest.fixture
def project(tmp_path: Path, scons: list[str]) -> Project:
    """An empty build; every test that takes it runs with each version of SCons in the full run."""
    return Project(tmp_path / "build of images", scons, ROOT)


@pytest.fixture
def two_images(project: Project) -> Project:
    """One manifest with two images, packed once."""
    project.sconstruct('env.OffloadBinary("out.bin", "images.yaml")\n')
    project.manifest("images.yaml", "one.cubin", "two.cubin")
    project.write("one.cubin", "first image")
    project.write("two.cubin", "second image")
    assert project.build() == PACKED
    assert project.packed("out.bin") == [b"first image", b"second image"]
    return project
