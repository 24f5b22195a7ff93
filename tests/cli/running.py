"""The command line as tests call it: within this process, or as a child where streams and signals count."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from offload_tool.cli.main import main

HIP = "amdgcn-amd-amdhsa"
CUDA = "nvptx64-nvidia-cuda"


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one command line came to."""

    status: int
    out: str
    err: str


Call: TypeAlias = Callable[..., Result]


def caller(capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*words: str | Path, status: int | None = 0) -> Result:
        capsys.readouterr()
        found = main([str(word) for word in words])
        out, err = capsys.readouterr()
        assert status in (None, found), f"status {found}\n{out}\n{err}"
        return Result(status=found, out=out, err=err)

    return call


def write_manifest(folder: Path, *images: dict[str, Any], name: str = "m.yaml", **more: Any) -> Path:
    """A manifest of these images for CUDA, one or none of whose keys are given."""
    import json

    base = {"triple": CUDA, "kind": "cuda"}
    document = {"schema": 1, **more, "images": [{**base, **image} for image in images]}
    (folder / name).write_text(json.dumps(document), encoding="utf-8")
    return folder / name


def binary(content: bytes, strings: dict[str, str], *, kind: int = 0, image_kind: int = 0, flags: int = 0) -> bytes:
    """A version 1 offload binary, made without the package under test."""
    table, offsets = b"\0", []
    base = 72 + 16 * len(strings)
    for text in (text for pair in strings.items() for text in pair):
        offsets.append(base + len(table))
        table += text.encode("utf-8", "surrogateescape") + b"\0"
    image = -(-(base + len(table)) // 8) * 8
    size = -(-(image + len(content)) // 8) * 8
    head = struct.pack("<4sIQQQ", b"\x10\xff\x10\xad", 1, size, 32, 40)
    head += struct.pack("<HHIQQQQ", image_kind, kind, flags, 72, len(strings), image, len(content))
    records = b"".join(struct.pack("<QQ", *offsets[index : index + 2]) for index in range(0, len(offsets), 2))
    return ((head + records + table).ljust(image, b"\0") + content).ljust(size, b"\0")


def files_in(folder: Path) -> list[str]:
    """Every name in the folder, hidden ones too."""
    return sorted(os.listdir(folder))
