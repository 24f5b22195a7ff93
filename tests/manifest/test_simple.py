"""Simple YAML without a library: what is read means the same as to the library, and anything else is left to it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offload_tool.limits import MANIFEST_DEPTH
from offload_tool.manifest.simple_text import parse_simple_plain
from offload_tool.manifest.tree import RepeatedKeys, to_plain
from offload_tool.manifest.yaml_text import parse_yaml

from ..peers import ROOT, run
from .reading import faults_of

MOST = 4_000_000
PIECES = [
    "a", "null", "~", "1.0", "x/y.o", "'q'", '"q"', "''", "- ", "-  ", ": ", ":", ", ", ",", "[", "]", "{", "}", "\n",
    "\n  ", "\n    ", "\n- ", "\n  - ", "a: ", "b: ", "c:", "c:\n  ", " #x", "#", "...", "---", " ", "a: 1\n",
    "k: {z: [1, 2], y: ''}", "{a: x, b: 'y'}", "d: 1\n",
]  # fmt: skip
SIMPLE = """\
# what is built
schema: 1
toolchain: llvm-22   # who reads it
defaults: {triple: "amdgcn-amd-amdhsa", kind: hip, metadata: {note: 'it is 1', none: ~}}

images:
- file: one.hsaco
  arch: [gfx90a, gfx942]
- {file: "two {arch}.hsaco", arch: gfx1100}
require:
  - target: gfx90a
    kinds:
    - hip
  -   target: null
empty: []
nothing:
"""
LEFT = {
    "nothing": "# no value\n",
    "an anchor": "a: &x [1]\nb: *x\n",
    "a tag": "a: !!str 1\n",
    "a repeated key": "a: 1\na: 2\n",
    "a repeated key in brackets": "a: {b: 1, b: 2}\n",
    "a merged key": "<<: {a: 1}\n",
    "two documents": "a: 1\n---\nb: 2\n",
    "a list": "- a\n",
    "words": "a: b c\n",
    "text of two lines": "a: b\n  c\n",
    "a block of text": "a: |\n  b\n",
    "an escape": 'a: "\\n"\n',
    "a doubled quote": "a: 'it''s'\n",
    "brackets of two lines": "a: [b,\n  c]\n",
    "an open bracket": "a: [b\n",
    "a colon in a word": "a: gfx90a:xnack+\n",
    "a tab": "a:\tb\n",
    "other letters": "a: \u00fc\n",
    "an end of a line of its own": "a: b\r\n",
    "lines that do not stand below each other": "a:\n  b: 1\n c: 2\n",
    "a deeper key below a value": "a: 1\n  b: 2\n",
    "a comma at the end": "a: [b,]\n",
    "a pair in a list": "a: [b: c]\n",
    "a key alone": "a: {b}\n",
    "a dash alone": "a:\n  -\n    b: c\n",
}
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*.yaml") if "build" not in path.parts)
LONG = 1_000_000
BOMBS = {
    "blanks": " " * LONG + "!",
    "blanks after a key": "a:" + " " * LONG + "!",
    "blanks after a value": "a: b" + " " * LONG + "!",
    "blanks in brackets": "a: [" + " " * LONG + "!]",
    "pairs": "a: {" + "b: c," * (LONG // 5) + "!}",
    "quotes": "a: {" + "b: '" * (LONG // 4) + "}",
    "brackets": "a: " + "[" * LONG + "]" * LONG,
    "a word": "a: " + "b" * LONG + "!",
    "levels": "\n".join(" " * level + "a:" for level in range(1400)),
}

CHILD = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (4, 4))
from tests.manifest.test_simple import BOMBS, MOST, parse_simple_plain
assert not any(parse_simple_plain(text, MOST) for text in BOMBS.values())
"""


@settings(max_examples=1500, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
def test_what_is_read_means_the_same_to_the_library(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = parse_simple_plain(text, MOST)
    if found is not None:
        expected = to_plain(parse_yaml(text), MOST)
        assert found == expected
        assert not isinstance(expected, RepeatedKeys)


@pytest.mark.parametrize("text", [SIMPLE, *(path.read_text() for path in EXAMPLES)])
def test_what_people_write_is_simple(text: str) -> None:
    assert len(EXAMPLES) >= 5
    found = parse_simple_plain(text, MOST)
    assert found is not None
    assert found == to_plain(parse_yaml(text), MOST)


@pytest.mark.parametrize("case", LEFT)
def test_anything_else_is_left_to_the_library(case: str) -> None:
    assert parse_simple_plain(LEFT[case], MOST) is None


@pytest.mark.parametrize("values", [6, 7])
def test_number_of_values_is_held(values: int) -> None:
    assert (parse_simple_plain("a: b\n\n\n", values) is None) == (values < 7)


@pytest.mark.parametrize(("depth", "is_simple"), [(MANIFEST_DEPTH // 2 - 1, True), (MANIFEST_DEPTH + 1, False)])
def test_depth_is_held(depth: int, is_simple: bool) -> None:
    blocks = "\n".join(" " * level + "a:" for level in range(depth))
    for text in (blocks, "a: " + "[" * depth + "]" * depth):
        assert (parse_simple_plain(text, MOST) is not None) == is_simple


def test_no_text_takes_long() -> None:
    """A child that may use 4 s of CPU gives all of them up."""
    run([sys.executable, "-c", CHILD], cwd=ROOT)


def test_places_of_faults_come_from_the_library(tmp_path: Path) -> None:
    found = faults_of(tmp_path, "schema: 1\nimages:\n- {file: a.o, triple: t, kind: cuda, arhc: x}\n")
    assert [(fault.line, fault.column) for fault in found] == [(3, 38)]
