"""A pack in a child process that is killed at its n-th call to the system, half-way through what it writes there."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable
from typing import Any

from .packing import Packing

CALLS = ("rename", "replace", "unlink", "fsync", "ftruncate", "write", "pwrite", "copy_file_range", "utime")
NOT_KILLED = 7


def pack_in_child(packing: Packing, *, kill_at: int) -> bool:
    """Whether the child was killed; it was not if it made fewer calls than ``kill_at``, which counts from 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fork where there are threads; the child needs none of them
        child = os.fork()
    if child == 0:
        _pack_and_end(packing, kill_at)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == NOT_KILLED, "the pack itself failed"
    return False


def _pack_and_end(packing: Packing, kill_at: int) -> None:
    """In the child: nothing of the test run may be run a second time, whatever happens."""
    try:
        calls = _Calls(kill_at)
        for name in CALLS:
            setattr(os, name, calls.wrapped(name, getattr(os, name)))
        packing.pack()
        os._exit(NOT_KILLED)
    finally:
        os._exit(1)


class _Calls:
    """Counts calls and ends the process at one of them."""

    def __init__(self, kill_at: int) -> None:
        self.left = kill_at

    def wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **keywords: Any) -> Any:
            if self.left == 0:
                self._half(name, call, arguments)
                os.kill(os.getpid(), signal.SIGKILL)
            self.left -= 1
            return call(*arguments, **keywords)

        return counted

    @staticmethod
    def _half(name: str, call: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        if name in ("write", "pwrite"):
            call(arguments[0], arguments[1][: len(arguments[1]) // 2], *arguments[2:])
        elif name == "copy_file_range":
            call(arguments[0], arguments[1], arguments[2] // 2, *arguments[3:])
