"""The rooms of the house: who may import whom, how long a file and a function may be, who prints, who opens files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from .peers import ROOT

PACKAGE = ROOT / "offload_tool"
EVERYBODY = {"errors", "frozen", "limits", "version"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": {"frozen"},
    "frozen": set(),
    "limits": set(),
    "version": set(),
    "model": EVERYBODY,
    "wire": EVERYBODY,
    "codec": {"wire", "model"} | EVERYBODY,
    "gpu": {"wire", "model"} | EVERYBODY,
    "containers": {"wire"} | EVERYBODY,
    "manifest": {"model"} | EVERYBODY,
    "deps": EVERYBODY,
    "actions": {"codec", "containers", "deps", "gpu", "manifest", "model", "wire"} | EVERYBODY,
    "cli": {"actions", "manifest", "model"} | EVERYBODY,
    "scons": {"actions", "manifest", "model"} | EVERYBODY,
    "__init__": {"actions", "manifest", "model"} | EVERYBODY,
    "__main__": {"cli"},
}
LONGEST_FILE = 300
LONGEST_FUNCTION = 50
OPENERS = {"manifest", "deps", "actions"}
OPENING_CALLS = {"open", "os.open", "io.open", "read_bytes", "read_text", "write_bytes", "write_text", "subprocess.run"}

FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported_rooms(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.relative_to(PACKAGE.parent).parts[: -node.level]
            names = [*base[1:], *(node.module or "").split(".")] if node.module else list(base[1:])
            yield from [names[0]] if names and names[0] else [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("offload_tool."):
            yield (node.module or "").split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "offload_tool":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("offload_tool."))


def calls(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
class TestFile:
    def test_imports_only_rooms_it_may(self, file: Path) -> None:
        room = room_of(file)
        assert room in MAY_IMPORT, f"{room!r} is no room of the house"
        unknown = set(imported_rooms(file)) - MAY_IMPORT[room] - {room}
        assert not unknown, f"{room} must not import {sorted(unknown)}"

    def test_functions_are_no_longer_than_allowed(self, file: Path) -> None:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        too_long = {node.name for node in functions if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION}
        assert not too_long

    def test_only_the_command_line_prints(self, file: Path) -> None:
        if room_of(file) != "cli":
            assert not {"print", "sys.stdout.write", "sys.stderr.write"} & set(calls(file))

    def test_only_three_rooms_open_files(self, file: Path) -> None:
        if room_of(file) not in OPENERS:
            assert not OPENING_CALLS & set(calls(file))


def test_every_room_of_the_table_exists() -> None:
    assert {room_of(file) for file in FILES} >= set(MAY_IMPORT) - {"scons"}


def test_the_import_reader_sees_a_forbidden_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path / "offload_tool")
    file = tmp_path / "offload_tool" / "wire" / "bad.py"
    file.parent.mkdir(parents=True)
    file.write_text("def f() -> None:\n    from ..actions.pack import pack\n    import offload_tool.cli.main\n")
    assert set(imported_rooms(file)) == {"actions", "cli"}


@pytest.mark.parametrize("folder", ["offload_tool", "tests", "bench", "fuzz", "examples", "site_scons"])
def test_files_are_no_longer_than_allowed(folder: str) -> None:
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in (ROOT / folder).rglob("*.py")}
    assert lengths
    assert [str(file) for file, length in lengths.items() if length > LONGEST_FILE] == []
