"""The drop-in's command line beside LLVM 22's own: exit status, streams, messages, files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ..containers.bit_writer import BitWriter
from ..containers.modules import BYTES, module, string
from ..peers import drop_in, peer, run

NAME = "llvm-offload-binary"
PACK = "--image=file=k.o,triple=t"


@pytest.fixture
def both(tmp_path: Path, images: Path) -> tuple[Path, Path]:
    """Two equal folders, each with a program of the same name: LLVM's and ours."""
    folders = []
    for who in ("theirs", "ours"):
        folder = tmp_path / who
        shutil.copytree(images, folder)
        if who == "theirs":
            (folder / NAME).symlink_to(peer("llvm-offload-binary-22"))
        else:
            drop_in(NAME, folder)
        setup(folder)
        folders.append(folder)
    return folders[0], folders[1]


def setup(folder: Path) -> None:
    (folder / "sub").mkdir()
    program = peer("llvm-offload-binary-22")
    run([program, "-o", "f.tar.bin", "--image=file=k.o,triple=t,arch=x", "--image=file=noext,triple=t",
         "--image=file=k.cubin,triple=nvptx64-nvidia-cuda,arch=sm_80,kind=cuda,feature=a",
         "--image=file=k.bc,triple=t,kind=hip", "--image=file=k.s,triple=sub/x,kind=openmp"], cwd=folder)  # fmt: skip
    (folder / "real.bc").write_bytes(module(2, string(b"12"), variable=defined_variable))
    run([program, "-o", "real.bin", "--image=file=real.bc,triple=t", "--image=file=k.o,triple=t"], cwd=folder)
    (folder / "cut.bin").write_bytes((folder / "f.tar.bin").read_bytes()[:300])
    (folder / "v2.bin").write_bytes(b"\x10\xff\x10\xad\x02\0\0\0")
    (folder / "response").write_text(f'{PACK} "-o" a\\ b')
    (folder / "nested").write_text("@response")
    (folder / "empty-word").write_text("-o '' --image=file=k.o,triple=t")
    (folder / "quotes").write_text("-o 'x\\y' --image=file=k.o,triple='a b'\"c\"")
    (folder / "bom").write_bytes(b"\xef\xbb\xbf-o bom.out " + PACK.encode())
    (folder / "hash").write_text(f"-o hash.out # {PACK}")


def defined_variable(writer: BitWriter) -> None:
    writer.record(7, [0, 8, BYTES, 3, 2, 0, 0, 0])


def outcome(folder: Path, arguments: list[str], text: bytes = b"") -> tuple[int, bytes, bytes, dict[str, bytes]]:
    done = subprocess.run([f"./{NAME}", *arguments], cwd=folder, input=text, capture_output=True, check=False)
    files = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    del files[NAME]
    return done.returncode, done.stdout, done.stderr, files


