"""A command that is interrupted as soon as it says something, as at a terminal: all of its processes are."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence

__all__ = ["interrupted"]


def interrupted(words: Sequence[str], stdin: int | None = None) -> tuple[int, bytes]:
    """Exit status and complaints; ``stdin`` may be a pipe, which says nothing."""
    # A shell starts its background jobs with the signal ignored, and what they start ignores it, too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=stdin, stdout=pipe, stderr=pipe, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate()
    signal.signal(signal.SIGINT, before)
    return process.returncode, told
