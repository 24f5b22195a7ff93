"""Trees with device code for tests, and the command line over them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from ..cli.running import Result, caller
from ..peers import ROOT

__all__ = ["GPU", "Result", "caller", "lines", "small_tree"]

GPU = ROOT / "tests" / "data" / "gpu"


def small_tree(folder: Path) -> Path:
    """Two files with device code, a damaged one in a folder between them, and others of no interest."""
    tree = folder / "tree"
    (tree / "lib").mkdir(parents=True)
    shutil.copy(GPU / "cubin_sm_80.cubin", tree / "app.bin")
    shutil.copy(GPU / "bad_ccob_v3_truncated.hipfb", tree / "lib" / "bad.hipfb")
    shutil.copy(GPU / "libcuda_two_lld.so", tree / "libtwo.so")
    (tree / "lib" / "notes.txt").write_text("sm_80 is not device code\n")
    (tree / "main.c").write_text("int main(void) { return 0; }\n")
    return tree


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
