"""Bitcode as LLVM's writer never makes it: forms that its reader takes all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from offload_tool.containers.bitcode import offloading_globals

from ..peers import peer, run
from . import modules
from .bit_writer import ARRAY, BLOB, CHAR6, FIXED, LITERAL, VBR, BitWriter
from .modules import AGGREGATE, CSTRING, DATA, I8, INTEGER, NULL, SETTYPE, STRING, Part, module, string

IMAGE = b"the image"


def content_of(data: bytes) -> bytes:
    (found,) = offloading_globals(memoryview(data))
    assert found.name == "embedded"
    return bytes(found.content)


@pytest.fixture(scope="module")
def fat(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("fat")
    (folder / "image").write_bytes(IMAGE)
    run([peer("llvm-offload-binary-22"), "-o", "fat", "--image=file=image,triple=t,kind=openmp"], cwd=folder)
    return (folder / "fat").read_bytes()


def abbreviated(content: bytes, code: int, *operands: tuple[int, int], separate: int = 0) -> Part:
    """A constant with ``operands`` after its code, of which ``separate`` are scalars and the last an array's."""

    def write(writer: BitWriter) -> None:
        writer.define((LITERAL, code), *operands)
        writer.fixed(4, writer.width)
        for value in content[:separate]:
            writer.fixed(value, 8)
        writer.vbr(len(content) - separate, 6)
        encoding, width = operands[-1]
        for value in content[separate:]:
            (writer.vbr if encoding == VBR else writer.fixed)(value, width)

    return write


def aggregate(content: bytes) -> Part:
    """Value id 1 is the array, the bytes follow: zero as NULL, others as INTEGER with the sign in the low bit."""

    def write(writer: BitWriter) -> None:
        writer.record(AGGREGATE, range(2, 2 + len(content)))
        writer.record(SETTYPE, [I8])
        for value in content:
            signed = value - 256 * (value > 127)
            writer.record(INTEGER, [2 * signed if signed >= 0 else 1 - 2 * signed]) if value else writer.record(NULL)

    return write


FORMS: dict[str, Callable[[bytes], Part]] = {
    "STRING unabbreviated": string,
    "DATA unabbreviated": lambda fat: lambda writer: writer.record(DATA, fat),
    "STRING of 8 bits": lambda fat: abbreviated(fat, STRING, (ARRAY, 0), (FIXED, 8)),
    "STRING of 9 bits": lambda fat: abbreviated(fat, STRING, (ARRAY, 0), (FIXED, 9)),
    "STRING of VBR4": lambda fat: abbreviated(fat, STRING, (ARRAY, 0), (VBR, 4)),
    "DATA of VBR32": lambda fat: abbreviated(fat, DATA, (ARRAY, 0), (VBR, 32)),
    "scalars and array": lambda fat: abbreviated(
        fat, STRING, (FIXED, 8), (FIXED, 8), (ARRAY, 0), (FIXED, 8), separate=2
    ),
    "AGGREGATE": aggregate,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_form_that_llvm_reads_too(tmp_path: Path, fat: bytes, form: Callable[[bytes], Part]) -> None:
    data = module(len(fat), form(fat))
    assert content_of(data) == fat
    (tmp_path / "host.bc").write_bytes(data)
    run([peer("llvm-offload-binary-22"), "host.bc", "--image=file=theirs,triple=t"], cwd=tmp_path)
    assert (tmp_path / "theirs").read_bytes() == IMAGE


def block_info(writer: BitWriter) -> None:
    with writer.block(0):
        writer.record(SETTYPE, [modules.CONSTANTS])
        writer.define((FIXED, 4), (ARRAY, 0), (CHAR6, 0))
        writer.define((LITERAL, CSTRING), (ARRAY, 0), (FIXED, 7))
        writer.record(SETTYPE, [modules.METADATA])
        writer.define((VBR, 6))


def test_abbreviations_of_blockinfo() -> None:
    def six_bit(writer: BitWriter) -> None:
        for number in (4, CSTRING):
            writer.fixed(number, 4)
        writer.vbr(3, 6)
        for number in (0, 26, 63):
            writer.fixed(number, 6)

    def seven_bit(writer: BitWriter) -> None:
        writer.fixed(5, 4)
        writer.vbr(2, 6)
        for number in b"-+":
            writer.fixed(number, 7)

    assert content_of(module(4, six_bit, first=block_info)) == b"aA_\0"
    assert content_of(module(3, seven_bit, first=block_info)) == b"-+\0"


def test_blockinfo_counts_for_later_blocks_only() -> None:
    def fill(writer: BitWriter) -> None:
        writer.define((LITERAL, STRING), (ARRAY, 0), (FIXED, 8))
        writer.fixed(4, 4)
        writer.vbr(1, 6)
        writer.fixed(0xAB, 8)

    def metadata(writer: BitWriter) -> None:
        block_info(writer)
        modules.metadata(writer)

    assert content_of(module(1, fill, write_metadata=metadata)) == b"\xab"


def test_zero_bits_and_unknown_records_and_blocks_are_passed_over() -> None:
    def fill(writer: BitWriter) -> None:
        writer.define((LITERAL, 63), (LITERAL, 1 << 40), (FIXED, 0))
        writer.define((LITERAL, 63), (VBR, 6), (FIXED, 3), (VBR, 2), (CHAR6, 0), (BLOB, 0))
        writer.record(STRING, b"12")
        writer.fixed(4, 4)
        writer.fixed(5, 4)
        writer.vbr(1 << 40, 6)
        writer.fixed(5, 3)
        writer.vbr(100, 2)
        writer.fixed(5, 6)
        writer.blob(b"blob")
        with writer.block(77, 7):
            writer.record(1, range(2000))

    assert content_of(module(2, fill)) == b"12"


def test_strings_of_a_blob() -> None:
    lengths = (16 | 2 << 6).to_bytes(4, "little")  # two VBR6
    strings = modules.strings(2, 4, lengths + b".llvm.offloadingno")
    assert content_of(module(2, string(b"12"), write_metadata=strings)) == b"12"
