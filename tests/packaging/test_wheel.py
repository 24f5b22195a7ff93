"""The wheel and the source distribution: everything is in them, and an installed wheel finds its build files."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from ..peers import ROOT, missing, peer, run

TRACKED = {"offload_tool/py.typed", "offload_tool/manifest/manifest.schema.json", "offload_tool/cli/main.py"}
FOR_PEOPLE = {
    "Makefile", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml", "mkdocs.yml",
    ".pre-commit-hooks.yaml", "examples/github-actions/offload.yml",
}  # fmt: skip


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
    assert not any("__pycache__" in name or name.startswith(("bench/", "fuzz/", "tests/")) for name in names)


def test_source_distribution_is_complete(distributions: Path) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("offload_tool", "cmake", "site_scons", "examples/quickstart", "tests", "bench", "fuzz", "docs"):
        wanted = {name for name in files_below(folder) if "/build/" not in name and ".scon" not in name}
        of_fuzzing = ("fuzz/corpus/", "fuzz/found/")
        wanted = {name for name in wanted if not name.endswith(".pyc") and not name.startswith(of_fuzzing)}
        assert names >= {name for name in wanted if ".hypothesis" not in name}
    assert names >= FOR_PEOPLE


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


def test_installed_wheel_prints_the_schema_that_it_holds(installed: Path) -> None:
    command = [sys.executable, "-m", "offload_tool", "manifest", "schema"]
    said = run(command, cwd=installed, env={"PYTHONPATH": str(installed)}).stdout
    assert said == (installed / "offload_tool" / "manifest" / "manifest.schema.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_wheel_runs_in_an_empty_environment(distributions: Path, tmp_path: Path) -> None:
    """Its dependencies are copied from beside this test's own, so that nothing comes over the network."""
    run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"])
    python = tmp_path / "venv" / "bin" / "python"
    site = run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).stdout.strip()
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index"]
    run([*pip, next(distributions.glob("*.whl"))])
    for name in ("yaml", "_yaml", "lz4", "msgpack", "zstandard"):
        found = importlib.util.find_spec(name)
        assert found is not None
        assert found.origin is not None
        shutil.copytree(Path(found.origin).parent, Path(site) / name)
    quickstart = ROOT / "examples" / "quickstart"
    clean = {"PYTHONPATH": ""}
    command = python.parent / "offload-tool"
    run([command, "pack", quickstart / "images.yaml", "-o", tmp_path / "images.bin"], cwd=tmp_path, env=clean)
    listed = run([command, "list", tmp_path / "images.bin"], cwd=tmp_path, env=clean).stdout
    assert "2 images" in listed
    for option, file in (("--cmake-dir", "OffloadToolConfig.cmake"), ("--scons-dir", "offload/__init__.py")):
        folder = run([command, option], cwd=tmp_path, env=clean).stdout.strip()
        assert Path(folder).is_relative_to(tmp_path)
        assert (Path(folder) / file).is_file()
    cmake = (
        f"cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES NONE)\nfind_package(OffloadTool CONFIG REQUIRED)\n\
offload_add_binary(images MANIFEST {quickstart}/images.yaml)\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(cmake, encoding="utf-8")
    make = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={peer('ninja')}", f"-DPython_EXECUTABLE={python}"]
    place = run([command, "--cmake-dir"], cwd=tmp_path, env=clean).stdout.strip()
    run([peer("cmake"), "-S", tmp_path, "-B", tmp_path / "b", *make, f"-DOffloadTool_DIR={place}"], env=clean)
    run([peer("cmake"), "--build", tmp_path / "b"], env=clean)
    assert (tmp_path / "b" / "images.bin").read_bytes() == (tmp_path / "images.bin").read_bytes()
