"""Bitcode whose symbols cannot be told: FormatError or a result, soon and without much memory."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from offload_tool.actions.archiving import symbols_of
from offload_tool.containers.bitcode_symbols import defined_symbols
from offload_tool.errors import FormatError

from ..peers import peer, run
from .bit_writer import BLOB, FIXED, LITERAL, VBR, BitWriter
from .modules import IDENTIFICATION, MODULE, STRTAB, Part
from .test_bitcode import assembled
from .test_bitcode_symbols import LINUX, C, compiled

SYMTAB = 25
VERSION, ASM, SECTIONNAME, GLOBALVAR, FUNCTION, ALIAS_OLD, ALIAS = 1, 4, 5, 7, 8, 9, 14


def bitcode(*entries: Part, names: bytes = b"v", symtab: bytes | None = None) -> bytes:
    """A file of one module for each of ``entries``, with the tables after them."""
    writer = BitWriter()
    with writer.block(IDENTIFICATION, 5):
        writer.record(1, b"LLVM22")
    for each in entries:
        with writer.block(MODULE):
            writer.record(VERSION, [2])
            each(writer)
    for block_id, content in ((SYMTAB, symtab), (STRTAB, names)):
        if content is not None:
            with writer.block(block_id):
                writer.define((LITERAL, 1), (BLOB, 0))
                writer.fixed(4, 3)
                writer.blob(content)
    return bytes(writer.done)


def record(code: int, operands: Sequence[int]) -> Part:
    return lambda writer: writer.record(code, operands)


def variable(*, offset: int = 0, size: int = 1, section: int = 0) -> Part:
    return record(GLOBALVAR, [offset, size, 0, 2, 1, 0, 0, section])


def with_assembly(writer: BitWriter) -> None:
    variable()(writer)
    writer.record(ASM, b".globl label")


def table(
    modules: Sequence[tuple[int, int]],
    symbols: Sequence[tuple[int, int, int]],
    *,
    version: int = 3,
    begin: int = 36,
    count: int | None = None,
) -> bytes:
    """A symbol table; each symbol is offset and size of its name, and its flags."""
    symbol_begin = 36 + 12 * len(modules)
    symbol_count = len(symbols) if count is None else count
    header = struct.pack("<9I", version, 0, 0, begin, len(modules), 0, 0, symbol_begin, symbol_count)
    ranges = b"".join(struct.pack("<3I", *each, 0) for each in modules)
    return header + ranges + b"".join(struct.pack("<6I", *each[:2], 0, 0, 0, each[2]) for each in symbols)


def symbols(data: bytes) -> list[bytes]:
    return defined_symbols(memoryview(data))


GLOBAL, UNDEFINED, FORMAT_SPECIFIC = 1 << 10, 1 << 3, 1 << 11
LABEL = (1, 2, GLOBAL)
TABLE = table(
    [(0, 5)], [(0, 1, GLOBAL), (1, 2, 0), LABEL, (3, 1, GLOBAL | UNDEFINED), (3, 2, GLOBAL | FORMAT_SPECIFIC)]
)


def test_symbols_that_assembly_defines_come_last() -> None:
    assert symbols(bitcode(with_assembly, names=b"vabcd", symtab=TABLE)) == [b"v", b"ab"]


def test_symbols_of_assembly_go_to_their_module() -> None:
    value, label = (0, 1, GLOBAL), (1, 1, GLOBAL)
    two = table([(0, 2), (2, 5)], [value, label, value, label, (2, 1, GLOBAL)])
    assert symbols(bitcode(with_assembly, with_assembly, names=b"vab", symtab=two)) == [b"v", b"a", b"v", b"a", b"b"]


@pytest.mark.parametrize(
    "symtab",
    [table([(0, 2)], [LABEL] * 2, version=2), table([(0, 2), (2, 3)], [LABEL] * 3), table([], [LABEL])],
    ids=["version", "more modules", "no modules"],
)
def test_table_that_tells_nothing(symtab: bytes) -> None:
    assert symbols(bitcode(with_assembly, names=b"vab", symtab=symtab)) == [b"v"]


def test_damaged_table_is_not_looked_at_without_assembly() -> None:
    assert symbols(bitcode(variable(), symtab=b"1234")) == [b"v"]


def test_old_module_and_module_without_a_string_table() -> None:
    assert symbols(bitcode(record(VERSION, [1]), names=b"")) == []

    def old(writer: BitWriter) -> None:
        writer.record(VERSION, [1])
        writer.record(GLOBALVAR, [0, 2, 1, 0, 0, 0])

    assert symbols(bitcode(old)) == []
    writer = BitWriter()
    with writer.block(MODULE):
        writer.record(VERSION, [2])
        writer.record(FUNCTION, [0, 0, 0, 0, 0, 0, 0, 0])
    assert symbols(bytes(writer.done)) == [b"__unnamed_1"]


def test_old_alias() -> None:
    def module(writer: BitWriter) -> None:
        variable()(writer)
        writer.record(ALIAS_OLD, [1, 1, 0, 0, 3])
        writer.record(ALIAS_OLD, [1, 1, 0, 0, 0])

    assert symbols(bitcode(module, names=b"va")) == [b"v", b"a"]


FAULTS = {
    "size": (bitcode(variable()) + b"x", "bytes; expected a multiple of 4"),
    "name": (bitcode(variable(offset=1)), "bytes 1 to 2 of a string table of 1"),
    "name far away": (bitcode(variable(offset=1 << 63, size=1 << 62)), "of a string table of 1"),
    "NUL": (bitcode(variable(size=3), names=b"a\0b"), "has a NUL"),
    "section": (bitcode(variable(section=1)), "GLOBALVAR is in section 1 of 0"),
    "short variable": (
        bitcode(record(GLOBALVAR, [0, 1, 0, 2, 1, 0, 0])),
        "record 7 has 7 operands; expected at least 8",
    ),
    "short function": (bitcode(record(FUNCTION, [0, 1])), "record 8 has 2 operands; expected at least 6"),
    "short alias": (bitcode(record(ALIAS, [0, 1, 2, 3, 4])), "record 14 has 5 operands; expected at least 6"),
    "version": (bitcode(record(VERSION, [])), "record 1 has 0 operands"),
    "table cut": (bitcode(with_assembly, names=b"vabcd", symtab=TABLE[:35]), "the symbol table needs"),
    "symbols cut": (bitcode(with_assembly, names=b"vabcd", symtab=TABLE[:-1]), "the symbols of the symbol table need"),
    "modules outside": (
        bitcode(with_assembly, symtab=table([(0, 1)], [], begin=1 << 31)),
        "the modules of the symbol table need",
    ),
    "symbol count": (
        bitcode(with_assembly, symtab=table([(0, 1)], [], count=1 << 31)),
        "symbol table claims 2147483648 symbols",
    ),
    "module's end": (bitcode(with_assembly, symtab=table([(0, 3)], [LABEL] * 2)), "symbols 0 to 3 of 2 cannot"),
    "module's begin": (bitcode(with_assembly, symtab=table([(1, 2)], [LABEL] * 2)), "symbols 1 to 2 of 2 cannot"),
    "module too small": (bitcode(with_assembly, symtab=table([(0, 0)], [])), "with 1 before assembly"),
    "label": (
        bitcode(with_assembly, symtab=table([(0, 2)], [(0, 1, GLOBAL), (9, 9, GLOBAL)])),
        "the name of a symbol needs bytes 9 to 18 of 1",
    ),
    "label with NUL": (
        bitcode(with_assembly, names=b"v\0", symtab=table([(0, 2)], [(0, 1, GLOBAL), (0, 2, GLOBAL)])),
        "has a NUL",
    ),
    "no blob": (bitcode(variable(), names=b"")[:-24], "bitstream needs"),
}


@pytest.mark.parametrize(("data", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_is_told(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        symbols(data)
    assert 0 <= caught.value.offset <= len(data)
    assert symbols_of(memoryview(data)) == ()


def test_fault_in_wrapped_bitcode_counts_from_the_wrapper() -> None:
    data = FAULTS["section"][0]
    with pytest.raises(FormatError) as bare:
        symbols(data)
    with pytest.raises(FormatError) as wrapped:
        symbols(struct.pack("<4sIIII", b"\xde\xc0\x17\x0b", 0, 20, len(data), 7) + data)
    assert wrapped.value.offset == bare.value.offset + 20


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """opt writes the table of symbols that the module's assembly asks for."""
    text = """
target triple = "x86_64-unknown-linux-gnu"
module asm ".globl label"
module asm "label:"
@variable = global i32 1
@metadata = global i32 1, section "llvm.metadata"
"""
    module = assembled(tmp_path_factory.mktemp("real"), text)
    run([peer("opt-22"), "-passes=", module, "-o", module])
    return module.read_bytes()


