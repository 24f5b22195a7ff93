"""Every message that the page on troubles is ordered by is one that the code can say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..peers import ROOT

PAGE = ROOT / "docs" / "troubleshooting.md"
OF_OTHERS = {'Could not find a package configuration file provided by "OffloadTool"', "No module named 'offload_tool'"}


def _texts() -> Iterator[str]:
    """The constant texts in the code, those of one formatted text joined."""
    for file in (ROOT / "offload_tool").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield "\0".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    for file in (ROOT / "cmake").glob("*.cmake"):
        yield file.read_text(encoding="utf-8")


def test_messages_are_those_of_the_code() -> None:
    headings = re.findall(r"^### (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    messages = {message for heading in headings for message in re.findall("`([^`]+)`", heading)} - OF_OTHERS
    pieces = [piece.strip() for message in messages for piece in message.split("...")]
    said = "\1".join(_texts())
    missing = [piece for piece in pieces if piece not in said]
    assert len(messages) > 20
    assert missing == []
