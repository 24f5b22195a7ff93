"""The schema that is shipped and the tables of the manual say what the table of keys says."""

from __future__ import annotations

import yaml

from offload_tool.manifest.keys import KEYS
from offload_tool.manifest.schema import schema_text

from .manifest_reference import DOCUMENT, SCHEMA, places, with_tables

HINT = "run python -m tests.docs.manifest_reference"


def test_tables_of_the_manual() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert set(places(text)) == set(KEYS) - {"defaults"}, "images tell the keys that may stand in defaults"
    assert with_tables(text) == text, HINT


def test_file_of_the_schema() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), HINT


def test_examples_of_the_manual_are_yaml_of_the_same_value() -> None:
    rows = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    keys = [key for place in places(DOCUMENT.read_text(encoding="utf-8")) for key in KEYS[place]]
    shown = [row.rsplit("| `", 1)[1].removesuffix("` |") for row in rows if row.count(" | ") == 3]
    assert [yaml.safe_load(example) for example in shown] == [key.example for key in keys]
