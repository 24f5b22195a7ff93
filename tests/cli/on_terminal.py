"""The command line as a person sees it: a child whose streams are a terminal of a given width."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType


def shown(
    command: Sequence[str | Path],
    *,
    columns: int = 80,
    cwd: Path | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Everything that a command writes to the terminal, with its control sequences."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    settled = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    with subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=cwd,
        env={**settled, "TERM": "xterm", **environment},
    ):  # fmt: skip
        os.close(theirs)
        written = bytearray()
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # so Linux tells the end of a terminal
                break
            if not part:
                break
            written += part
    os.close(ours)
    return written.decode().replace("\r\n", "\n")
