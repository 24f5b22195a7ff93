"""The inputs of the benchmarks: images, manifests, command words, and scripts that start our commands."""

from __future__ import annotations

import json
import os
import random
import stat
import sys
from collections.abc import Callable, Iterator, Sequence

from .case import OURS, Contender, Missing
from .tools import found

__all__ = [
    "TRIPLE",
    "arch",
    "console_script",
    "contender",
    "fresh",
    "image_words",
    "images",
    "manifest",
    "response_file",
]

TRIPLE = "nvptx64-nvidia-cuda"
_MIB = 1 << 20
_SCRIPT = """\
#!{python}
import sys
from offload_tool.cli.{module} import console
if __name__ == '__main__':
    sys.argv[0] = sys.argv[0].removesuffix('.exe')
    sys.exit(console())
"""


def console_script(folder: str, name: str, module: str) -> str:
    """A script as pip writes one for an entry point ``offload_tool.cli.MODULE:console``, called ``name``."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(_SCRIPT.format(python=sys.executable, module=module))
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def images(folder: str, count: int, size: int) -> list[str]:
    """Writes ``count`` images of ``size`` bytes, no two alike; gives their names, relative to ``folder``."""
    names = [f"image_{number}.bin" for number in range(count)]
    block = random.Random(7).randbytes(min(size, _MIB))
    for number, name in enumerate(names):
        with open(os.path.join(folder, name), "wb") as file:
            file.writelines(_parts(number, size, block))
    return names


def _parts(number: int, size: int, block: bytes) -> Iterator[bytes]:
    head = b"\0" + number.to_bytes(8, "little")
    for start in range(0, size, _MIB):
        yield (head + block)[: min(_MIB, size - start)]


def arch(number: int) -> str:
    """The architecture of an image: each has another, so that one can be selected."""
    return f"sm_{number}"


def image_words(names: Sequence[str]) -> list[str]:
    """The images as options of the drop-in and of LLVM's tool."""
    return [f"--image=file={name},triple={TRIPLE},arch={arch(number)},kind=cuda" for number, name in enumerate(names)]


def response_file(folder: str, names: Sequence[str]) -> str:
    """The same in a file, as the word that names it on a command line."""
    path = os.path.join(folder, "words.rsp")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(image_words(names)))
    return f"@{path}"


def manifest(path: str, names: Sequence[str]) -> str:
    """The same as a YAML manifest, as a person would write it; gives ``path``."""
    lines = ["schema: 1", "toolchain: llvm-22", f"defaults: {{triple: {TRIPLE}, kind: cuda}}", "images:"]
    lines += [f"  - {{file: {json.dumps(name)}, arch: {arch(number)}}}" for number, name in enumerate(names)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def contender(
    name: str, program: str, words: Sequence[str], before: Callable[[], None] | None = None
) -> Contender | Missing:
    """A peer that runs ``program``, or what to install for it; ours is run by a script that is always there."""
    path = program if name == OURS else found(program)
    if isinstance(path, Missing):
        return Missing(name=name, advice=path.advice)
    if before is None:
        return Contender(name=name, command=(path, *words))
    return Contender(name=name, command=(path, *words), before=before)


def fresh(output: str) -> Callable[[], None]:
    """Removes ``output`` before a run, and waits until the disk has what the run before wrote."""

    def act() -> None:
        if os.path.exists(output):
            os.unlink(output)
        os.sync()

    return act
