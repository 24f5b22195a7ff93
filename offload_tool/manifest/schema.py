"""The JSON schema of manifests, for editors; it is made of the table of keys, and lies beside this module as a file.

Draft 7, since that is what yaml-language-server reads best, and without references: beside those draft 7 knows no
descriptions.
"""

from __future__ import annotations

import json
from typing import Any

from .keys import KEYS, Key

__all__ = ["schema", "schema_text"]

_FROM_DEFAULTS = ("triple", "kind")


def schema() -> dict[str, Any]:
    """The schema as plain values.

    What it cannot say is left to the loader: placeholders, equal images, bindings, repeated keys, other files.
    """
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "offload_tool manifest",
        "description": "Device images that are packed into one offload binary. Scalars are text as written.",
        **_mapping("document"),
        "anyOf": [{"required": ["images"]}, {"required": ["include"]}],
        "allOf": [_given_by_defaults(name) for name in _FROM_DEFAULTS],
    }


def schema_text() -> str:
    """The schema as JSON text, with a line break at its end."""
    return json.dumps(schema(), indent=2) + "\n"


def _mapping(place: str) -> dict[str, Any]:
    keys = KEYS[place]
    required = [key.name for key in keys if key.required == "always"]
    alternatives = [{"required": [key.name]} for key in keys if key.required.startswith("this or ")]
    return {
        "type": "object",
        "additionalProperties": False,
        **({"required": required} if required else {}),
        **({"oneOf": alternatives} if alternatives else {}),
        **({"minProperties": 1} if all(key.required.startswith("at least") for key in keys) else {}),
        "properties": {key.name: _property(key) for key in keys},
    }


def _property(key: Key) -> dict[str, Any]:
    value = dict(key.form.schema) if not key.form.keys else _mapping(key.form.keys)
    if key.form.is_list:
        value = {"type": "array", "items": value}
    return {"description": key.meaning, **value, "examples": [key.example]}


def _given_by_defaults(name: str) -> dict[str, Any]:
    """An image must have the key unless ``defaults`` does."""
    return {
        "if": {"required": ["defaults"], "properties": {"defaults": {"required": [name]}}},
        "else": {"properties": {"images": {"items": {"required": [name]}}}},
    }
