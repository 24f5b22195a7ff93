"""Command lines with one fault each, and what they came to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from errno import EXDEV
from pathlib import Path
from typing import Any

from ..peers import ROOT, peer, run

SHIM = Path(__file__).parent / "shim.c"
KERNEL_COPIES = ("copy_file_range", "sendfile")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What happens at call number ``at``, from 0, of a kind (None: of any).

    ``action`` is ``kill`` (bytes that the call moves are half moved then), ``stop``, ``fail`` with the number
    ``error``, or ``short``; ``always`` means every later call, too.  Calls of the kinds in ``refused`` fail with EXDEV.
    """

    action: str = "nothing"
    call: str | None = None
    at: int = 0
    error: int = 0
    always: bool = False
    refused: Sequence[str] = ()


NO_FAULT = Fault()


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a command ended: its exit status, negative for a signal, None while it is stopped; calls by kind."""

    pid: int
    status: int | None
    out: str
    err: str
    counts: dict[str, int] = field(repr=False)

    @property
    def calls(self) -> int:
        return sum(self.counts.values())


class Injector:
    """Runs command lines under faults; calls on files below ``folder`` count, and temporary files lie there too."""

    def __init__(self, shim: Path, folder: Path) -> None:
        self.folder = folder
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.serving"],
            cwd=ROOT,
            env={**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        ready = self._answer()
        if ready != {"ready": True}:
            self.close()
            raise AssertionError(f"the server of commands says {ready}")

    def __call__(
        self,
        *words: str | Path,
        fault: Fault = NO_FAULT,
        folder: Path | None = None,
        uid: int | None = None,
        file_size: int | None = None,
        environment: dict[str, str] | None = None,
    ) -> Ended:
        """Runs ``offload-tool`` with ``words`` (or the drop-in, if the first word is its name)."""
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        return self._asked({
            "words": [str(word) for word in words], "folder": str(folder or self.folder), "under": str(self.folder),
            "action": fault.action, "call": fault.call, "at": fault.at, "error": fault.error, "always": fault.always,
            "refused": list(fault.refused), "refusal": EXDEV, "uid": uid, "file_size": file_size,
            "environment": {"TMPDIR": str(temporary), **(environment or {})},
        })  # fmt: skip

    def resume(self, ended: Ended) -> Ended:
        """Lets a stopped command go on."""
        return self._asked({"pid": ended.pid})

    def close(self) -> None:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()

    def _asked(self, request: dict[str, object]) -> Ended:
        assert self._server.stdin is not None
        print(json.dumps(request), file=self._server.stdin, flush=True)
        return Ended(**self._answer())

    def _answer(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        answer: dict[str, Any] = json.loads(self._server.stdout.readline() or "{}")
        return answer


def faults_told(err: str) -> int:
    """How many faults were told, a line each; what a manifest says at their places may stand below."""
    return sum("error: " in line for line in err.splitlines())


def compiled_shim(folder: Path) -> Path:
    """The shim as a library in ``folder``."""
    path = folder / "shim.so"
    run([peer("gcc"), "-std=gnu11", "-O1", "-w", "-shared", "-fPIC", SHIM, "-o", path, "-ldl"])
    return path
