"""Real GPU libraries from PyPI: the targets and counts that the vendors' own tools tell."""

from __future__ import annotations

import re
import shutil
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from offload_tool import inspect_file

from ..peers import peer, run

pytestmark = pytest.mark.slow
LIBRARY = "bitsandbytes==0.50.2"
# Not cuda121: cuobjdump 13.5 ends at its third entry with "Invalid ELF".
CUDA = ("cuda118", "cuda124", "cuda126", "cuda128", "cuda130", "cuda132")
ROCM = ("rocm64", "rocm70", "rocm71", "rocm714", "rocm715", "rocm72")
PREFIXES = {"elf": "sm_", "ptx": "compute_", "nvvm": "lto_"}


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("libraries")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
    done = run([*pip, "--dest", folder, LIBRARY], status=None)
    if done.returncode != 0:
        pytest.skip(f"{LIBRARY} cannot be had from PyPI here")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    return folder / "bitsandbytes"


def library(folder: Path, name: str) -> Path:
    return folder / f"libbitsandbytes_{name}.so"


def told_by_cuobjdump(path: Path) -> Counter[str]:
    """Targets and how often each occurs, out of the listing of everything in the file."""
    out = run([peer("cuobjdump"), "-all", path]).stdout
    headings = re.findall(r"^Fatbin (\w+) code:\n=+\narch = sm_(\w+)", out, re.MULTILINE)
    return Counter(PREFIXES[kind] + number for kind, number in headings)


@pytest.mark.parametrize("name", CUDA)
def test_cuda_targets_and_counts_are_those_of_cuobjdump(libraries: Path, name: str) -> None:
    path = library(libraries, name)
    found = inspect_file(str(path))
    assert found.coverage == "complete"
    assert Counter({row.target: row.objects for row in found.targets}) == told_by_cuobjdump(path)


def test_a_library_that_cuobjdump_gives_up_is_read_to_its_end(libraries: Path) -> None:
    found = inspect_file(str(library(libraries, "cuda121")), kernels=True)
    assert found.coverage == "complete"
    assert {row.objects for row in found.targets if row.kinds == ("cubin",)} == {7}


def test_cuda_kernels_are_those_of_cuobjdump(libraries: Path) -> None:
    path = library(libraries, "cuda130")
    out = run([peer("cuobjdump"), "-all", "-symbols", path]).stdout
    told = Counter(re.findall(r"^FUNC\s+\w+\s+\w+\s+ENTRY\s+(\S+)", out, re.MULTILINE))
    found = inspect_file(str(path), kernels=True)
    assert found.kernels is not None
    cubins = {row.id for row in found.objects if row.kind == "cubin"}
    assert Counter(kernel.name for kernel in found.kernels if kernel.object_id in cubins) == told
    assert told


@pytest.mark.parametrize("name", ROCM)
def test_rocm_targets_and_counts_are_those_of_llvm_objdump(libraries: Path, name: str, tmp_path: Path) -> None:
    # The tool extracts what it lists, into files beside the one that it reads.
    path = Path(shutil.copy(library(libraries, name), tmp_path))
    out = run([peer("llvm-objdump-22"), "--offloading", path]).stdout
    told = Counter(re.findall(r"\.hipv4-amdgcn-amd-amdhsa--(\S+)$", out, re.MULTILINE))
    found = inspect_file(str(path), kernels=True)
    assert found.coverage == "complete"
    assert Counter({row.target: row.objects for row in found.targets}) == told
    assert {row.target_consistency for row in found.objects} == {"match"}
    assert len({row.kernels for row in found.targets}) == 1


def test_a_library_without_gpu_code_has_no_rows(libraries: Path) -> None:
    found = inspect_file(str(library(libraries, "cpu")))
    assert (found.targets, found.coverage) == ((), "complete")
