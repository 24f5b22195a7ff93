"""Hosts made by real tools around a fat binary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..peers import offload_tool_command, peer, run

Words = Sequence["str | Path"]
Host = tuple[Path, int]
"""A host file, and how often it holds the fat binary."""

STUB = """\
__asm__(".section .llvm.offloading,\\"dr\\"\\n.p2align 3\\n.incbin \\"fat.bin\\"\\n");
int exported(void) { return 1; }
"""


def _tool(folder: Path, program: str, *words: str | Path) -> None:
    run([peer(program), *words], cwd=folder)


def _source(folder: Path, name: str = "host.c", text: str = "int host(void) { return 1; }\n") -> str:
    (folder / name).write_text(text)
    return name


def alone(folder: Path) -> Host:
    return folder / "fat.bin", 1


def concatenated(folder: Path) -> Host:
    (folder / "two.bin").write_bytes((folder / "fat.bin").read_bytes() * 2)
    return folder / "two.bin", 2


def padded(folder: Path) -> Host:
    content = (folder / "fat.bin").read_bytes()
    (folder / "padded.bin").write_bytes(content + bytes(4096) + content + bytes(24))
    return folder / "padded.bin", 2


def elf_object(folder: Path) -> Host:
    run([*offload_tool_command(), "embed", "fat.bin", "-o", "host.o", "--mode", "keep"], cwd=folder)
    return folder / "host.o", 1


def clang_object(folder: Path, name: str = "clang.o") -> Host:
    _tool(folder, "clang-22", "-c", _source(folder), "-Xclang", "-fembed-offload-object=fat.bin", "-o", name)
    return folder / name, 1


def merged(folder: Path) -> Host:
    clang_object(folder, "one.o")
    _tool(folder, "clang-22", "-c", _source(folder, "b.c", "int b;\n"), "-Xclang",
          "-fembed-offload-object=fat.bin", "-o", "two.o")  # fmt: skip
    _tool(folder, "ld", "-r", "one.o", "two.o", "-o", "merged.o")
    return folder / "merged.o", 2


def progbits(folder: Path) -> Host:
    _tool(folder, "gcc", "-c", _source(folder), "-o", "plain.o")
    _tool(folder, "objcopy", "--add-section", ".llvm.offloading=fat.bin", "plain.o", "progbits.o")
    return folder / "progbits.o", 1


def shared_library(folder: Path) -> Host:
    elf_object(folder)
    _tool(folder, "gcc", "-shared", "host.o", "-o", "host.so")
    return folder / "host.so", 1


def coff_object(folder: Path) -> Host:
    _tool(folder, "clang-22", "--target=x86_64-pc-windows-msvc", "-c", _source(folder), "-Xclang",
          "-fembed-offload-object=fat.bin", "-o", "host.obj")  # fmt: skip
    return folder / "host.obj", 1


def pe_library(folder: Path) -> Host:
    _tool(folder, "clang-22", "--target=x86_64-pc-windows-msvc", "-c", _source(folder, "stub.c", STUB), "-o", "s.obj")
    _tool(folder, "lld-link-22", "/dll", "/noentry", "/export:exported", "s.obj", "/out:host.dll")
    return folder / "host.dll", 1


def gnu_archive(folder: Path) -> Host:
    clang_object(folder)
    _tool(folder, "gcc", "-c", _source(folder, "other.c", "int other;\n"), "-o", "odd.o")
    _tool(folder, "ar", "rcs", "host.a", "odd.o", "clang.o")
    return folder / "host.a", 1


def thin_archive(folder: Path) -> Host:
    (folder / "sub").mkdir()
    clang_object(folder)
    _tool(folder, "ar", "rcs", "--thin", "sub/host.a", "clang.o")
    return folder / "sub" / "host.a", 1


def _bitcode(clang: str) -> Callable[[Path], Host]:
    def bitcode(folder: Path) -> Host:
        _tool(folder, clang, "-emit-llvm", "-c", _source(folder), "-Xclang",
              "-fembed-offload-object=fat.bin", "-o", "host.bc")  # fmt: skip
        return folder / "host.bc", 1

    return bitcode


def bitcode_in_archive(folder: Path) -> Host:
    _bitcode("clang-22")(folder)
    _tool(folder, "llvm-ar-22", "rcs", "bitcode.a", "host.bc")
    return folder / "bitcode.a", 1


HOSTS: dict[str, Callable[[Path], Host]] = {
    "alone": alone,
    "concatenated": concatenated,
    "padded": padded,
    "elf-o": elf_object,
    "elf-o-clang": clang_object,
    "ld-r": merged,
    "objcopy": progbits,
    "so": shared_library,
    "coff-obj": coff_object,
    "pe-dll": pe_library,
    "gnu-a": gnu_archive,
    "thin-a": thin_archive,
    "bitcode-16": _bitcode("clang-16"),
    "bitcode-19": _bitcode("clang-19"),
    "bitcode-22": _bitcode("clang-22"),
    "bitcode-a": bitcode_in_archive,
}
