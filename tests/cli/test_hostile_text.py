"""Texts out of files on their way to a terminal: nothing that it acts on, and no line of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from offload_tool.containers.archive import Member, plan_archive

from ..peers import ROOT, peer, run
from .running import Call, binary, files_in, write_manifest

CORPUS = ROOT / "tests" / "data" / "gpu"
FORGED = "offload-tool: forged"
HOSTILE = f"\x1b[31m\x9b2J\x07\u202egnp\u2066\u061c\u200b\ufeff\x85\u2028\r\n{FORGED}\n"
"""Colours and cursors (ESC, CSI, BEL), directions, what is not seen, and every end of a line."""
ACTED_ON = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def _fat(folder: Path) -> Path:
    """A fat binary with hostile strings, its image a cubin; another one with no place in a word."""
    cubin = (CORPUS / "cubin_sm_80.cubin").read_bytes()
    strings = {"triple": f"nvptx64{HOSTILE}", "arch": f"sm_90{HOSTILE}", f"key{HOSTILE}": f"value{HOSTILE}"}
    path = folder / "fat.bin"
    path.write_bytes(binary(cubin, strings, kind=2, image_kind=3) + binary(b"\x7fELF", strings, kind=1, image_kind=1))
    return path


def _object(folder: Path) -> Path:
    """An object whose offload section has a hostile name: the section's type tells what it is."""
    fat = _fat(folder)
    placeholder = "." + "s" * (len(HOSTILE.encode()) - 1)
    (folder / "host.s").write_text(f'.section {placeholder},"e",@0x6fff4c0b\n.incbin "{fat}"\n', encoding="utf-8")
    run([peer("gcc"), "-c", folder / "host.s", "-o", folder / "host.o"])
    content = (folder / "host.o").read_bytes()
    (folder / "host.o").write_bytes(content.replace(placeholder.encode(), HOSTILE.encode()))
    return folder / "host.o"


