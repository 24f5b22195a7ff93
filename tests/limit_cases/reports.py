"""What a report lists at most."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from offload_tool.actions.reporting.page import report_model
from offload_tool.actions.reporting.reading import read

from .case import GPU, Case

BEFORE, AFTER = "fatbin_none.fatbin", "fatbin_lz4_all.fatbin"
OTHER = "host_nvcc.o"


def model(*names: str) -> Any:
    return report_model([read(str(GPU / name)) for name in names])


def listed(table: str, column: str) -> str:
    return f"{len(model(BEFORE)['files'][0][table][column])} listed"


def compared(rows: str, *names: str) -> str:
    return f"{len(model(*names)['comparison'][rows])} compared"


def tried(_folder: Path) -> str:
    compression = model(BEFORE)["files"][0]["compression"]
    return f"tried {sum(compression['decoded'])} bytes"


CASES: dict[str, list[Case]] = {
    "REPORT_OBJECTS": [
        Case(
            module="actions.reporting.model", lowered=1, told="1 listed", feed=lambda _: listed("objects", "id"),
        ),
        Case(
            module="actions.reporting.comparison", lowered=1, told="1 compared",
            feed=lambda _: compared("images", BEFORE, OTHER),
        ),
    ],
    "REPORT_KERNELS": [
        Case(
            module="actions.reporting.model", lowered=1, told="1 listed", feed=lambda _: listed("kernels", "name"),
        ),
        Case(
            module="actions.reporting.comparison", lowered=1, told="1 compared",
            feed=lambda _: compared("kernels", "co_v3_gfx90a_opencl.co", "co_v6_gfx90a.co"),
        ),
    ],
    "REPORT_STRING_BYTES": [
        Case(
            module="actions.reporting.strings", lowered=10, told="strings: 1",
            feed=lambda _: f"strings: {len(model(BEFORE)['strings'])}",
        )
    ],
    "REPORT_TRIED_BYTES": [
        Case(module="actions.reporting.trying", lowered=0, told="tried 0 bytes", feed=tried),
    ],
}  # fmt: skip
