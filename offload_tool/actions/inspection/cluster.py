"""Workers that are those of a Dask cluster, which see the files under the same paths."""

from __future__ import annotations

import logging
import os
import re
from concurrent.futures import CancelledError
from typing import Any

from ...errors import OffloadError, UsageError
from ...frozen import replace
from .work import FileRows, Job, rows_of, unread

__all__ = ["Cluster", "rows_at_worker"]

_ADDRESS = re.compile(r"(?:tcp|tls)://.+:[0-9]+")
_PATIENCE = "10s"
_FILES_AHEAD = 4
_LEAST_AHEAD = 64


class Cluster:
    """The workers of the scheduler at ``address``, such as ``tcp://host:8786``.

    Raises UsageError for what is no address, OffloadError where the package ``distributed`` is missing, nobody answers,
    or no worker is there.
    """

    def __init__(self, address: str) -> None:
        if not _ADDRESS.fullmatch(address):
            raise UsageError(f"scheduler {address!r} is no address; expected tcp://HOST:PORT")
        try:
            from distributed import Client, KilledWorker
        except ImportError as error:
            text = f"--scheduler needs the package distributed: pip install 'offload-tool[cluster]' ({error})"
            raise OffloadError(text) from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # its faults are told here, in one line
        self._address = address
        self._killed: type[Exception] = KilledWorker
        connected: Any = Client
        try:
            self._client = connected(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise OffloadError(f"scheduler {address!r} does not answer: {error}") from None
        threads = sum(self._client.nthreads().values())
        if not threads:
            self._client.close()
            raise OffloadError(f"scheduler {address!r} has no workers; start some first")
        self.window = max(threads * _FILES_AHEAD, _LEAST_AHEAD)

    def submit(self, job: Job) -> Any:
        """A future of the job's rows; the workers' working directory may be another, so they get the whole path."""
        path = os.path.join(os.getcwd(), job.request.path)
        job = replace(job, request=replace(job.request, path=path))
        return self._client.submit(rows_at_worker, job, pure=False)

    def result(self, job: Job, future: Any) -> FileRows:
        """The rows, once they are there; raises OffloadError where the whole cluster is lost.

        With a worker the scheduler gives up every file that waits there.  So such a file is tried once more, when those
        before it are done.
        """
        try:
            return self._result(job, future)
        except self._killed:
            pass
        try:
            return self._result(job, self.submit(job))
        except self._killed:
            return unread(job, "worker-died", f"{job.name!r}: every worker that inspected it ended before it was done")

    def _result(self, job: Job, future: Any) -> FileRows:
        try:
            rows: FileRows = future.result()
        except self._killed:
            raise
        except (CancelledError, OSError, TimeoutError) as error:
            raise OffloadError(f"scheduler {self._address!r} was lost: {error or type(error).__name__}") from None
        except Exception as error:  # noqa: BLE001 - what a worker lacks is told for each file that it was given
            return unread(job, "failed", f"{job.name!r}: a worker of the cluster could not inspect it: {error}")
        return rows

    def close(self) -> None:
        """Leaves the cluster, which goes on."""
        self._client.close()


def rows_at_worker(job: Job) -> FileRows:
    """The work of one file, at a worker of a cluster."""
    from distributed import get_worker

    return rows_of(job, f" (at worker {get_worker().address})")
