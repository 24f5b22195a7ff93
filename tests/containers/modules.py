"""Modules with one embedded object, written by hand: each part can be replaced by something else."""

from __future__ import annotations

from collections.abc import Callable

from .bit_writer import BLOB, LITERAL, VBR, BitWriter

IDENTIFICATION, MODULE, CONSTANTS, METADATA, TYPES, STRTAB = 13, 8, 11, 15, 17, 23
SETTYPE, NULL, UNDEF, INTEGER, AGGREGATE, STRING, CSTRING, DATA = 1, 2, 3, 4, 7, 8, 9, 22
I8, BYTES, POINTER = 0, 1, 2
VERSION = 1
NAME = b"embedded"

Part = Callable[[BitWriter], None]


def nothing(_writer: BitWriter) -> None:
    pass


def types(size: int) -> Part:
    def write(writer: BitWriter) -> None:
        with writer.block(TYPES):
            writer.record(1, [4])
            writer.record(7, [8])
            writer.record(11, [size, I8])
            writer.record(25, [0])
            writer.record(16)

    return write


def global_variable(writer: BitWriter, initializer: int = 2) -> None:
    writer.record(7, [0, len(NAME), BYTES, 3, initializer, 9, 0, 0])


def constants(fill: Part) -> Part:
    """``fill`` writes the constants, of which the first has value id 1 and the type of the array."""

    def write(writer: BitWriter) -> None:
        with writer.block(CONSTANTS, 4):
            writer.record(SETTYPE, [BYTES])
            fill(writer)

    return write


def metadata(writer: BitWriter) -> None:
    with writer.block(METADATA):
        writer.record(1, b".llvm.offloading")
        writer.record(2, [POINTER, 0])
        writer.record(3, [2, 1])
        named(writer, [2])


def named(writer: BitWriter, nodes: list[int]) -> None:
    writer.record(4, b"llvm.embedded.objects")
    writer.record(10, nodes)


def module(
    size: int,
    fill: Part,
    *,
    first: Part = nothing,
    write_types: Part | None = None,
    variable: Part = global_variable,
    write_metadata: Part = metadata,
    names: bytes = NAME,
) -> bytes:
    writer = BitWriter()
    with writer.block(IDENTIFICATION, 5):
        writer.record(1, b"LLVM22")
        writer.record(2, [0])
    with writer.block(MODULE):
        writer.record(1, [2])
        first(writer)
        (write_types or types(size))(writer)
        variable(writer)
        constants(fill)(writer)
        write_metadata(writer)
    with writer.block(STRTAB):
        writer.define((LITERAL, 1), (BLOB, 0))
        writer.fixed(4, 3)
        writer.blob(names)
    return bytes(writer.done)


def string(content: bytes) -> Part:
    return lambda writer: writer.record(STRING, content)


def listed(nodes: list[int], operands: list[int]) -> Part:
    def write(writer: BitWriter) -> None:
        with writer.block(METADATA):
            writer.record(1, b".llvm.offloading")
            writer.record(2, [POINTER, 0])
            writer.record(3, operands)
            named(writer, nodes)

    return write


def strings(count: int, offset: int, blob: bytes) -> Part:
    def write(writer: BitWriter) -> None:
        with writer.block(METADATA):
            writer.define((LITERAL, 35), (VBR, 6), (VBR, 6), (BLOB, 0))
            writer.fixed(4, 3)
            writer.vbr(count, 6)
            writer.vbr(offset, 6)
            writer.blob(blob)
            writer.record(2, [POINTER, 0])
            writer.record(3, [count + 1, 1])
            named(writer, [count + 1])

    return write
