"""A fat binary into a host object: LINK for clang's linker wrapper, WRAP for any linker, KEEP for the program itself.

LINK and KEEP assemble a C stub with ``.incbin``: any C compiler driver can, and no assembly language has to be enabled
in a build for it.  The section type is given as a number, since assemblers take its name and then write PROGBITS.
"""

from __future__ import annotations

import os
import re
from enum import Enum

from ..codec.layout import ALIGNMENT
from ..containers.elf import KEPT_SECTION, OFFLOADING_SECTION, SHT_LLVM_OFFLOADING
from ..errors import OffloadError, UsageError
from ..frozen import frozen
from ..limits import ALIGN
from .checking import is_relocatable
from .compiler import check_elf, compiler_command, default_compiler, run
from .copying import copy_range
from .dependencies import told_in_depfile
from .file_state import OpenFile
from .mapping import mapped_descriptor, opened
from .output import check_output, written
from .recognize import HEAD_SIZE, recognize
from .survey import FoundImage, survey
from .temporary import temporary_folder
from .wrap_image import WRAPPED_KINDS, image_name

__all__ = ["DEFAULT_SYMBOL", "EmbedOptions", "Mode", "embed"]

DEFAULT_SYMBOL = "offload_images"

_STUB = """\
#ifndef __ELF__
#error "the host's objects are no ELF; offload-tool embeds into ELF hosts"
#endif
#if defined(__arm__)
#define TYPE "%"
#else
#define TYPE "@"
#endif
"""


class Mode(Enum):
    """How the images get into the program; the value is the word on the command line."""

    LINK = "link"
    WRAP = "wrap"
    KEEP = "keep"


@frozen
class EmbedOptions:
    """How to embed.

    ``compiler`` is a C compiler driver and its flags; ``symbol`` is KEEP's S in ``S_start``, ``S_end``, ``S_size``;
    ``depfile``, ``depfile_target`` and ``stamp`` are as in PackOptions.
    """

    mode: Mode = Mode.LINK
    compiler: str | None = None
    symbol: str | None = None
    depfile: str | None = None
    depfile_target: str | None = None
    stamp: str | None = None


def embed(path: str, output: str, options: EmbedOptions | None = None) -> None:
    """The host object ``output`` with the fat binary ``path`` in it.

    Raises OffloadError, with nothing written, where the mode cannot carry an image (it is named), and HostError where
    the compiler fails or makes no ELF.
    """
    options = options or EmbedOptions()
    _check_symbol(options)
    check_output(output)
    command = compiler_command(options.compiler or default_compiler())
    told = told_in_depfile(options.depfile, options.depfile_target, output, [path], stamp=options.stamp)
    with told, opened(path) as descriptor:
        source = OpenFile.of(path, descriptor)
        images = [image for image in _fat_binary(mapped_descriptor(descriptor), path) if not image.is_metadata_only]
        _check_carried(images, options.mode)
        with temporary_folder() as folder:
            if options.mode is Mode.WRAP:
                from .wrap import wrap

                made = wrap(images, command, folder)
            else:
                made = _assemble(os.path.abspath(path), images, options, command, folder)
            source.check_unchanged()
            source.state.check_path(path)
            _deliver(made, output)


def _check_symbol(options: EmbedOptions) -> None:
    if options.symbol is None:
        return
    if options.mode is not Mode.KEEP:
        raise UsageError(f"symbol {options.symbol!r} has no meaning in mode {options.mode.value}; only keep has any")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", options.symbol):
        raise UsageError(f"symbol {options.symbol!r} is no C identifier; expected letters, digits and underscores")


def _fat_binary(data: memoryview, path: str) -> list[FoundImage]:
    images = survey(data, path)
    if not images:
        raise OffloadError(f"{path!r} holds no image; there is nothing to embed")
    if images[0].container != "offload-binary":
        raise OffloadError(f"{path!r} is a host file; expected a fat binary, as 'offload-tool pack' writes it")
    return images


def _check_carried(images: list[FoundImage], mode: Mode) -> None:
    for image in images:
        head = bytes(image.content[:HEAD_SIZE])
        found = recognize(head)
        name = image_name(image)
        relocatable = is_relocatable(head, found)
        if mode is Mode.LINK and not relocatable:
            modes = "wrap or keep" if image.kind in WRAPPED_KINDS else "keep"
            raise OffloadError(
                f"{name} is finished, {found.value}: the device linker would refuse it or drop its kernels; "
                f"use mode {modes}"
            )
        if mode is Mode.WRAP and relocatable:
            raise OffloadError(f"{name} is relocatable: the runtime cannot load it; link it first, or use mode link")


def _assemble(path: str, images: list[FoundImage], options: EmbedOptions, command: list[str], folder: str) -> str:
    with open(os.path.join(folder, "offload_stub.c"), "w", encoding="utf-8", errors="surrogateescape") as stub:
        stub.write(_STUB + _assembly(path, images, options))
    # The stub is named relative to its folder: its name goes into the object.
    run([*command, "-c", "-fno-lto", "-g0", "offload_stub.c", "-o", "offload_stub.o"], folder)
    return os.path.join(folder, "offload_stub.o")


def _assembly(path: str, images: list[FoundImage], options: EmbedOptions) -> str:
    if options.mode is Mode.LINK:
        section = f'.section {OFFLOADING_SECTION},\\"e\\"," TYPE "{SHT_LLVM_OFFLOADING:#x}'
        # Never more, whatever the images want: LLVM's readers stop at a gap that a merging linker would leave.
        lines = [section, f".balign {ALIGNMENT}", f".incbin {_quoted(path)}"]
    else:
        symbol = options.symbol or DEFAULT_SYMBOL
        names = [f"{symbol}_{part}" for part in ("start", "end", "size")]
        lines = [
            *(f"{directive} {name}" for name in names for directive in (".globl", ".hidden")),
            f'.section {KEPT_SECTION},\\"a\\"," TYPE "progbits',
            f".balign {_alignment(images)}", f"{names[0]}:", f".incbin {_quoted(path)}", f"{names[1]}:",
            ".section .rodata", ".balign 8", f"{names[2]}:", f".quad {names[1]} - {names[0]}",
        ]  # fmt: skip
    lines.append('.section .note.GNU-stack,\\"\\"," TYPE "progbits')
    return "__asm__(\n" + "".join(f'"{line}\\n"\n' for line in lines) + ");\n"


def _alignment(images: list[FoundImage]) -> int:
    """The largest alignment that every image has within the fat binary, so that it keeps it in the host."""
    bits = ALIGN
    for image in images:
        bits |= image.offset or ALIGNMENT
    return max(ALIGNMENT, bits & -bits)


def _quoted(path: str) -> str:
    """A path as an assembler string within a C string: both know the backslash."""
    assembler = path.replace("\\", "\\\\").replace('"', '\\"')
    return '\\"' + assembler.replace("\\", "\\\\").replace('"', '\\"') + '\\"'


def _deliver(made: str, output: str) -> None:
    check_elf(made)
    with opened(made) as source, written(output) as target:
        copy_range(source, 0, os.fstat(source).st_size, target)
