"""docs/limits.md out of offload_tool/limits.py: ``python -m tests.limit_cases.document >docs/limits.md``."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from itertools import pairwise

from offload_tool import limits

from ..peers import ROOT

HEAD = """\
# Limits

What a file may ask for at most. A limit is met before a loop is entered or memory is taken; what is above it is a fault
of that file, told with the number. They stand in `offload_tool/limits.py`, and this table is made of it. Each has a
test that lowers it and sees the same file refused.

| limit | value | meaning |
|---|---|---|
"""
UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


def document() -> str:
    rows = (f"| `{name}` | {shown(name)} | {meaning} |\n" for name, meaning in meanings())
    return HEAD + "".join(rows)


def meanings() -> Iterator[tuple[str, str]]:
    """Each limit with its docstring, in the order of the file."""
    tree = ast.parse((ROOT / "offload_tool" / "limits.py").read_text(encoding="utf-8"))
    for node, after in pairwise(tree.body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(after, ast.Expr):
            text = ast.literal_eval(after.value)
            yield node.targets[0].id, " ".join(text.replace("``", "`").split())


def shown(name: str) -> str:
    value: int = getattr(limits, name)
    if name.endswith("BYTES"):
        for unit, size in UNITS:
            if value % size == 0:
                return f"{value // size} {unit}"
    return f"{value:,}"


if __name__ == "__main__":
    sys.stdout.write(document())