def _archive(folder: Path) -> Path:
    """An archive with a member of a hostile name, and one in it that is damaged."""
    fat = _fat(folder).read_bytes()
    bodies = [fat, fat[: len(fat) // 2], (CORPUS / "cubin_sm_80.cubin").read_bytes()]
    names = [f"{number}{HOSTILE}.o".replace("\n", "\v").encode() for number in range(3)]
    plan = plan_archive([Member(name=name, size=len(body)) for name, body in zip(names, bodies, strict=True)])
    padded = (header + body + b"\n" * (len(body) % 2) for header, body in zip(plan.headers, bodies, strict=True))
    (folder / "lib.a").write_bytes(plan.head + b"".join(padded))
    return folder / "lib.a"


def _cubin(folder: Path) -> Path:
    """A cubin whose kernel has a hostile name of as many bytes."""
    cubin = (CORPUS / "cubin_sm_80.cubin").read_bytes()
    for name in set(re.findall(rb"\.text\.(\w+)\0", cubin)):
        cubin = cubin.replace(name, HOSTILE.encode()[: len(name) - 1].ljust(len(name), b"\n"))
    (folder / "k.cubin").write_bytes(cubin)
    return folder / "k.cubin"


def _code_object(folder: Path) -> Path:
    """The same of an AMDGPU code object: its name stands in symbols and metadata."""
    content = (CORPUS / "co_v6_gfx90a.co").read_bytes()
    for name in set(re.findall(rb"\b(\w+)\.kd\0", content)):
        content = content.replace(name, HOSTILE.encode()[: len(name) - 1].ljust(len(name), b"\n"))
    (folder / "k.co").write_bytes(content)
    return folder / "k.co"


FILES: dict[str, Callable[[Path], Path]] = {
    "fat binary": _fat,
    "object": _object,
    "archive": _archive,
    "cubin": _cubin,
    "code object": _code_object,
}
COMMANDS = {
    "list": ["list", "FILE", "--raw-kind"],
    "list json": ["list", "FILE", "--json"],
    "inspect": ["inspect", "FILE", "--kernels"],
    "inspect objects": ["inspect", "FILE", "--view", "objects", "--digest"],
    "inspect kernels": ["inspect", "FILE", "--view", "kernels", "--kernels"],
    "inspect fields": ["inspect", "FILE", "--view", "objects", "--fields", "id,member,section,triple,target,fault"],
    "inspect json": ["inspect", "FILE", "--json", "--kernels"],
    "inspect json lines": ["inspect", "FILE", "--json-lines", "--view", "objects"],
    "inspect tree": ["inspect", "DIR", "--jobs", "1", "--view", "objects"],
    "inspect tree, kernels": ["inspect", "DIR", "--jobs", "1", "--view", "kernels", "--kernels"],
    "inspect tree, json lines": ["inspect", "DIR", "--jobs", "1", "--json-lines"],
    "pick": ["pick", "FILE", "--device", "sm_80"],
    "pick none": ["pick", "FILE", "--device", "gfx1201"],
    "pick json": ["pick", "FILE", "--device", "sm_90", "--json"],
    "diff": ["diff", "FILE", "OTHER", "--kernels"],
    "diff json": ["diff", "OTHER", "FILE", "--kernels", "--json"],
    "verify": ["verify", "FILE"],
    "verify json": ["verify", "FILE", "--json"],
    "verify against a manifest": ["verify", "FILE", "--manifest", "MANIFEST"],
    "extract one of many": ["extract", "FILE", "-o", "OUT"],
    "extract to folder": ["extract", "FILE", "-d", "DIR"],
    "extract to archive": ["extract", "FILE", "--archive", "-o", "OUT"],
    "embed link": ["embed", "FILE", "-o", "OUT"],
    "embed wrap": ["embed", "FILE", "-o", "OUT", "--mode", "wrap"],
    "pack it": ["pack", "-o", "OUT", "--image", "file=FILE,triple=amdgcn-amd-amdhsa,arch=gfx942,kind=hip"],
}


def _check(text: str) -> None:
    found = ACTED_ON.search(text)
    assert found is None, (found, text)
    assert FORGED not in [line.strip() for line in text.splitlines()], text


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("file", FILES)
def test_hostile_file(file: str, command: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    path = FILES[file](tmp_path / "dir")
    (tmp_path / "k").write_bytes(b"k")
    places = {
        "FILE": str(path), "DIR": str(tmp_path / "dir"), "OUT": str(tmp_path / "out"),
        "OTHER": str(CORPUS / "cubin_sm_90.cubin"),
        "MANIFEST": str(write_manifest(tmp_path, {"file": "k", "arch": "sm_80"}, toolchain="llvm-22")),
    }  # fmt: skip
    words = [re.sub("|".join(places), lambda match: places[match.group()], word) for word in COMMANDS[command]]
    said = call(*words, status=None)
    assert said.status in (0, 1, 2)
    _check(said.out)
    _check(said.err)
    if "json" not in command and said.status and said.err and "verify" not in command:
        assert said.err.count("\n") == 1
    if "json" in command and said.out and "lines" not in command:
        json.loads(said.out)


MANIFESTS = {
    "check": ["manifest", "check", "m.yaml"],
    "show": ["manifest", "show", "m.yaml"],
    "show json": ["manifest", "show", "m.yaml", "--json"],
    "inputs": ["manifest", "inputs", "m.yaml"],
    "pack": ["pack", "m.yaml", "-o", "out"],
    "pack explained": ["pack", "m.yaml", "-o", "out", "--incremental", "--explain"],
    "export": ["export", "m.yaml", "-d", "copy"],
}
KEYS = ("file", "triple", "arch", "kind", "image_kind", "metadata", "surplus", "surplus key")


@pytest.mark.parametrize("command", MANIFESTS)
@pytest.mark.parametrize("key", KEYS)
def test_hostile_manifest(key: str, command: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k").write_bytes(b"k")
    image: dict[str, object] = {"file": "k", "arch": "sm_80"}
    image[f"key{HOSTILE}" if key == "surplus key" else key] = {"note": HOSTILE} if key == "metadata" else f"k{HOSTILE}"
    write_manifest(tmp_path, image, {"file": "k", "arch": "sm_90"}, toolchain="llvm-22")
    said = call(*MANIFESTS[command], status=None)
    _check(said.out)
    _check(said.err)


@pytest.mark.parametrize("name", ["list", "inspect", "extract", "pack", "manifest"])
def test_file_with_a_hostile_name(name: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that a program found in a folder, and gives to the command as it is."""
    monkeypatch.chdir(tmp_path)
    hostile = HOSTILE[:60] + "k"
    (tmp_path / hostile).write_bytes(_fat(tmp_path).read_bytes())
    words = {
        "list": ["list", hostile],
        "inspect": ["inspect", hostile],
        "extract": ["extract", hostile],
        "pack": ["pack", "-o", "out", "--image", f"file={hostile},triple=t,kind=cuda,arch=sm_80"],
        "manifest": ["manifest", "check", hostile],
    }
    for word in (hostile, f"none{hostile}"):
        said = call(*(text.replace(hostile, word) for text in words[name]), status=None)
        _check(said.out)
        _check(said.err)
    assert all("\x1b" not in made for made in files_in(tmp_path) if made != hostile)
