"""Large images, and few bytes that stand for many: memory does not grow with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..peers import PEAK_KIB, run
from .running import write_manifest

CHILD = """
import os
import sys
from offload_tool.cli.main import main
assert main(sys.argv[1:]) == 0
print(PEAK_KIB, file=sys.stderr)
""".replace("PEAK_KIB", PEAK_KIB)


def needs_little_memory(folder: Path, *steps: str) -> None:
    for words in (step.split() for step in steps):
        memory = run([sys.executable, "-c", CHILD, *words], cwd=folder).stderr.splitlines()[-1]
        assert int(memory) < 40 << 10, words


@pytest.mark.slow
@pytest.mark.parametrize("compress", ["", "zlib:1", "zstd:-5"])
def test_g12_image_beyond_two_gib_needs_little_memory(compress: str, tmp_path: Path) -> None:
    with (tmp_path / "big.cubin").open("wb") as file:
        file.truncate(2100 << 20)
        file.seek(2000 << 20)
        file.write(b"somewhere")
    images = [{"file": "big.cubin", "arch": arch} for arch in ("sm_80", "sm_90")]
    write_manifest(tmp_path, *(images[1:] if compress else images))
    options = f"--toolchain llvm-24 --compress {compress}" if compress else ""
    needs_little_memory(
        tmp_path, f"pack m.yaml -o fat.bin {options}", "list fat.bin", "extract fat.bin --select arch=sm_90 -o out"
    )
    run(["cmp", "out", "big.cubin"], cwd=tmp_path)


@pytest.mark.parametrize("codec", ["zlib", "zstd"])
@pytest.mark.parametrize("content", ["zeros", "random"])
def test_compressed_image_needs_little_memory(codec: str, content: str, tmp_path: Path) -> None:
    """Neither what a few bytes stand for is held, nor a stream that is as large as what it stands for."""
    with (tmp_path / "k").open("wb") as file:
        if content == "zeros":
            file.truncate(300 << 20)
        else:
            for _ in range(60):
                file.write(os.urandom(1 << 20))
    options = f"--toolchain llvm-24 --compress {codec}:1"
    needs_little_memory(
        tmp_path,
        f"pack --image file=k,triple=t,kind=hip -o fat.bin {options}",
        "list fat.bin",
        "extract fat.bin -o out",
    )
    run(["cmp", "out", "k"], cwd=tmp_path)


def test_what_does_not_fit_into_memory_is_said(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('{"schema": 1, "images": [' + '{"file": "a"},' * 2_000_000 + "{}]}")
    child = (
        "import resource, sys; from offload_tool.cli.main import main; import offload_tool.cli.manifest_command\n"
        "used = 1024 * int(open('/proc/self/status').read().partition('VmSize:')[2].split()[0])\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (50 << 20), -1)); sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", child, "manifest", "check", "m.json"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "offload-tool: error: out of memory\n")
