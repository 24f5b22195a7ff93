"""The wheel and the source distribution: everything is in them, and an installed wheel finds its build files."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from ..peers import ROOT, missing, run

TRACKED = {"offload_tool/py.typed", "offload_tool/manifest/manifest.schema.json", "offload_tool/cli/main.py"}


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        import build  # noqa: F401
        import hatchling  # noqa: F401
    except ImportError:
        missing("build or hatchling", "the extra dev: pip install -e .[dev]")
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT], cwd=folder)
    return folder


@pytest.fixture(scope="module")
def installed(distributions: Path) -> Path:
    folder = distributions / "installed"
    wheel = next(distributions.glob("*.whl"))
    run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", folder, wheel])
    return folder


def files_below(folder: str) -> set[str]:
    found = (path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(ROOT)) for path in found}


def test_wheel_is_complete(distributions: Path) -> None:
    names = set(zipfile.ZipFile(next(distributions.glob("*.whl"))).namelist())
    package = {name for name in files_below("offload_tool") if not name.endswith(".pyc")}
    build_files = {f"offload_tool/{name}" for folder in ("cmake", "site_scons") for name in files_below(folder)}
    assert names >= TRACKED | package | build_files
    assert any(name.endswith("share/cmake/OffloadTool/OffloadToolConfig.cmake") for name in names)
    assert not any("__pycache__" in name or name.startswith("tests/") for name in names)


def test_source_distribution_is_complete(distributions: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("offload_tool", "cmake", "site_scons", "examples/quickstart", "tests", "docs"):
        wanted = {name for name in files_below(folder) if "/build/" not in name and ".scon" not in name}
        assert names >= {name for name in wanted if not name.endswith(".pyc") and ".hypothesis" not in name}
    assert names >= {"Makefile", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml"}


@pytest.mark.parametrize(
    ("option", "folder", "file"),
    [
        ("--cmake-dir", "cmake", "OffloadToolConfig.cmake"),
        ("--scons-dir", "site_scons/site_tools", "offload/__init__.py"),
    ],
)
def test_installed_wheel_finds_its_build_files(installed: Path, option: str, folder: str, file: str) -> None:
    command = [sys.executable, "-m", "offload_tool", option]
    said = run(command, cwd=installed, env={"PYTHONPATH": str(installed)}).stdout.strip()
    assert Path(said) == installed / "offload_tool" / folder
    assert (Path(said) / file).is_file()


@pytest.mark.parametrize(("option", "folder"), [("--cmake-dir", "cmake"), ("--scons-dir", "site_scons/site_tools")])
def test_checkout_says_its_own_folders(option: str, folder: str) -> None:
    said = run([sys.executable, "-m", "offload_tool", option], cwd=ROOT).stdout.strip()
    assert Path(said) == ROOT / folder


def test_version_is_one(distributions: Path) -> None:
    said = run([sys.executable, "-m", "offload_tool", "--version"]).stdout.split()[1]
    assert next(distributions.glob("*.whl")).name.startswith(f"offload_tool-{said}-")
