"""Limits of manifests and of other texts that people and builds write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from offload_tool.actions.batch import read_commands
from offload_tool.actions.inspection.processes import Processes
from offload_tool.actions.inspection.request import request_text
from offload_tool.actions.planning import at_fault
from offload_tool.actions.response_file import expand_response_files
from offload_tool.codec.writer import checked_align
from offload_tool.deps.record import NOBODY, Place, Record, read_record
from offload_tool.manifest.faults import PathFaults
from offload_tool.manifest.load import load_manifest
from offload_tool.model import Image, OffloadKind

from .case import Case

IMAGE = "{file: a.o, triple: t, kind: hip, arch: [a, b, c]}"
JSON = '{"schema": 1, "images": [], "unknown": {"a": {"b": 1}}}'


def manifest(text: str, *included: str) -> Callable[[Path], object]:
    """``included`` are the texts of 0.yaml, 1.yaml and so on."""

    def feed(folder: Path) -> object:
        for number, other in enumerate(included):
            (folder / f"{number}.yaml").write_text(f"schema: 1\n{other}", encoding="utf-8")
        (folder / "m.yaml").write_text(text if text.startswith("{") else f"schema: 1\n{text}", encoding="utf-8")
        return load_manifest(str(folder / "m.yaml"))

    return feed


def words(text: str) -> Callable[[Path], object]:
    def feed(folder: Path) -> object:
        for number in range(3):
            (folder / f"{number}").write_text(text.replace("NEXT", f"@{folder}/{number + 1}"), encoding="utf-8")
        return expand_response_files([f"@{folder}/0"])

    return feed


def commands(text: str) -> Callable[[Path], object]:
    def feed(folder: Path) -> object:
        (folder / "batch").write_text(text, encoding="utf-8")
        return read_commands(str(folder / "batch"))

    return feed


def request(folder: Path) -> object:
    (folder / "r.json").write_text("{}", encoding="utf-8")
    return request_text(str(folder / "r.json"))


def jobs(_folder: Path) -> object:
    Processes(2).close()
    return ""


def record(count: int = 2) -> bytes:
    places = tuple(Place(path="a.o", offset=0, file=NOBODY) for _ in range(count))
    return Record(packager="00" * 32, began_ns=0, form="", output=NOBODY, places=places).encoded()


def stored_record(folder: Path) -> object:
    (folder / "record").write_bytes(record())
    return read_record(str(folder / "record"))


def cycle_of_two(count: int) -> str:
    return f"include: [{', '.join(f'{{manifest: {number}.yaml}}' for number in range(count))}]\n"


def many_failures(_folder: Path) -> object:
    image = Image(file="a.o", triple="t", kind=OffloadKind.HIP)
    return f"{len(str(at_fault([(image, 'unread')] * 3)).split(';'))} told"


def many_faults(_folder: Path) -> object:
    faults = PathFaults()
    for number in range(11):
        faults.add((), str(number))
    return f"{len(faults.found)} kept"


FAULTS = manifest("images: []\na: 1\nb: 1\nc: 1\n")
NESTED = manifest(cycle_of_two(1), "include: [{manifest: 1.yaml}]\n", f"images: [{IMAGE}]\n")

CASES: dict[str, list[Case]] = {
    "MANIFEST_BYTES": [
        Case(module="manifest.source", lowered=9, feed=manifest("images: []\n"), told="is larger than 9 bytes"),
        Case(module="actions.batch", lowered=9, feed=commands('["list", "a"]'), told="is larger than 9 bytes"),
    ],
    "MANIFEST_DEPTH": [
        Case(module="manifest.yaml_text", lowered=2, feed=manifest(f"images: [\n  {IMAGE}]\n"), told="deeper than 2"),
        Case(module="manifest.json_text", lowered=2, feed=manifest(JSON), told="deeper than 2"),
    ],
    "MANIFEST_NODES": [
        Case(module="manifest.source", lowered=5, feed=manifest(f"images: [{IMAGE}]\n"), told="than 5 values")
    ],
    "MANIFEST_FAULTS": [
        Case(module="manifest.load", lowered=1, feed=FAULTS, told="2 more faults"),
        Case(
            module="manifest.require", lowered=1, told=" and 2 more",
            feed=manifest("images: []\nrequire: [{arch: [a, b, c]}]\n"),
        ),
        Case(module="manifest.faults", lowered=1, feed=many_faults, told="10 kept"),
        Case(module="actions.planning", lowered=1, feed=many_failures, told="1 told"),
    ],
    "IMAGES": [
        Case(module="manifest.check", lowered=2, feed=manifest(f"images: [{IMAGE}]\n"), told="more than 2 images"),
        Case(
            module="manifest.join", lowered=2, told="at most 2",
            feed=manifest(cycle_of_two(1), f"images: [{IMAGE}]\n"),
        ),
        Case(module="deps.record", lowered=1, feed=lambda _: Record.decoded(record()), told="claims 2 entries"),
    ],
    "ALIGN": [
        Case(module="codec.writer", lowered=16, feed=lambda _: checked_align(32), told="from 8 to 16"),
        Case(module="manifest.fields", lowered=16, feed=manifest("images: []\nalign: 32\n"), told="from 8 to 16"),
    ],
    "INCLUDE_DEPTH": [Case(module="manifest.gather", lowered=1, feed=NESTED, told="included more than 1 deep")],
    "INCLUDES": [Case(module="manifest.gather", lowered=1, feed=NESTED, told="more than 1 includes")],
    "JOINED_IMAGES": [Case(module="manifest.join", lowered=2, feed=NESTED, told="than 2 images in all manifests")],
    "REQUIRED_TARGETS": [
        Case(
            module="manifest.require", lowered=1, told="more than 1 targets in 'require'",
            feed=manifest(f"images: [{IMAGE}]\nrequire: [{{arch: [a, b]}}]\n"),
        )
    ],
    "RESPONSE_FILE_DEPTH": [
        Case(module="actions.response_file", lowered=2, feed=words("a NEXT"), told="recursive expansion")
    ],
    "RESPONSE_FILE_BYTES": [
        Case(module="actions.response_file", lowered=2, feed=words("a b"), told="is larger than 2 bytes")
    ],
    "RESPONSE_FILES": [
        Case(module="actions.response_file", lowered=2, feed=words("a NEXT"), told="at most 2 are read")
    ],
    "RECORD_BYTES": [Case(module="deps.record", lowered=9, feed=stored_record, told="at most 9 are read")],
    "REQUEST_BYTES": [Case(module="actions.inspection.request", lowered=1, feed=request, told="has at most 1")],
    "JOBS": [Case(module="actions.inspection.processes", lowered=1, feed=jobs, told="expected 1 to 1")],
}  # fmt: skip
