"""A report as one page: the template, the style sheet and the scripts beside this module, and the data.

Nothing out of a file becomes markup or script: it stands in a data block, in which JSON's own escapes keep every
character away that could end it, and the scripts show it as text.  The page's policy allows its own style sheet and
script by their SHA-256 and nothing else, so that no address is ever asked for anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import UsageError
from ...version import __version__
from ..copying import write_all
from ..diff import difference
from ..output import check_output, written
from .comparison import comparison_model
from .model import file_model
from .reading import Reading, read
from .strings import Strings

__all__ = ["page", "report_model", "write_report"]

_STYLES = ("page.css", "parts.css")
_SCRIPTS = ("words.js", "squarify.js", "treemap.js", "table.js", "columns.js", "sections.js", "main.js")
_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def write_report(paths: Sequence[str], output: str) -> dict[str, Any]:
    """Writes the report on one file, or on how the second of two differs from the first; gives the data of the page.

    The same files give the same page.  Raises OffloadError where a file cannot be read or the output cannot be written.
    """
    if not 1 <= len(paths) <= 2:
        raise UsageError(f"a report is on one file or on two, not on {len(paths)}")
    check_output(output)
    model = report_model([read(path) for path in paths])
    text = page(model)
    with written(output) as descriptor:
        write_all(descriptor, text)
    return model


def report_model(readings: Sequence[Reading]) -> dict[str, Any]:
    """The data of a page on files that were read, one or two."""
    strings = Strings()
    files = [file_model(reading, strings) for reading in readings]
    compared = None
    if len(readings) == 2:
        compared = comparison_model(difference(readings[0].inspection, readings[1].inspection), strings)
    return {"tool": __version__, "files": files, "comparison": compared, "strings": strings.texts}


def page(model: Mapping[str, Any]) -> bytes:
    """The page that shows a model."""
    style, script = "".join(map(_asset, _STYLES)), '"use strict";\n' + "".join(map(_asset, _SCRIPTS))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    text = _asset("page.html")
    # The data comes last: what it holds is never taken for a mark of the template.
    for mark, value in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script), ("DATA", _data(model))):
        before, found, after = text.partition(f"@{mark}@")
        assert found, mark
        text = before + value + after
    return text.encode("ascii")


def _data(model: Mapping[str, Any]) -> str:
    r"""JSON in ASCII, without a character that means something to HTML.

    >>> _data({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    return json.dumps(model, ensure_ascii=True, separators=(",", ":"), allow_nan=False).translate(_UNSAFE)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")


def _asset(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="ascii") as file:
        return file.read()
