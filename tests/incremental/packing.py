"""Images in a folder and incremental packs of them, each held against a full pack."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from offload_tool.actions.pack import Packed, PackOptions, pack
from offload_tool.model import Image, OffloadKind

INCREMENTAL = PackOptions(toolchain="llvm-22", incremental=True, explain=True)


@dataclass
class Packing:
    """``images`` in order, all of files in ``folder``; ``out`` is the output, ``record`` lies beside it."""

    folder: Path
    images: list[Image] = field(default_factory=list)
    options: PackOptions = INCREMENTAL

    @property
    def out(self) -> Path:
        return self.folder / "out.bin"

    @property
    def record(self) -> Path:
        return self.folder / ".out.bin.offload-record"

    @property
    def part(self) -> Path:
        return self.folder / ".out.bin.offload-part"

    def write(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def add(self, name: str, content: bytes, *, arch: str = "sm_90", kind: OffloadKind = OffloadKind.CUDA) -> None:
        self.images.append(Image(file=str(self.write(name, content)), triple="t", arch=arch, kind=kind))

    def pack(self, **options: object) -> Packed:
        return pack(str(self.out), None, replace(self.options, **options), images=self.images)  # type: ignore[arg-type]

    def full(self) -> bytes:
        """The bytes that a full pack gives."""
        reference = self.folder / "reference"
        pack(str(reference), None, replace(self.options, incremental=False), images=self.images)
        return reference.read_bytes()

    def agrees(self, **options: object) -> Packed:
        """Packs, and holds the output against a full pack."""
        packed = self.pack(**options)
        assert self.out.read_bytes() == self.full()
        return packed

    def names(self) -> list[str]:
        return sorted(os.listdir(self.folder))


def written_bytes() -> int:
    """Bytes that this process has handed to the system to write, whichever call it used."""
    text = Path("/proc/self/io").read_text(encoding="ascii")
    return int(dict(line.split(": ") for line in text.splitlines())["wchar"])
