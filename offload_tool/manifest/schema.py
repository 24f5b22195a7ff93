"""The JSON schema of manifests, shipped beside this module for editors."""

from __future__ import annotations

import os

__all__ = ["schema_text"]


def schema_text() -> str:
    """The schema as JSON text."""
    with open(os.path.join(os.path.dirname(__file__), "manifest.schema.json"), encoding="utf-8") as file:
        return file.read()
