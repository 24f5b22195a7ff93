"""Manifests without places, as nearly all are read: the same as those with places, or left to these."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offload_tool.limits import MANIFEST_DEPTH
from offload_tool.manifest import yaml_text
from offload_tool.manifest.tree import Plain, RepeatedKeys, TextFault, to_plain
from offload_tool.manifest.yaml_text import parse_yaml, parse_yaml_plain

pytestmark = pytest.mark.usefixtures("yaml_reader")

MOST = 1000
PIECES = [
    "a", "b", "<<", "~", "null", "1.0", "'q'", '"q\\n"', "''", "- ", ": ", ":", ",", "[", "]", "{", "}", "\n", "\n  ",
    "\n    ", " ", "&x ", "*x", "!", "!!str ", "|\n", "#", "---\n", "...", "? ", "%YAML 1.1\n", "\t", "\x01", "é",
]  # fmt: skip
ORDINARY = "schema: 1\ndefaults: {triple: t, kind: ~}\nimages:\n- {file: [a, 'b'], arch: \"\"}\n- file: null\n"
LEFT = [
    "a: &x [1]\nb: *x\n",
    "a: !!str 1\n",
    "a: 1\na: 2\n",
    "<<: {a: 1}\n",
    "[a]: 1\n",
    "a: 1\n---\nb: 2\n",
    "",
    "a: [",
    "\x01",
]


def _outcome(text: str, *, plainly: bool, most: int = MOST) -> tuple[Plain, tuple[str, ...]] | tuple[str, int, int]:
    try:
        plain = parse_yaml_plain(text, most) if plainly else to_plain(parse_yaml(text), most)
    except TextFault as fault:
        return fault.message, fault.line, fault.column
    return plain, plain.repeated if isinstance(plain, RepeatedKeys) else ()


@settings(max_examples=300, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=14))
def test_any_text_means_the_same(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert _outcome(text, plainly=True) == _outcome(text, plainly=False)


@pytest.mark.parametrize("text", LEFT)
def test_what_is_not_ordinary_means_the_same(text: str) -> None:
    assert _outcome(text, plainly=True) == _outcome(text, plainly=False)


@pytest.mark.parametrize("depth", [MANIFEST_DEPTH - 1, MANIFEST_DEPTH, MANIFEST_DEPTH + 1])
@pytest.mark.parametrize("brackets", ["[]", "- "])
def test_depth_ends_at_the_same_level(depth: int, brackets: str) -> None:
    text = "[" * depth + "]" * depth if brackets == "[]" else "- " * depth
    assert _outcome(text, plainly=True) == _outcome(text, plainly=False)


@pytest.mark.parametrize("most", [9, 10, 11])
def test_number_of_values_ends_at_the_same_one(most: int) -> None:
    text = "[1, 2, 3, 4, 5, 6, 7, 8, 9]"
    assert _outcome(text, plainly=True, most=most) == _outcome(text, plainly=False, most=most)


def test_ordinary_text_gets_no_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = to_plain(parse_yaml(ORDINARY), MOST)
    monkeypatch.delattr(yaml_text, "parse_yaml")
    assert parse_yaml_plain(ORDINARY, MOST) == expected
