"""Packing by the drop-in: the bytes are LLVM's own."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from offload_tool.cli.offload_binary import main

from ..peers import drop_in, peer, run

OFTEN = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+:/ "
ANY = bytes(byte for byte in range(1, 256) if byte not in b",=")
SUFFIXES = ["o", "bc", "cubin", "fatbin", "s", "spv", "ptx", "hsaco", ""]
KINDS = ["openmp", "cuda", "hip", "none", "bogus"]


def random_text(source: random.Random, longest: int, shortest: int = 0) -> str:
    """Of any bytes that a key can have on a command line, or of those that it often has."""
    count = source.randint(shortest, longest)
    return os.fsdecode(bytes(source.choices(source.choice([OFTEN, ANY]), k=count)))


def random_image(source: random.Random, folder: Path, index: int, kinds: list[str], fewest: int) -> str:
    """One ``--image`` with ``fewest`` to 16 keys of up to 32 bytes, in any order, over a file of its own."""
    suffix = source.choice(SUFFIXES)
    file = folder / (f"image{index}.{suffix}" if suffix else f"image{index}")
    magic = source.choice([b"", b"", b"BC\xc0\xde", b"\xde\xc0\x17\x0b", b"\x7fELF"])
    file.write_bytes(magic + source.randbytes(source.randint(0, 60)))
    pairs, count = {"file": str(file)}, source.randint(fewest, 16)
    if fewest > 1:
        pairs["triple"] = random_text(source, 24)
    tails = [random_text(source, 8, 1) for _ in range(3)]
    while len(pairs) < count:
        key = source.choice(["triple", "arch", "kind", random_text(source, 32), random_text(source, 3, 1)])
        value = random_text(source, 12) + source.choice(["", "=", *tails])
        pairs.setdefault(key, source.choice(kinds) if key == "kind" else value)
    shuffled = list(pairs.items())
    source.shuffle(shuffled)
    return ",".join(f"{key}={value}" for key, value in shuffled)


@pytest.mark.parametrize(
    ("program", "name", "seeds", "kinds", "fewest"),
    [
        ("llvm-offload-binary-22", "llvm-offload-binary", range(300), [*KINDS, "sycl"], 1),
        ("clang-offload-packager-19", "clang-offload-packager-19", range(1000, 1100), KINDS, 2),
    ],
    ids=["llvm-22", "llvm-19"],
)
def test_random_packs_equal_llvm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, name: str, seeds: range, kinds: list[str],
    fewest: int,
) -> None:  # fmt: skip
    theirs_program = peer(program)
    monkeypatch.chdir(tmp_path)
    for seed in seeds:
        source = random.Random(seed)
        images = [random_image(source, tmp_path, index, kinds, fewest) for index in range(source.randint(1, 3))]
        arguments = [f"--image={image}" for image in images]
        run([theirs_program, "-o", "theirs.bin", *arguments], cwd=tmp_path)
        assert main([name, "-o", "ours.bin", *arguments]) == 0
        ours, theirs = (tmp_path / "ours.bin").read_bytes(), (tmp_path / "theirs.bin").read_bytes()
        assert ours == theirs, f"seed {seed}: {arguments}"


def test_several_files_of_one_image_share_its_strings(images: Path, tmp_path: Path) -> None:
    arguments = [f"--image=file={images / 'k.o'},arch=a,file={images / 'k.bc'},arch=b,triple=t,kind=hip"]
    run([peer("llvm-offload-binary-22"), "-o", tmp_path / "theirs", *arguments])
    assert main(["llvm-offload-binary", "-o", str(tmp_path / "ours"), *arguments]) == 0
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize("name", ["k.", ".o", "a.b/c", "k.tar.o", "k.O"])
def test_suffix_as_llvm_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(b"bytes")
    arguments = [f"--image=file={name},triple=t"]
    run([peer("llvm-offload-binary-22"), "-o", "theirs", *arguments], cwd=tmp_path)
    assert main(["llvm-offload-binary", "-o", "ours", *arguments]) == 0
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_pipe_and_stdin_as_image(images: Path, tmp_path: Path) -> None:
    program = drop_in("llvm-offload-binary", tmp_path)
    feed = f"cat {images}/k.o"
    run(["bash", "-c", f"{feed} | {program} -o piped --image=file=-,triple=t"], cwd=tmp_path)
    run(["bash", "-c", f"{program} -o fifo --image=file=<({feed}),triple=t"], cwd=tmp_path)
    for name in ("piped", "fifo"):
        assert (tmp_path / name).read_bytes().endswith((images / "k.o").read_bytes())


def test_no_image_writes_an_empty_file(tmp_path: Path) -> None:
    assert main(["llvm-offload-binary", "-o", str(tmp_path / "empty")]) == 0
    assert (tmp_path / "empty").read_bytes() == b""


def test_more_images_than_descriptors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.o").write_bytes(b"k")
    most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        assert main(["llvm-offload-binary", "-o", "out", f"--image=triple=t,{','.join(['file=k.o'] * 200)}"]) == 0
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    assert (tmp_path / "out").stat().st_size == 200 * 112
