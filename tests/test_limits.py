"""Every limit of offload_tool/limits.py refuses what is above it, wherever it is asked for, and nothing else does."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from offload_tool import limits
from offload_tool.gpu.text_bundle import read_text_bundle

from .limit_cases import containers, device_code, manifests, reports
from .limit_cases.case import Case
from .limit_cases.document import document, meanings
from .peers import ROOT

NAMES = [name for name in vars(limits) if name.isupper()]
TABLES = (manifests.CASES, containers.CASES, device_code.CASES, reports.CASES)
CASES = [(name, case) for table in TABLES for name, cases in table.items() for case in cases]
ELSEWHERE = {
    ("actions.embed", "ALIGN"),  # where the search for the largest alignment begins
    ("manifest.keys", "ALIGN"),  # in a description
    ("manifest.simple_text", "MANIFEST_DEPTH"),  # what is half as deep is left to the reader that holds the limit
    ("actions.inspection.scanning", "BUNDLE_ENTRIES"),  # how many entries a bundle's reader has read at most
    ("gpu.text_bundle", "BUNDLE_ID_BYTES"),  # part of a pattern, which is made once: the last test
}


def uses() -> set[tuple[str, str]]:
    """Each module, below the package, with each limit that it asks for."""
    found = set()
    for file in (ROOT / "offload_tool").rglob("*.py"):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts[1:])
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "limits"]
        found |= {(module, alias.name) for node in imports for alias in node.names}
    return found


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda value: value if isinstance(value, str) else value.module)
def test_limit_holds(name: str, case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = importlib.import_module(f"offload_tool.{case.module}")
    assert getattr(module, name) == getattr(limits, name)
    assert case.told not in case.words(tmp_path)
    monkeypatch.setattr(module, name, case.lowered)
    assert case.told in case.words(tmp_path)


def test_no_limit_lacks_a_case() -> None:
    assert {name for name, _ in CASES} >= set(NAMES)


def test_no_place_that_asks_for_a_limit_lacks_a_case() -> None:
    assert uses() - {(case.module, name) for name, case in CASES} == ELSEWHERE


def test_every_limit_has_a_docstring() -> None:
    assert [name for name, meaning in meanings() if meaning] == NAMES


def test_document_tells_every_limit() -> None:
    command = "python -m tests.limit_cases.document >docs/limits.md"
    assert (ROOT / "docs" / "limits.md").read_text(encoding="utf-8") == document(), f"write it anew: {command}"


def test_longest_id_in_a_bundle_of_text() -> None:
    def ids(size: int) -> list[str]:
        line = b"# __CLANG_OFFLOAD_BUNDLE____%s__ " + b"i" * size + b"\n"
        return [payload.declared for payload in read_text_bundle(memoryview(line % b"START" + line % b"END")).payloads]

    assert ids(limits.BUNDLE_ID_BYTES) == ["i" * limits.BUNDLE_ID_BYTES]
    assert ids(limits.BUNDLE_ID_BYTES + 1) == []
