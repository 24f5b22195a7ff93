"""Bad input to ``pack``: one clear line, exit status 1, no partial file, and the old output stays."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..peers import offload_tool_command, run
from .running import Call, files_in, write_manifest

OLD = b"the old output"
BAD_MANIFESTS = {
    "missing file": ("schema: 1\nimages:\n- {file: none.o, triple: t, kind: hip}\n", "3:10", "No such file"),
    "file is a folder": ("schema: 1\nimages:\n- {file: ., triple: t, kind: hip}\n", "3:10", "no regular file"),
    "unknown key": (
        "schema: 1\nimages:\n- {file: k.o, tripel: t, triple: t, kind: hip}\n",
        "3:15",
        "unknown key 'tripel'",
    ),
    "unknown kind": ("schema: 1\nimages:\n- {file: k.o, triple: t, kind: HIP}\n", "3:32", "unknown kind 'HIP'"),
    "no triple": ("schema: 1\nimages:\n- {file: k.o, kind: hip}\n", "3:3", "missing key 'triple'"),
    "no kind": ("schema: 1\nimages:\n- {file: k.o, triple: t}\n", "3:3", "missing key 'kind'"),
    "YAML syntax": ("schema: 1\nimages:\n- {file: k.o\n  x: y}\n", "4:4", "no valid YAML"),
    "no UTF-8": ("schema: 1\nimages: []\n# \udcff\n", "3:3", "byte 0xff is no UTF-8"),
    "align": ("schema: 1\nalign: 12\nimages: []\n", "2:8", "align 12 is not allowed"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where an old output stands; afterwards nothing but it and what the test wrote may be there."""
    (tmp_path / "k.o").write_bytes(b"\x7fELF")
    (tmp_path / "out").write_bytes(OLD)
    (tmp_path / "deps.d").write_bytes(b"old")
    yield tmp_path
    assert (tmp_path / "out").read_bytes() == OLD
    assert (tmp_path / "deps.d").read_bytes() == b"old"
    assert set(files_in(tmp_path)) <= {"k.o", "out", "deps.d", "m.yaml", "sub"}


def _refused(call: Call, folder: Path, *words: str | Path, status: int = 1) -> str:
    result = call("pack", *words, "-o", folder / "out", "--depfile", folder / "deps.d", status=status)
    assert result.out == ""
    assert result.err.count("\n") == 1, result.err
    return result.err


