"""Programs that run on the device: what was packed and embedded here, linked by real linkers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..openmp import ANSWER, DEVICE, RUN_ENVIRONMENT, SOURCE, Pieces, make_pieces
from ..peers import LLVM_22_LIBRARIES, drop_in, offload_tool_command, peer, run


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Pieces:
    return make_pieces(tmp_path_factory.mktemp("openmp"))


def embed(fat: Path, output: Path, *more: str, status: int = 0) -> str:
    return run([*offload_tool_command(), "embed", fat, "-o", output, *more], status=status).stderr


def answer(program: Path) -> str:
    return run([program], env=RUN_ENVIRONMENT).stdout


@pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
def test_link_runs_on_the_device(pieces: Pieces, tmp_path: Path, compiler: str) -> None:
    embed(pieces.relocatable, tmp_path / "stub.o", "--cc", peer(compiler))
    run([peer("clang-22"), pieces.host_object, "stub.o", *DEVICE, "-o", "program"], cwd=tmp_path)
    assert answer(tmp_path / "program") == ANSWER


def test_link_of_merged_objects(pieces: Pieces, tmp_path: Path) -> None:
    embed(pieces.relocatable, tmp_path / "stub.o")
    run([peer("ld"), "-r", pieces.host_object, "stub.o", "-o", "merged.o"], cwd=tmp_path)
    run([peer("clang-22"), "merged.o", *DEVICE, "-o", "program"], cwd=tmp_path)
    assert answer(tmp_path / "program") == ANSWER


@pytest.mark.parametrize("compiler", ["gcc", "clang-22"])
def test_wrap_runs_on_the_device_linked_by_gcc(pieces: Pieces, tmp_path: Path, compiler: str) -> None:
    embed(pieces.finished, tmp_path / "wrapped.o", "--mode", "wrap", "--cc", peer(compiler))
    libraries = [f"-L{LLVM_22_LIBRARIES}", "-lomp", "-lomptarget"]
    run([peer("gcc"), pieces.host_object, "wrapped.o", *libraries, "-o", "program"], cwd=tmp_path)
    assert answer(tmp_path / "program") == ANSWER


def test_link_of_a_finished_image_is_refused_with_its_name(pieces: Pieces, tmp_path: Path) -> None:
    words = embed(pieces.finished, tmp_path / "stub.o", status=1)
    assert "image 0 of" in words
    assert "openmp x86_64-pc-linux-gnu generic" in words
    assert "use mode wrap or keep" in words
    assert list(tmp_path.iterdir()) == []


def test_wrap_of_a_relocatable_image_is_refused(pieces: Pieces, tmp_path: Path) -> None:
    words = embed(pieces.relocatable, tmp_path / "stub.o", "--mode", "wrap", status=1)
    assert "is relocatable" in words
    assert list(tmp_path.iterdir()) == []


def test_wrap_without_the_wrapper_says_what_to_install(pieces: Pieces, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("gcc", "as", "ld"):
        (tools / name).symlink_to(peer("gcc" if name == "gcc" else "ld"))
    command = [*offload_tool_command(), "embed", str(pieces.finished), "-o", "out.o", "--mode", "wrap", "--cc", "gcc"]
    words = run(command, cwd=tmp_path, env={"PATH": str(tools)}, status=1).stderr
    assert "llvm-offload-wrapper is not to be found; install LLVM 22" in words


def test_clang_takes_the_drop_in_for_its_own_packager(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    drop_in("llvm-offload-binary", folder)
    command: list[str | Path] = [peer("clang-22"), "-B", folder, *DEVICE, SOURCE, "-o", "program"]
    environment = {"OFFLOAD_TOOLCHAIN": "llvm-22"}
    plan = run([*command, "-###"], cwd=tmp_path, env=environment).stderr
    assert f'"{folder}/llvm-offload-binary"' in plan
    run(command, cwd=tmp_path, env=environment)
    assert answer(tmp_path / "program") == ANSWER
