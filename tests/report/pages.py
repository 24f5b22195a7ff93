"""Pages of reports, and what stands in them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from offload_tool.actions.reporting.page import write_report

from ..peers import ROOT

GPU = ROOT / "tests" / "data" / "gpu"
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def report(folder: Path, *names: str | Path) -> Path:
    """A page on files of the corpus, or on others that have a path."""
    page = folder / "report.html"
    write_report([str(GPU / name) for name in names], str(page))
    return page


def data_text(page: Path) -> str:
    (found,) = DATA.findall(page.read_text(encoding="ascii"))
    return str(found)


def data_of(page: Path) -> Any:
    return json.loads(data_text(page))


def texts(model: Any, numbers: list[int | None]) -> list[str | None]:
    return [None if number is None else model["strings"][number] for number in numbers]


def archive(path: Path, *members: tuple[str, str]) -> Path:
    """An archive of files of the corpus under other names; a name may be any that fits an archive's name table."""
    names = b"".join(name.encode("utf-8") + b"/\n" for name, _ in members)
    names += b"\n" * (len(names) % 2)
    content = b"!<arch>\n" + _header(b"//", len(names)) + names
    offset = 0
    for name, file in members:
        held = (GPU / file).read_bytes()
        content += _header(b"/%d" % offset, len(held)) + held + b"\n" * (len(held) % 2)
        offset += len(name.encode("utf-8")) + 2
    path.write_bytes(content)
    return path


def _header(name: bytes, size: int) -> bytes:
    return b"%-16s%-12d%-6d%-6d%-8d%-10d`\n" % (name, 0, 0, 0, 0, size)


def copy(name: str, path: Path) -> Path:
    shutil.copyfile(GPU / name, path)
    return path