def fault_of(data: bytes) -> FormatError | None:
    try:
        symbols(data)
    except FormatError as error:
        fault = error
    else:
        return None
    assert 0 <= fault.offset <= len(data)
    return fault


def test_cut_anywhere(real: bytes) -> None:
    assert symbols(real) == [b"variable", b"label"]
    whole = [size for size in range(len(real)) if fault_of(real[:size]) is None]
    assert all(len(real) - size < 9 for size in whole)  # what archivers pad with is passed over as well


@pytest.mark.parametrize("mask", [0xFF, 0x01, 0x10, 0x80])
def test_every_byte_flipped(real: bytes, mask: int) -> None:
    damaged, faults = bytearray(real), 0
    for index in range(len(real)):
        damaged[index] ^= mask
        faults += fault_of(bytes(damaged)) is not None
        damaged[index] ^= mask
    assert faults


def test_damaged_source_module_of_a_compiler(tmp_path: Path) -> None:
    data = compiled(tmp_path, C, LINUX).read_bytes()
    assert symbols_of(memoryview(data))
    assert symbols_of(memoryview(data[: len(data) // 2])) == ()


def test_abbreviated_records(tmp_path: Path) -> None:
    """Variables as fields of fixed and of variable width, the way LLVM writes the plain ones."""

    def fill(writer: BitWriter) -> None:
        writer.define((LITERAL, GLOBALVAR), (VBR, 8), (VBR, 8), (FIXED, 3), (VBR, 6), (VBR, 6), *[(FIXED, 5)] * 3)
        writer.fixed(4, 3)
        for value, width in ((0, 8), (2, 8)):
            writer.vbr(value, width)
        writer.fixed(1, 3)
        writer.vbr(2, 6)
        writer.vbr(1, 6)
        writer.fixed(0, 15)

    assert symbols(bitcode(fill, names=b"ab")) == [b"ab"]
