"""What cannot be in a bitcode host is told, one fault each."""

from __future__ import annotations

import pytest

from offload_tool.containers.bitcode import offloading_globals
from offload_tool.errors import FormatError

from . import modules
from .bit_writer import ARRAY, BLOB, FIXED, LITERAL, MAGIC, VBR, BitWriter
from .modules import AGGREGATE, SETTYPE, STRING, Part, module, string


def bare(entries: Part) -> bytes:
    """A module with one abbreviation or record that cannot be."""
    return module(2, string(b"12"), first=entries)


def defined(*operands: tuple[int, int]) -> Part:
    return lambda writer: writer.define(*operands)


def raw(*fields: tuple[int, int]) -> Part:
    def write(writer: BitWriter) -> None:
        for value, width in fields:
            writer.fixed(value, width)

    return write


def wrong_types(writer: BitWriter) -> None:
    with writer.block(modules.TYPES):
        writer.record(11, [1])


GOOD = string(b"12")
FAULTS: dict[str, tuple[bytes, str]] = {
    "no operands": (bare(defined()), "abbreviation has 0 operands"),
    "too many operands": (bare(raw((2, 3), (31, 5), (31, 5), (31, 5), (15, 5))), "abbreviation has .* operands"),
    "array first": (bare(defined((ARRAY, 0), (FIXED, 8))), "array or a blob where none can stand"),
    "array last": (bare(defined((FIXED, 8), (ARRAY, 0))), "array or a blob where none can stand"),
    "array amid": (bare(defined((FIXED, 8), (ARRAY, 0), (FIXED, 8), (FIXED, 8))), "where none can stand"),
    "blob first": (bare(defined((BLOB, 0))), "array or a blob where none can stand"),
    "blob amid": (bare(defined((FIXED, 1), (BLOB, 0), (FIXED, 8))), "array or a blob where none can stand"),
    "array of blobs": (bare(defined((FIXED, 8), (ARRAY, 0), (BLOB, 0))), "where none can stand"),
    "array of arrays": (bare(defined((FIXED, 8), (ARRAY, 0), (ARRAY, 0))), "elements are 'ARRAY'"),
    "array of literals": (bare(defined((FIXED, 8), (ARRAY, 0), (LITERAL, 1))), "elements are 'LITERAL'"),
    "array of no bits": (bare(defined((FIXED, 8), (ARRAY, 0), (FIXED, 0))), "elements are 'LITERAL'"),
    "encoding 6": (bare(defined((6, 0))), "encoding 6; expected 1 to 5"),
    "width": (bare(defined((FIXED, 65))), "FIXED of 65 bits"),
    "VBR of one bit": (bare(defined((VBR, 1))), "VBR of 1 bits"),
    "undefined abbreviation": (bare(raw((4, 3))), "abbreviation id 4 is not defined in block 8"),
    "endless VBR": (bare(raw((3, 3), ((1 << 240) - 1, 240))), "more than 64 bits"),
    "65 bits": (bare(raw((3, 3), *[(32, 6)] * 12, (16, 6))), "more than 64 bits"),
    "operands": (bare(raw((3, 3), (1, 6), *[(63, 6)] * 9, (1, 6))), "bitstream needs .* bits"),
    "ids of one bit": (bare(raw((1, 3), (9, 8), (1, 4), (0, 32))), "abbreviation ids of 1 bits"),
    "block length": (bare(raw((1, 3), (9, 8), (3, 4), (0, 17), (1 << 31, 32))), "bitstream needs"),
    "end of block": (bare(raw((0, 3))), "bytes before the end it claims"),
    "version": (bare(lambda writer: writer.record(1, [3])), "module version 3 is not known"),
    "no version": (bare(lambda writer: writer.record(1)), "VERSION has 0 operands"),
    "character": (module(2, lambda writer: writer.record(STRING, [1, 256])), "character 256 is not a byte"),
    "too few": (module(3, GOOD), "array of 3 bytes is given 2"),
    "too many": (module(1, GOOD), "array of 1 bytes is given 2"),
    "elements": (module(2, lambda writer: writer.record(AGGREGATE, [1])), "array of 2 bytes is given 1"),
    "element": (module(1, lambda writer: writer.record(AGGREGATE, [9])), "value 9 is an element"),
    "set type": (module(2, lambda writer: writer.record(SETTYPE)), "SETTYPE has no operand"),
    "no such constant": (module(2, modules.nothing), "value 1 initializes"),
    "no such node": (module(2, GOOD, write_metadata=modules.listed([9], [2, 1])), "metadata 9 is referred to, 3 are"),
    "no such operand": (module(2, GOOD, write_metadata=modules.listed([2], [99, 1])), "metadata 98 is referred to"),
    "string count": (
        module(2, GOOD, write_metadata=modules.strings(1 << 60, 4, bytes(8))),
        "strings whose lengths take 4",
    ),
    "string offset": (module(2, GOOD, write_metadata=modules.strings(1, 9, bytes(8))), "lengths take 9 of 8 bytes"),
    "string length": (
        module(2, GOOD, write_metadata=modules.strings(1, 1, b"\x1f")),
        "metadata strings claim 31 characters",
    ),
    "string lengths": (module(2, GOOD, write_metadata=modules.strings(1, 1, b"\xff")), "length of a metadata string"),
    "global": (module(2, GOOD, variable=lambda writer: writer.record(7, [0, 1])), "GLOBALVAR has 2 operands"),
    "name": (
        module(2, GOOD, variable=lambda writer: writer.record(7, [7, 9, 1, 3, 2, 9])),
        "bytes 7 to 16 of a string table of 8",
    ),
    "array type": (module(2, GOOD, write_types=wrong_types), "array type has 1 operands"),
    "no module": (MAGIC + bytes(BitWriter(b"").done), "bitcode has no module"),
    "empty": (b"", "magic '' is not that of LLVM bitcode"),
    "wrapper": (b"\xde\xc0\x17\x0b" + bytes(15), "the bitcode wrapper needs"),
    "wrapped": (b"\xde\xc0\x17\x0b" + b"\0\0\0\0" + b"\x14\0\0\0" + b"\xff" * 8, "the wrapped bitcode needs"),
    "no block": (MAGIC + bytes(12), "entry 0 where a block must begin"),
}


@pytest.mark.parametrize(("data", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_is_told(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        offloading_globals(memoryview(data))
    assert 0 <= caught.value.offset <= len(data)
