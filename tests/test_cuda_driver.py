"""The example that loads a fat binary's image through the CUDA driver, before a stand-in for libcuda."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .peers import ROOT, peer, run

EXAMPLE = ROOT / "examples" / "cuda_driver"
AGREES = "The picked image ran, and the driver agrees about every other.\n"


@pytest.fixture(scope="module")
def libcuda(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the stand-in."""
    folder = tmp_path_factory.mktemp("libcuda")
    source = ROOT / "tests" / "data" / "fake_libcuda.c"
    run([peer("gcc"), "-Wall", "-Werror", "-shared", "-fPIC", source, "-o", folder / "libcuda.so.1"])
    return folder


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example; the only nvcc in its reach is one that tests put into ``bin``."""
    folder = tmp_path / "cuda_driver"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("build", "__pycache__"))
    (folder / "bin").mkdir()
    return folder


def started(
    example: Path, library: Path, *words: str, status: int = 0, **fake: str
) -> subprocess.CompletedProcess[str]:
    settings = {f"FAKE_{name.upper()}": value for name, value in fake.items()}
    reach = {"LD_LIBRARY_PATH": str(library), "PATH": f"{example / 'bin'}", "CUDA_HOME": str(example / "none")}
    paths = {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), "PYTHONDONTWRITEBYTECODE": "1"}
    everything = {"FAKE_VERSION": "12040", "FAKE_LOG": str(example / "calls"), **settings, **reach, **paths}
    return run([sys.executable, example / "run.py", *words], cwd=example, env=everything, status=status)


@pytest.mark.parametrize(
    ("capability", "picked"),
    [("80", "sm_80"), ("89", "sm_86"), ("90", "sm_90a"), ("103", "sm_100"), ("120", "compute_80")],
)
def test_image_for_the_device_runs(example: Path, libcuda: Path, capability: str, picked: str) -> None:
    done = started(example, libcuda, capability=capability)
    assert f"picked: {picked}: " in done.stdout
    assert done.stdout.endswith(AGREES)
    assert done.stdout.count("right numbers") + done.stdout.count("CUDA_ERROR_NO_BINARY_FOR_GPU") == 7
    assert done.stderr == ""


def test_everything_is_given_back(example: Path, libcuda: Path) -> None:
    started(example, libcuda, capability="90")
    calls = (example / "calls").read_text().split()
    assert calls.count("cuLaunchKernel") == calls.count("cuModuleUnload") == 4
    assert calls.count("cuMemAlloc_v2") == calls.count("cuMemFree_v2") == 4
    assert calls[-2:] == ["cuCtxSetCurrent", "cuDevicePrimaryCtxRelease_v2"]


def test_no_image_for_the_device(example: Path, libcuda: Path) -> None:
    done = started(example, libcuda, capability="75", status=1)
    assert done.stderr.startswith("gpu-test: failed: no image would run on 7.5: ")
    assert "cuModuleLoadData" not in (example / "calls").read_text()


def test_driver_that_disagrees_is_a_failure(example: Path, libcuda: Path) -> None:
    done = started(example, libcuda, capability="90", fault="lenient", status=1)
    assert done.stdout.count("<- NOT AS EXPECTED") == 3
    assert done.stderr == "gpu-test: failed: 3 images did not do what was expected\n"


def test_wrong_numbers_are_a_failure(example: Path, libcuda: Path) -> None:
    done = started(example, libcuda, capability="90", fault="wrong", status=1)
    assert done.stdout.count("WRONG NUMBERS   <- NOT AS EXPECTED") == 4


def test_no_device(example: Path, libcuda: Path) -> None:
    done = started(example, libcuda, capability="", status=1)
    assert done.stdout == ""
    assert done.stderr == (
        "gpu-test: not run, nothing was tested: the driver finds no device to use: "
        "cuInit: CUDA_ERROR_NO_DEVICE (error 100)\n"
    )


@pytest.mark.parametrize("content", [b"no library", b""], ids=["text", "empty"])
def test_no_libcuda(example: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "libcuda.so.1").write_bytes(content)
    done = started(example, tmp_path, status=1)
    assert done.stdout == ""
    assert done.stderr.startswith("gpu-test: not run, nothing was tested: libcuda.so.1 cannot be used (")
    assert done.stderr.count("\n") == 1


def test_libcuda_that_lacks_a_call(example: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.c").write_text("int nothing;\n")
    run([peer("gcc"), "-shared", tmp_path / "empty.c", "-o", tmp_path / "libcuda.so.1"])
    assert "undefined symbol: cuInit" in started(example, tmp_path, status=1).stderr


class TestNvcc:
    """With a script in its place that is as old as it says, and copies the ready-made images."""

    def place(self, example: Path, release: str, *, works: bool = True) -> None:
        script = example / "bin" / "nvcc"
        copies = '/bin/cp "images/$(/usr/bin/basename "$5")" "$5"' if works else "exit 1"
        script.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "release {release}, V1"; else {copies}; fi\n')
        script.chmod(0o755)

    def test_images_are_built(self, example: Path, libcuda: Path) -> None:
        self.place(example, "12.4")
        assert "images built by " in started(example, libcuda, capability="90").stdout
        assert len(list((example / "build" / "images").iterdir())) == 7

    def test_ready_made_images_are_asked_for(self, example: Path, libcuda: Path) -> None:
        self.place(example, "12.4")
        assert started(example, libcuda, "--ready-made", capability="90").stdout.endswith(AGREES)
        assert not (example / "build" / "images").exists()

    @pytest.mark.parametrize(("release", "works"), [("12.5", True), ("13.0", True), ("11.8", False)])
    def test_nvcc_is_of_no_use(self, example: Path, libcuda: Path, release: str, works: bool) -> None:
        self.place(example, release, works=works)
        done = started(example, libcuda, capability="90")
        assert ": ready-made images\n" in done.stdout
        assert done.stdout.endswith(AGREES)
