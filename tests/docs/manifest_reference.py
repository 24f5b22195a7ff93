"""What is made of the table of keys: the schema's file and the tables in docs/manifest.md.

``python -m tests.docs.manifest_reference`` writes both anew.
"""

from __future__ import annotations

import json
import re

from offload_tool.manifest.keys import KEYS, Key
from offload_tool.manifest.schema import schema_text

from ..peers import ROOT

DOCUMENT = ROOT / "docs" / "manifest.md"
SCHEMA = ROOT / "offload_tool" / "manifest" / "manifest.schema.json"
_TABLE = re.compile(r"(?<=<!-- keys: )(\w+)( -->\n).*?(?=<!-- end of keys -->)", re.DOTALL)


def places(text: str) -> list[str]:
    """The mappings whose tables stand in a text."""
    return [match[1] for match in _TABLE.finditer(text)]


def with_tables(text: str) -> str:
    """The text with every table of keys made anew."""
    return _TABLE.sub(lambda match: f"{match[1]}{match[2]}{_table(KEYS[match[1]])}", text)


def _table(keys: tuple[Key, ...]) -> str:
    rows = [_row(key) for key in keys]
    return "\n| key | value | meaning | example |\n|---|---|---|---|\n" + "\n".join(rows) + "\n\n"


def _row(key: Key) -> str:
    required = f" **Required: {key.required}.**" if key.required else ""
    more = f": see [below](#{key.section})" if key.section else ""
    return f"| `{key.name}` | {key.form.words} | {key.meaning}{more}.{required} | `{_flow(key.example)}` |"


def _flow(value: object) -> str:
    """A value as YAML of one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_flow(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    word = value if isinstance(value, str) else json.dumps(value)
    return f'"{word}"' if word.startswith("+") or "{" in word else word


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
