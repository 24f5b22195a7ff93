"""The drop-in, in this process, beside LLVM's program: one command line in an empty folder, for each in turn."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from offload_tool.cli.offload_binary import main

_TEXTS = {b"OVERVIEW: ": b"help", b"Packs device images": b"help", b"Debian LLVM": b"version", b"LLVM (": b"version",
          b"offload-binary of ": b"version"}  # fmt: skip
_COLOUR = rb"\x1b\[[0-9;]*m"


class Outcome(NamedTuple):
    """What a command line does: help and version as words, since their texts are our own; no colours."""

    status: int
    stdout: bytes
    stderr: bytes
    files: dict[str, bytes]


def both(
    program: str, arguments: Sequence[str], folder: Path, capfd: pytest.CaptureFixture[str]
) -> tuple[Outcome, Outcome]:
    """Theirs and ours; ``folder``, which is the current one, is emptied before each and then has a folder ``sub``."""
    _empty(folder)
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    theirs = Outcome(done.returncode, _shown(done.stdout), re.sub(_COLOUR, b"", done.stderr), _files(folder))
    _empty(folder)
    capfd.readouterr()
    status = main([program, *arguments])
    said = [text.encode(errors="surrogateescape") for text in capfd.readouterr()]
    return theirs, Outcome(status, _shown(said[0]), said[1], _files(folder))


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    (folder / "sub").mkdir()


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _shown(text: bytes) -> bytes:
    return next((word for start, word in _TEXTS.items() if text.startswith(start)), text)
