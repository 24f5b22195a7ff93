"""What the tests of mode wrap share: packing, embedding, a program whose runtimes only tell what they were given."""

from __future__ import annotations

from pathlib import Path

from ..peers import offload_tool_command, peer, run

RUNTIMES = r"""
#include <stdint.h>
#include <stdio.h>
struct wrapper { uint32_t magic, version; const unsigned char *data; void *unused; };
static void *handles[8];
static int count;
static void **taken(const char *runtime, const struct wrapper *given) {
  printf("%s %d: magic %08x, version %u, %s, begins %02x%02x%02x%02x\n", runtime, count, (unsigned)given->magic,
         (unsigned)given->version, (uintptr_t)given->data % 4096 ? "unaligned" : "aligned", given->data[0],
         given->data[1], given->data[2], given->data[3]);
  return &handles[count++];
}
void **__hipRegisterFatBinary(const void *given) { return taken("hip", given); }
void __hipUnregisterFatBinary(void **handle) { printf("hip %d: gone\n", (int)(handle - handles)); }
void __hipRegisterFunction(void) {}
void __hipRegisterVar(void) {}
void __hipRegisterManagedVar(void) {}
void __hipRegisterSurface(void) {}
void __hipRegisterTexture(void) {}
void **__cudaRegisterFatBinary(void *given) { return taken("cuda", given); }
void __cudaRegisterFatBinaryEnd(void **handle) { printf("cuda %d: complete\n", (int)(handle - handles)); }
void __cudaUnregisterFatBinary(void **handle) { printf("cuda %d: gone\n", (int)(handle - handles)); }
void __cudaRegisterFunction(void) {}
void __cudaRegisterVar(void) {}
void __cudaRegisterManagedVar(void) {}
void __cudaRegisterSurface(void) {}
void __cudaRegisterTexture(void) {}
"""
MAIN = '#include <stdio.h>\nint main(void) { puts("main"); return 0; }\n'


def pack(folder: Path, *images: str, output: str = "fat.bin", toolchain: str = "llvm-22") -> Path:
    """A fat binary in ``folder`` of ``images``, each what ``--image`` takes."""
    arguments = [word for image in images for word in ("--image", image)]
    run([*offload_tool_command(), "pack", "-o", output, "--toolchain", toolchain, *arguments], cwd=folder)
    return folder / output


def wrap(fat: Path, output: Path, *more: str, status: int = 0, env: dict[str, str] | None = None) -> str:
    """Embeds by mode wrap; gives what is said on stderr."""
    if status == 0:
        for program in ("llvm-offload-wrapper-22", "llvm-objcopy-22"):
            peer(program)
    command = [*offload_tool_command(), "embed", str(fat), "-o", str(output), "--mode", "wrap", *more]
    return run(command, status=status, env=env).stderr


def registered(*objects: Path, compiler: str = "gcc") -> list[str]:
    """The lines that a program of ``objects`` prints: what its runtimes were given, then ``main``."""
    folder = objects[0].parent
    (folder / "runtimes.c").write_text(RUNTIMES)
    (folder / "main.c").write_text(MAIN)
    run([peer(compiler), "main.c", "runtimes.c", *objects, "-o", "program"], cwd=folder)
    return run([folder / "program"]).stdout.splitlines()


def section_bytes(file: Path, name: str) -> bytes:
    """The bytes of a section of an ELF file."""
    copy = file.with_suffix(".section")
    run([peer("llvm-objcopy-22"), f"--dump-section={name}={copy}", file, "/dev/null"])
    return copy.read_bytes()


def section_alignment(file: Path, name: str) -> int:
    rows = run([peer("readelf"), "-SW", file]).stdout.splitlines()
    return next(int(row.split()[-1]) for row in rows if f" {name} " in row)