@pytest.mark.parametrize(("text", "place", "message"), BAD_MANIFESTS.values(), ids=BAD_MANIFESTS)
def test_fault_of_a_manifest(text: str, place: str, message: str, call: Call, folder: Path) -> None:
    (folder / "m.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
    said = _refused(call, folder, folder / "m.yaml")
    assert said.startswith(f"{folder / 'm.yaml'}:{place}: error: ")
    assert message in said


def test_duplicate_key_is_told_at_both_places(call: Call, folder: Path) -> None:
    (folder / "m.yaml").write_text("schema: 1\nimages: []\nimages: []\n", encoding="utf-8")
    result = call("pack", folder / "m.yaml", "-o", folder / "out", status=1)
    lines = result.err.splitlines()
    assert [line.split(": error: ")[0] for line in lines] == [f"{folder / 'm.yaml'}:{line}:1" for line in (2, 3)]


def test_every_missing_file_is_told_in_one_run(call: Call, folder: Path) -> None:
    write_manifest(folder, {"file": "k.o"}, {"file": "none1"}, {"file": ["none2", "none3"]}, name="m.yaml")
    result = call("pack", folder / "m.yaml", "-o", folder / "out", status=1)
    assert re.findall(r"image '.*/(none\d)': No such file or directory", result.err) == ["none1", "none2", "none3"]


def test_image_argument_that_is_missing(call: Call, folder: Path) -> None:
    said = _refused(call, folder, "--image", f"file={folder / 'none'},triple=t,kind=none")
    assert said == f"offload-tool: error: image '{folder / 'none'}': No such file or directory\n"


def test_thousands_of_missing_files_are_placed_with_one_reading(call: Call, folder: Path) -> None:
    # Each place was once looked for in a text that was read anew: this took minutes.
    (folder / "m.yaml").write_text(
        "schema: 1\ndefaults: {triple: t, kind: none}\nimages:\n" + "".join(f"- file: n{i}\n" for i in range(3000)),
        encoding="utf-8",
    )
    result = call("pack", folder / "m.yaml", "-o", folder / "out", status=1)
    assert f"{folder / 'm.yaml'}:4:9: error: image" in result.err


_AS_NOBODY = """
import os, sys, yaml
from offload_tool.cli.main import main
assert main(["pack", "m.yaml", "-o", os.devnull]) == 0  # now every module is loaded, wherever Python lies
os.chmod(sys.argv[1], 0)
os.setgid(65534)
os.setuid(65534)
raise SystemExit(main(["pack", "m.yaml", "-o", "out"]))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become somebody else")
@pytest.mark.parametrize("what", ["k.o", "m.yaml"])
def test_unreadable_file(what: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)  # the folders above pytest's own are closed to others
        (Path(name) / "k.o").write_bytes(b"x")
        (Path(name) / "m.yaml").write_text(
            "schema: 1\nimages:\n- {file: k.o, triple: t, kind: none}\n", encoding="utf-8"
        )
        done = run([sys.executable, "-c", _AS_NOBODY, what], cwd=Path(name), status=1)
        assert files_in(Path(name)) == ["k.o", "m.yaml"]
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Permission denied" in done.stderr
    assert done.stderr.startswith(f"{name}/m.yaml:3:10: " if what == "k.o" else "offload-tool: error: manifest ")


def test_output_folder_missing(call: Call, manifest: Path, tmp_path: Path) -> None:
    said = call("pack", manifest, "-o", tmp_path / "no" / "out", status=1).err
    assert said == (
        f"offload-tool: error: output '{tmp_path / 'no' / 'out'}': folder '{tmp_path / 'no'}' does not exist; "
        "create it first\n"
    )


def test_output_is_a_directory(call: Call, manifest: Path, tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "link").symlink_to("dir")
    for name in ("dir", "link"):
        said = call("pack", manifest, "-o", tmp_path / name, status=1).err
        assert said == f"offload-tool: error: output '{tmp_path / name}' is a directory; name a file\n"
    assert files_in(tmp_path / "dir") == []


@pytest.mark.parametrize("depfile", ["no/deps.d", "sub"])
def test_depfile_that_cannot_be_written_leaves_the_old_output(depfile: str, call: Call, folder: Path) -> None:
    (folder / "sub").mkdir()
    write_manifest(folder, {"file": "k.o"}, name="m.yaml")
    result = call("pack", folder / "m.yaml", "-o", folder / "out", "--depfile", folder / depfile, status=1)
    content = (folder / "out").read_bytes()
    (folder / "out").write_bytes(OLD)
    assert content == OLD, result.err


@pytest.mark.parametrize("align", ["12", "131072", "4", "0", "-8"])
def test_align_that_is_not_allowed(align: str, call: Call, folder: Path) -> None:
    write_manifest(folder, {"file": "k.o"}, name="m.yaml")
    said = _refused(call, folder, folder / "m.yaml", "--align", align, status=2)
    assert f"align {align} is not allowed; expected a power of two from 8 to 65536" in said


@pytest.mark.parametrize(
    ("toolchain", "version", "reads"),
    [
        ("llvm-22", "2", "1"),
        ("llvm-23", "3", "1, 2"),
        ("llvm-24", "4", "1, 2, 3"),
        ("documented", "0", "1, 2, 3"),
        ("documented", "-1", "1, 2, 3"),
    ],
)
def test_format_version_that_the_toolchain_does_not_read(
    toolchain: str, version: str, reads: str, call: Call, folder: Path
) -> None:
    write_manifest(folder, {"file": "k.o"}, name="m.yaml")
    options = ["--toolchain", toolchain, "--format-version", version]
    said = _refused(call, folder, folder / "m.yaml", *options, status=2)
    assert f"format version {version} is not read by toolchain '{toolchain}'; it reads {reads}" in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--compress", "zstd"], "compress 'zstd' needs format version 3, version 1 is asked for"),
        (["--compress", "lz4", "--format-version", "3"], "unknown compression 'lz4'; expected zlib or zstd"),
        (["--compress", "zlib:10", "--format-version", "3"], "compression level 10 is not allowed; zlib has 0 to 9"),
        (["--compress", "zstd:x", "--format-version", "3"], "compression level 'x' of 'zstd:x' is no whole number"),
        (["--align", "64", "--format-version", "2"], "align 64 needs format version 1, version 2 is asked for"),
        (["--archive", "--format-version", "2"], "have no meaning for an archive"),
    ],
)
def test_forms_that_exclude_each_other(options: list[str], words: str, call: Call, folder: Path) -> None:
    write_manifest(folder, {"file": "k.o"}, name="m.yaml")
    assert words in _refused(call, folder, folder / "m.yaml", *options, status=2)


def test_unknown_toolchain(call: Call, folder: Path) -> None:
    write_manifest(folder, {"file": "k.o"}, name="m.yaml")
    said = _refused(call, folder, folder / "m.yaml", "--toolchain", "llvm-9", status=2)
    assert "unknown toolchain 'llvm-9'; expected one of documented, llvm-15" in said


def test_sycl_has_no_number_in_llvm_19(call: Call, folder: Path) -> None:
    write_manifest(folder, {"file": "k.o", "kind": "sycl"}, name="m.yaml")
    said = _refused(call, folder, folder / "m.yaml", "--toolchain", "llvm-19")
    assert said.startswith(f"{folder / 'm.yaml'}:1:")
    assert "kind 'sycl' of image" in said
    assert "has no number in toolchain 'llvm-19'; name a newer one" in said


def test_manifests_whose_toolchains_differ(call: Call, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "k2.o").write_bytes(b"")
    first = write_manifest(folder, {"file": "k.o"}, name="m.yaml", toolchain="llvm-19")
    second = write_manifest(folder / "sub", {"file": "k2.o"}, toolchain="llvm-22")
    said = _refused(call, folder, first, second)
    assert said.startswith(f"{second}:1:")
    assert "toolchain 'llvm-22' differs from 'llvm-19'" in said
    call("pack", first, second, "-o", folder / "sub" / "new", "--toolchain", "llvm-20")


def test_file_that_ends_while_it_is_written_to(folder: Path) -> None:
    """A full disk, by a limit on the size of files."""
    with (folder / "k.o").open("wb") as file:
        file.truncate(1 << 20)
    write_manifest(folder, {"file": "k.o"}, name="m.yaml")
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
        "from offload_tool.cli.main import main\n"
        "raise SystemExit(main(sys.argv[1:]))\n"
    )
    done = run([sys.executable, "-c", program, "pack", "m.yaml", "-o", "out"], cwd=folder, status=1)
    assert done.stderr.startswith("offload-tool: error: output 'out': File too large")
    assert done.stderr.count("\n") == 1


def test_g19_terminated_run_leaves_nothing(folder: Path) -> None:
    """The signal comes when the first of two images was copied: a child sends it to itself at that moment."""
    write_manifest(folder, {"file": "k.o", "arch": "a"}, {"file": "k.o", "arch": "b"}, name="m.yaml")
    program = (
        "import os, signal, sys\n"
        "from offload_tool.actions import image_bytes\n"
        "copy = image_bytes.copy_range\n"
        "def copy_and_end(*arguments):\n"
        "    copy(*arguments)\n"
        "    print(sorted(os.listdir()), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "image_bytes.copy_range = copy_and_end\n"
        "from offload_tool.cli.main import main\n"
        "raise SystemExit(main(sys.argv[1:]))\n"
    )
    done = run([sys.executable, "-c", program, "pack", "m.yaml", "-o", "out"], cwd=folder, status=143)
    assert ".part'" in done.stdout
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_image_that_changes_while_it_is_packed(folder: Path) -> None:
    write_manifest(folder, {"file": "k.o", "arch": "a"}, {"file": "k.o", "arch": "b"}, name="m.yaml")
    program = (
        "import sys\n"
        "from offload_tool.actions import image_bytes\n"
        "copy = image_bytes.copy_range\n"
        "def copy_and_grow(*arguments):\n"
        "    copy(*arguments)\n"
        "    open('k.o', 'ab').write(b'more')\n"
        "image_bytes.copy_range = copy_and_grow\n"
        "from offload_tool.cli.main import main\n"
        "raise SystemExit(main(sys.argv[1:]))\n"
    )
    done = run([sys.executable, "-c", program, "pack", "m.yaml", "-o", "out"], cwd=folder, status=1)
    assert done.stderr.startswith(f"{folder / 'm.yaml'}:1:")
    assert "changed while it was packed; run again" in done.stderr


def test_pipe_as_an_image_is_refused_without_waiting(folder: Path) -> None:
    (folder / "sub").mkdir()
    os.mkfifo(folder / "sub" / "pipe")
    write_manifest(folder, {"file": "sub/pipe"}, name="m.yaml")
    done = subprocess.run(
        [*offload_tool_command(), "pack", "m.yaml", "-o", "out"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "is no regular file" in done.stderr