SAME = [
    ["-o", "out", PACK],
    ["--o", "out", "-image", "file=k.o,triple=t"],
    ["-o=out", "--image=file=k.o,triple=t,kind=hip,kind=cuda"],
    ["-o", "first", "-o", "out", PACK],
    ["-o", "-", PACK],
    ["-o", "/dev/null", PACK],
    ["-o", "out", "--image=file=k.o,triple"],
    ["-o", "out", "--image=file=k.o,,triple==b"],
    ["-o", "out", "--image=file=/dev/null,triple=t"],
    ["-o", "out", "--image=file=k.o"],
    ["-o", "out"],
    ["-o", "out", PACK, "--archive"],
    ["-o", "a", "--image=triple=x"],
    ["-o", "a", "--image="],
    ["-o", "a", "--image=file=nonexistent,triple=x"],
    ["-o", "a", "--image=file=,triple=x"],
    ["-o", "a", "--image=file=sub,triple=x"],
    ["-o", "nofolder/a", PACK],
    ["-o", "sub", PACK],
    ["-o", "x", "k.o"],
    ["x", "y"],
    ["nofile"],
    ["sub"],
    ["k.o"],
    ["/dev/null"],
    ["cut.bin"],
    ["v2.bin"],
    ["--foo"],
    ["-foo"],
    ["--foo=3"],
    ["---o=x"],
    ["--foo", "--bar", "-o", "x"],
    ["--imag=x"],
    ["--arch=1"],
    ["--hel"],
    ["-hel"],
    ["--versio"],
    ["--helplist"],
    ["--help-hidde"],
    ["--oo="],
    ["--="],
    ["-O"],
    ["-a"],
    ["--xyzzyxyzzy"],
    ["-ozz"],
    ["-o-", PACK],
    ["--help=3"],
    ["--version=1"],
    ["-o"],
    ["--image"],
    ["--archive=foo", "f.tar.bin"],
    ["--archive=2", "f.tar.bin"],
    ["--archive=FALSE", "f.tar.bin", "--image=file=one,kind=cuda"],
    ["f.tar.bin"],
    ["f.tar.bin", "--archive"],
    ["f.tar.bin", "--image=triple=t"],
    ["f.tar.bin", "--image=kind=cuda"],
    ["f.tar.bin", "--image=kind=hip", "--image=kind=none,file=zz", "--image=arch="],
    ["f.tar.bin", "--image=kind=bogus"],
    ["f.tar.bin", "--image=kind=openmp"],
    ["f.tar.bin", "--image=feature=a"],
    ["f.tar.bin", "--image=feature="],
    ["f.tar.bin", "--image=file=one"],
    ["f.tar.bin", "--image=file=one,arch=sm_80"],
    ["f.tar.bin", "--image=file=one,arch=none-such"],
    ["f.tar.bin", "--image=file=sub/one,kind=cuda"],
    ["f.tar.bin", "--image=file=nofolder/one,kind=cuda"],
    ["f.tar.bin", "--image=file=,kind=cuda"],
    ["f.tar.bin", "--image=file=-,kind=cuda"],
    ["f.tar.bin", "--image=kind=cuda", "--archive"],
    ["f.tar.bin", "--image=kind=cuda,file=l.a", "--archive"],
    ["f.tar.bin", "--image=arch=x,file=l.a", "--archive=1"],
    ["f.tar.bin", "--image=arch=none-such,file=l.a", "--archive"],
    ["real.bin", "--image=file=l.a", "--archive"],
    ["--", "-o"],
    ["--", "f.tar.bin"],
    ["@response"],
    ["@nested"],
    ["@quotes"],
    ["@empty-word"],
    ["@bom"],
    ["@hash"],
    ["@nonexistent"],
    ["--", "@response"],
    ["--print-options", "-o", "out", PACK],
]


@pytest.mark.parametrize("arguments", SAME, ids=" ".join)
def test_same_as_llvm(both: tuple[Path, Path], arguments: list[str]) -> None:
    theirs, ours = (outcome(folder, arguments) for folder in both)
    if "--print-options" in arguments:
        assert (theirs[0], theirs[3]) == (ours[0], ours[3])
    else:
        assert theirs == ours


@pytest.mark.parametrize(
    "arguments",
    [[], ["-h"], ["--help"], ["-help"], ["--help-hidden"], ["--help-list"], ["--help-list-hidden"], ["--version"],
     [PACK], ["--archive"], [""], ["-o", "", PACK], ["--version", "--foo"], ["--foo", "--version"]],
    ids=" ".join,
)  # fmt: skip
def test_help_and_version_go_where_llvms_go(both: tuple[Path, Path], arguments: list[str]) -> None:
    theirs, ours = (outcome(folder, arguments) for folder in both)
    assert theirs[0] == ours[0]
    assert bool(theirs[1]) == bool(ours[1])
    assert theirs[2] == ours[2]


def test_input_from_stdin(both: tuple[Path, Path]) -> None:
    content = (both[0] / "f.tar.bin").read_bytes()
    theirs, ours = (outcome(folder, ["-", "--image=kind=cuda"], content) for folder in both)
    assert theirs == ours


def test_recursive_response_file_is_a_fault(tmp_path: Path) -> None:
    """LLVM 22 says so and crashes."""
    (tmp_path / "r").write_text("@r")
    done = run([drop_in(NAME, tmp_path), "@r"], cwd=tmp_path, status=1)
    assert "recursive expansion of: 'r'" in done.stderr
    assert "Traceback" not in done.stderr


def test_modes_are_new_and_links_are_replaced(both: tuple[Path, Path]) -> None:
    modes = []
    for folder in both:
        (folder / "out").write_bytes(b"old")
        (folder / "out").chmod(0o600)
        (folder / "link").symlink_to("k.cubin")
        outcome(folder, ["-o", "out", PACK])
        outcome(folder, ["-o", "link", PACK])
        modes.append([(folder / name).lstat().st_mode for name in ("out", "link")])
    assert modes[0] == modes[1]


def test_old_output_stays_after_a_fault(images: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    run([drop_in(NAME, tmp_path), "-o", "out", "--image=file=none,triple=t"], cwd=tmp_path, status=1)
    assert (tmp_path / "out").read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {"out", NAME, "images"}
