"""One run of one target, guided by coverage: atheris in a process of its own, which the runner starts.

An input that breaks the contract is written down, and the run goes on.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import pkgutil
import sys

__all__ = ["run"]

_SLOWER = 5
"""How much more processor time the counting of branches may take."""
_LONGEST = 1 << 16
_OTHER_FACES = ("offload_tool.scons", "offload_tool.__main__", "offload_tool.actions.inspection.cluster")


def run(name: str, seconds: int, seeds: str, corpus: str, found: str) -> None:
    """Fuzzes until the time is over, then ends the process."""
    import atheris

    with atheris.instrument_imports(include=["offload_tool"]):
        _load()
    from .contract import CPU_SECONDS, breach_of
    from .targets import TARGETS

    check = TARGETS[name].check

    def look(data: bytes) -> None:
        breach = breach_of(check, data, cpu_seconds=CPU_SECONDS * _SLOWER)
        if breach is not None:
            _write(os.path.join(found, f"{name}-{breach.kind}"), data)

    options = [
        f"-max_total_time={seconds}", f"-max_len={_LONGEST}", "-timeout=60", "-rss_limit_mb=2048",
        f"-artifact_prefix={os.path.join(found, name)}-", "-print_final_stats=1",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, corpus, seeds], look)
    atheris.Fuzz()


def _load() -> None:
    """Every module that a reader may load later on, so that its branches are counted."""
    import offload_tool

    for module in pkgutil.walk_packages(offload_tool.__path__, "offload_tool."):
        if not module.name.startswith(_OTHER_FACES):
            importlib.import_module(module.name)


def _write(path: str, data: bytes) -> None:
    """The smallest input of each kind is kept."""
    if not os.path.exists(path) or os.path.getsize(path) > len(data):
        new = f"{path}.{hashlib.sha256(data).hexdigest()[:8]}.new"
        with open(new, "wb") as file:
            file.write(data)
        os.replace(new, path)


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]), *sys.argv[3:6])
