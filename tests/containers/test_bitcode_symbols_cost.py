"""Symbols of bitcode that cost no bits: what is read of them is limited, and so is the memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from offload_tool import limits
from offload_tool.containers import bitcode_symbols
from offload_tool.errors import FormatError

from ..peers import PEAK_KIB
from .bit_writer import LITERAL, BitWriter
from .modules import Part, nothing
from .test_bitcode_damage import MEMORY, cost_of
from .test_bitcode_symbols_damage import (
    FUNCTION,
    GLOBAL,
    GLOBALVAR,
    SECTIONNAME,
    VERSION,
    bitcode,
    symbols,
    table,
    variable,
    with_assembly,
)

PROBE = """
import resource, sys
from offload_tool.containers import bitcode_symbols
from offload_tool.containers.bitcode_symbols import defined_symbols
from offload_tool.errors import FormatError
try:
    found = defined_symbols(memoryview(open(sys.argv[1], "rb").read()))
    print(len(found), sum(map(len, found)))
except FormatError as error:
    print(error)
print(PEAK_KIB * 1024)
""".replace("PEAK_KIB", PEAK_KIB)


def of_literals(code: int, operands: Sequence[int], records: int) -> Part:
    """Records of 3 bits whose operands are all literals."""

    def write(writer: BitWriter) -> None:
        writer.define((LITERAL, code), *[(LITERAL, value) for value in operands])
        for _ in range(records // 8):
            writer.fixed(0o44444444, 24)

    return write


@pytest.mark.parametrize("code", [VERSION, 3, SECTIONNAME])
def test_records_that_take_no_bits(tmp_path: Path, code: int) -> None:
    said, memory = cost_of(bitcode(of_literals(code, [2] * 1000, 240_000)), tmp_path, PROBE)
    assert said == "0 0"
    assert memory < MEMORY


def test_undefined_symbols_that_take_no_bits(tmp_path: Path) -> None:
    data = bitcode(of_literals(GLOBALVAR, [0, 1, 0, 2, 0, *[0] * 1000], 240_000))
    said, memory = cost_of(data, tmp_path, PROBE)
    assert said == "0 0"
    assert memory < MEMORY


def test_more_symbols_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitcode_symbols, "BITCODE_SYMBOLS", 1000)
    many = of_literals(FUNCTION, [0, 0, 0, 0, 0, 0], 1000)
    assert len(symbols(bitcode(many))) == 1000
    with pytest.raises(FormatError, match="more than 1000 symbols"):
        symbols(bitcode(many, variable()))


def test_many_symbols_that_take_no_bits(tmp_path: Path) -> None:
    said, memory = cost_of(bitcode(of_literals(FUNCTION, [0, 0, 0, 0, 0, 0], 240_000)), tmp_path, PROBE)
    assert said == f"240000 {sum(len(f'__unnamed_{number}') for number in range(1, 240_001))}"
    assert memory < MEMORY


def test_long_names_that_overlap(tmp_path: Path) -> None:
    size = limits.BITCODE_SYMBOL_BYTES // 999
    many = of_literals(FUNCTION, [0, size, 0, 0, 0, 0], 1000)
    said, memory = cost_of(bitcode(many, names=b"n" * size), tmp_path, PROBE)
    assert "names of symbols take" in said
    assert memory < MEMORY


def test_long_names_of_assembly_that_overlap(tmp_path: Path) -> None:
    size = limits.BITCODE_SYMBOL_BYTES // 999
    symtab = table([(0, 1001)], [(0, 1, GLOBAL), *[(0, size, GLOBAL)] * 1000])
    said, memory = cost_of(bitcode(with_assembly, names=b"n" * size, symtab=symtab), tmp_path, PROBE)
    assert "names in the symbol table take more than" in said
    assert memory < MEMORY


def test_more_modules_than_are_read(tmp_path: Path) -> None:
    said, memory = cost_of(bitcode(*[nothing] * (limits.BITCODE_MODULES + 1)), tmp_path, PROBE)
    assert f"more than {limits.BITCODE_MODULES} modules" in said
    assert memory < MEMORY
