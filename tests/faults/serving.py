"""Runs the command line in forks of itself, each with a fault armed; started with the shim before the C library.

One JSON document a line comes in, one goes out.  A fork costs milliseconds where a new interpreter costs a tenth of a
second, and nothing but the command itself makes calls that count.
"""

from __future__ import annotations

import ctypes
import json
import os
import pkgutil
import resource
import sys
import traceback
from importlib import import_module
from typing import Any

CALLS = (
    "open", "read", "pread", "write", "pwrite", "copy_file_range", "sendfile", "fsync", "rename", "unlink", "ftruncate",
    "close", "flock",
)  # fmt: skip
"""The shim's calls in its order."""
ACTIONS = ("nothing", "kill", "stop", "fail", "short")
"""Its actions in its order."""
ANY = -1

_BUSY: dict[int, tuple[int, ...]] = {}
"""Running children and where their stdout and stderr go."""


def main() -> None:
    load_everything()
    shim = ctypes.CDLL(None)
    shim.fault_count.restype = ctypes.c_long
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        pid = _started(shim, request) if "words" in request else _resumed(request["pid"])
        print(json.dumps(_waited(shim, pid)), flush=True)


def load_everything() -> None:
    import offload_tool
    from offload_tool.deps.packager import packager_state

    for module in pkgutil.walk_packages(offload_tool.__path__, "offload_tool."):
        if ".scons" not in module.name and not module.name.endswith("__main__"):
            import_module(module.name)
    for name in ("filecmp", "json", "shutil", "subprocess", "tempfile", "yaml", "zlib", "zstandard"):
        import_module(name)
    packager_state()


def _started(shim: ctypes.CDLL, request: dict[str, Any]) -> int:
    reading, writing = zip(os.pipe(), os.pipe(), strict=True)  # pipes: a limit of file sizes does not hold for them
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, stream in enumerate(writing, start=1):
            os.dup2(stream, number)
        os._exit(_run(shim, request))
    for stream in writing:
        os.close(stream)
    _BUSY[pid] = reading
    return pid


def _run(shim: ctypes.CDLL, request: dict[str, Any]) -> int:
    """The status of the command line; a traceback goes to stderr, where no test wants one."""
    from offload_tool.cli.main import main as offload_tool
    from offload_tool.cli.offload_binary import main as offload_binary

    program = offload_binary if "offload-binary" in request["words"][0] else offload_tool
    try:
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        if request["file_size"] is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_size"],) * 2)
        if request["uid"] is not None:
            os.setgroups([])
            os.setgid(request["uid"])
            os.setuid(request["uid"])
        for call in request["refused"]:
            shim.fault_refuse(CALLS.index(call), ctypes.c_int(request["refusal"]))
        call = ANY if request["call"] is None else CALLS.index(request["call"])
        shim.fault_arm(
            request["under"].encode(), call, ctypes.c_long(request["at"]), ACTIONS.index(request["action"]),
            request["error"], request["always"],
        )  # fmt: skip
        status = program(request["words"])
        sys.stdout.flush()
    except SystemExit as ending:
        status = int(ending.code or 0)
    except BaseException:  # noqa: BLE001  # a fork must never go on as the server
        traceback.print_exc()
        sys.stderr.flush()
        return 99
    return status


def _resumed(pid: int) -> int:
    import signal

    os.kill(pid, signal.SIGCONT)
    return pid


def _waited(shim: ctypes.CDLL, pid: int) -> dict[str, Any]:
    _, status = os.waitpid(pid, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        return {"pid": pid, "status": None, "out": "", "err": "", "counts": {}}
    texts = []
    for stream in _BUSY.pop(pid):
        texts.append(os.read(stream, 1 << 16).decode("utf-8", "replace"))
        os.close(stream)
    return {
        "pid": pid, "status": os.waitstatus_to_exitcode(status), "out": texts[0], "err": texts[1],
        "counts": {name: shim.fault_count(number) for number, name in enumerate(CALLS)},
    }  # fmt: skip


if __name__ == "__main__":
    main()
