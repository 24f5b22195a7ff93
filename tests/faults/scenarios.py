"""Every way to write an output, each over an old output whose inputs have changed since."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from offload_tool.cli.main import main

from ..peers import peer, run

RECORD = ".out.offload-record"
Words = list[str]
MANY = 120


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """``old`` leaves inputs and an old output in a folder, ``edit`` changes inputs, ``words`` make the new output.

    ``may_vanish`` is the one exception: the old output may be lost.  ``kills`` is how many of 200 are its share, and
    ``is_slow`` tells of programs that are run within.
    """

    old: Callable[[Path], None]
    edit: Callable[[Path], None]
    words: Callable[[Path], Words]
    may_vanish: bool = False
    kills: int = 14
    is_slow: bool = False

    def prepare(self, folder: Path) -> Words:
        """A folder in which the words given would change an old output into a new one."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.old(folder)
        words = self.words(folder)
        assert main(words) == 0
        self.edit(folder)
        return words


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes; of a record only that it is there: it holds times."""
    return {
        str(path.relative_to(folder)): b"" if path.name == RECORD else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _images(folder: Path) -> None:
    for letter in "abc":
        (folder / letter).write_bytes(letter.encode() * 3000)
    images = [{"file": letter, "triple": "t", "kind": "cuda", "arch": f"sm_{letter}"} for letter in "abc"]
    document = {"schema": 1, "toolchain": "llvm-24", "format_version": 1, "images": images}
    (folder / "m.yaml").write_text(json.dumps(document), encoding="utf-8")


def _many(folder: Path) -> None:
    """So many that small ones are read whole instead of copied."""
    names = [f"k{number}" for number in range(MANY)]
    for name in names:
        (folder / name).write_bytes(name.encode() * 10)
    images = [{"file": name, "triple": "t", "kind": "cuda", "arch": name} for name in names]
    (folder / "m.yaml").write_text(
        json.dumps({"schema": 1, "toolchain": "llvm-22", "images": images}), encoding="utf-8"
    )


def _one_of_many(folder: Path) -> None:
    (folder / "k77").write_bytes(b"K" * 30)


def _same_size(folder: Path) -> None:
    (folder / "b").write_bytes(b"B" * 3000)


def _grown(folder: Path) -> None:
    (folder / "b").write_bytes(b"B" * 5000)


def _packing(*more: str) -> Callable[[Path], Words]:
    return lambda folder: ["pack", str(folder / "m.yaml"), "-o", str(folder / "out"), *more]


def _with_depfile(folder: Path) -> Words:
    return [*_packing()(folder), "--depfile", str(folder / "out.d")]


def _packed(folder: Path) -> None:
    _images(folder)
    (folder / "dir").mkdir()
    assert main([*_packing()(folder)[:-1], str(folder / "fat")]) == 0


def _packed_anew(folder: Path) -> None:
    _same_size(folder)
    assert main([*_packing()(folder)[:-1], str(folder / "fat")]) == 0


def _extracting(*more: str) -> Callable[[Path], Words]:
    return lambda folder: ["extract", str(folder / "fat"), *(word.replace("DIR", str(folder)) for word in more)]


def _host(folder: Path) -> None:
    _packed(folder)
    (folder / "host.c").write_text("int host;\n", encoding="utf-8")
    _host_with_images(folder)


def _host_with_images(folder: Path) -> None:
    run([peer("gcc"), "-c", "host.c", "-o", "host.o"], cwd=folder)
    run([peer("objcopy"), "--add-section=.llvm.offloading=fat", "host.o"], cwd=folder)


def _host_anew(folder: Path) -> None:
    _packed_anew(folder)
    (folder / "host.c").write_text("int other;\n", encoding="utf-8")
    _host_with_images(folder)


def _stripping(folder: Path) -> Words:
    words = ["--strip", str(folder / "out"), "--index", "1", "-o", str(folder / "image")]
    return ["extract", str(folder / "host.o"), *words]


def _embedding(mode: str) -> Callable[[Path], Words]:
    return lambda folder: ["embed", str(folder / "fat"), "-o", str(folder / "out"), "--mode", mode, "--cc", peer("gcc")]


def _exporting(folder: Path) -> Words:
    return ["export", str(folder / "m.yaml"), "-d", str(folder / "dir")]


def _pack(edit: Callable[[Path], None], words: Callable[[Path], Words], *, may_vanish: bool = False) -> Scenario:
    return Scenario(old=_images, edit=edit, words=words, may_vanish=may_vanish)


def _extract(*more: str) -> Scenario:
    return Scenario(old=_packed, edit=_packed_anew, words=_extracting(*more))


SCENARIOS = {
    "pack": _pack(_same_size, _with_depfile),
    "pack many": Scenario(old=_many, edit=_one_of_many, words=_packing(), kills=12),
    "pack if changed": _pack(_grown, _packing("--write-if-changed")),
    "pack zstd": _pack(_grown, _packing("--format-version", "3", "--compress", "zstd")),
    "pack archive": _pack(_grown, _packing("--archive")),
    "incremental": _pack(_same_size, _packing("--incremental"), may_vanish=True),
    "incremental grown": _pack(_grown, _packing("--incremental"), may_vanish=True),
    "incremental if changed": _pack(_grown, _packing("--incremental", "--write-if-changed"), may_vanish=True),
    "extract": _extract("--index", "1", "-o", "DIR/out"),
    "extract to folder": _extract("-d", "DIR/dir"),
    "extract to archive": _extract("--archive", "-o", "DIR/out"),
    "extract and strip": Scenario(old=_host, edit=_host_anew, words=_stripping, kills=12, is_slow=True),
    "embed keep": Scenario(old=_packed, edit=_packed_anew, words=_embedding("keep"), kills=12, is_slow=True),
    "export": Scenario(old=_packed, edit=_same_size, words=_exporting, kills=24),
}
assert sum(scenario.kills for scenario in SCENARIOS.values()) == 200
