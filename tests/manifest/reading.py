"""Manifests out of texts, for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool.errors import Fault, ManifestError
from offload_tool.manifest.load import load_manifest
from offload_tool.manifest.values import Manifest
from offload_tool.model import Image

MARK = "§"


def load(folder: Path, text: str, *, name: str = "m.yaml", **bind: str) -> Manifest:
    (folder / name).write_text(text, encoding="utf-8", newline="")
    return load_manifest(str(folder / name), bind={key: [value] for key, value in bind.items()})


def load_images(folder: Path, body: str) -> tuple[Image, ...]:
    """The images of a manifest whose text after ``schema`` is ``body``."""
    return load(folder, "schema: 1\n" + body).images


def faults_of(folder: Path, text: str, *, name: str = "m.yaml") -> tuple[Fault, ...]:
    with pytest.raises(ManifestError) as raised:
        load(folder, text, name=name)
    assert {fault.file for fault in raised.value.faults} == {str(folder / name)}
    return raised.value.faults


def places(text: str) -> list[tuple[int, int]]:
    """Line and column of what follows each mark, once the marks are taken out."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        parts = line.split(MARK)
        column = 1
        for part in parts[:-1]:
            column += len(part)
            found.append((number, column))
    return found


def check_marked(folder: Path, marked: str, messages: list[str], *, name: str = "m.yaml") -> None:
    """Each mark must be the place of a fault, in order, whose words begin as ``messages`` say; and no other."""
    faults = faults_of(folder, marked.replace(MARK, ""), name=name)
    told = "\n".join(map(str, faults))
    assert [(fault.line, fault.column) for fault in faults] == places(marked), told
    for fault, message in zip(faults, messages, strict=True):
        assert fault.message.startswith(message), told
