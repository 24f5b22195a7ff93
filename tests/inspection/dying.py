"""Work that kills the process that does it."""

from __future__ import annotations

import os
import signal

from offload_tool.actions.inspection.work import FileRows, Job, rows_of


def rows_or_death(job: Job) -> FileRows:
    """The rows of a file; whoever inspects one that is called deadly is killed."""
    if "deadly" in job.name:
        os.kill(os.getpid(), signal.SIGKILL)
    return rows_of(job)
