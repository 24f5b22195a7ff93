"""Damaged bitcode hosts end in FormatError or in a result, soon and without much memory."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from offload_tool import limits
from offload_tool.containers.bitcode import offloading_globals
from offload_tool.errors import FormatError

from ..peers import PEAK_KIB, ROOT
from . import modules
from .bit_writer import LITERAL, BitWriter
from .modules import AGGREGATE, BYTES, NULL, SETTYPE, STRING, Part, module, string
from .test_bitcode import assembled

CPU_SECONDS = 30
MEMORY = 300 << 20
PROBE = """
import resource, sys
from offload_tool.containers.bitcode import offloading_globals
from offload_tool.errors import FormatError
try:
    found = offloading_globals(memoryview(open(sys.argv[1], "rb").read()))
    print(len(found), sum(len(each.content) for each in found))
except FormatError as error:
    print(error)
print(PEAK_KIB * 1024)
""".replace("PEAK_KIB", PEAK_KIB)


def result_or_fault(data: bytes) -> list[bytes] | None:
    try:
        return [bytes(each.content) for each in offloading_globals(memoryview(data))]
    except FormatError as error:
        offset = error.offset
    assert 0 <= offset <= len(data)
    return None


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    text = """
@text = constant [4 x i8] c"text"
@host = private constant [6 x i8] c"\\10\\FF\\10\\AD12", section ".llvm.offloading", align 8
!llvm.embedded.objects = !{!0}
!0 = !{ptr @host, !".llvm.offloading"}
"""
    return assembled(tmp_path_factory.mktemp("small"), text).read_bytes()


def test_cut_anywhere(small: bytes) -> None:
    assert result_or_fault(small) == [b"\x10\xff\x10\xad12"]
    whole = [size for size in range(len(small)) if result_or_fault(small[:size]) is not None]
    assert all(len(small) - size < 9 for size in whole)  # what archivers pad with is passed over as well


@pytest.mark.parametrize("mask", [0xFF, 0x01, 0x10, 0x80])
def test_every_byte_flipped(small: bytes, mask: int) -> None:
    damaged = bytearray(small)
    faults = 0
    for index in range(len(small)):
        damaged[index] ^= mask
        faults += result_or_fault(bytes(damaged)) is None
        damaged[index] ^= mask
    assert faults


def cost_of(data: bytes, folder: Path, probe: str = PROBE) -> tuple[str, int]:
    """What a process of its own says of ``data``, and its memory; it is ended after so many seconds of CPU."""
    (folder / "host.bc").write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", probe, folder / "host.bc"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS)),
    )
    said, memory = done.stdout.splitlines()
    return said, int(memory)


def many_globals(count: int, initializer: int) -> Part:
    def write(writer: BitWriter) -> None:
        for _ in range(count):
            modules.global_variable(writer, initializer)

    return write


def many_nodes(count: int) -> Part:
    def write(writer: BitWriter) -> None:
        with writer.block(modules.METADATA):
            writer.record(1, b".llvm.offloading")
            for number in range(count):
                writer.record(2, [modules.POINTER, number])
                writer.record(3, [2 * number + 2, 1])
            modules.named(writer, [2 * number + 2 for number in range(count)])

    return write


def test_globals_that_share_an_initializer(tmp_path: Path) -> None:
    count = 20_000
    content = bytes(range(256)) * 400
    data = module(
        len(content), string(content), variable=many_globals(count, count + 1), write_metadata=many_nodes(count)
    )
    said, memory = cost_of(data, tmp_path)
    assert said == f"{count} {count * len(content)}"
    assert memory < MEMORY


def test_zeros_that_small_records_claim(tmp_path: Path) -> None:
    count, size = 100, limits.BITCODE_ZERO_BYTES

    def variables(writer: BitWriter) -> None:
        for index in range(count):
            modules.global_variable(writer, count + 1 + index)

    def zeros(writer: BitWriter) -> None:
        for _ in range(count):
            writer.record(NULL)

    said, memory = cost_of(module(size, zeros, variable=variables, write_metadata=many_nodes(count)), tmp_path)
    assert said == f"{count} {count * size}"
    assert memory < MEMORY
    said, memory = cost_of(module(size + 1, zeros, variable=variables, write_metadata=many_nodes(count)), tmp_path)
    assert "is zero without standing in the file" in said


def test_long_names_that_overlap(tmp_path: Path) -> None:
    count, size = 1000, limits.BITCODE_NAME_BYTES // 999

    def variables(writer: BitWriter) -> None:
        for index in range(count):
            writer.record(7, [index, size, BYTES, 3, count + 1, 9, 0, 0])

    names = bytes(size + count)
    data = module(1, string(b"1"), variable=variables, write_metadata=many_nodes(count), names=names)
    said, memory = cost_of(data, tmp_path)
    assert "names of embedded objects take" in said
    assert memory < MEMORY


def test_long_string_that_nodes_share(tmp_path: Path) -> None:
    count = 20_000

    def metadata(writer: BitWriter) -> None:
        with writer.block(modules.METADATA):
            writer.record(1, b".llvm.offloading".ljust(200_000, b"x"))
            writer.record(2, [modules.POINTER, 0])
            for _ in range(count):
                writer.record(3, [2, 1])
            modules.named(writer, list(range(2, 2 + count)))

    said, _ = cost_of(module(1, string(b"1"), write_metadata=metadata), tmp_path)
    assert said == "0 0"


def test_more_objects_than_are_read(tmp_path: Path) -> None:
    count = limits.BITCODE_OBJECTS + 1
    data = module(1, string(b"1"), variable=many_globals(count, count + 1), write_metadata=many_nodes(count))
    said, memory = cost_of(data, tmp_path)
    assert f"module lists more than {limits.BITCODE_OBJECTS} embedded objects" in said
    assert memory < MEMORY


def test_abbreviation_that_takes_no_bits(tmp_path: Path) -> None:
    """Each record of 4 bits has a thousand literals."""

    def fill(writer: BitWriter) -> None:
        writer.define((LITERAL, AGGREGATE), *[(LITERAL, 1)] * 1000)
        writer.record(STRING, b"1")
        for _ in range(100_000):
            writer.fixed(0x44444444, 32)

    said, memory = cost_of(module(1, fill), tmp_path)
    assert said == "1 1"
    assert memory < MEMORY


@pytest.mark.parametrize(("operands", "size"), [(limits.BITCODE_OPERANDS, "fits"), (limits.BITCODE_OPERANDS + 1, "no")])
def test_operands_of_one_record(tmp_path: Path, operands: int, size: str) -> None:
    def fill(writer: BitWriter) -> None:
        writer.record(AGGREGATE, [2] * operands)
        writer.record(SETTYPE, [modules.I8])
        writer.record(NULL)

    said, memory = cost_of(module(operands, fill), tmp_path)
    assert said == (f"1 {operands}" if size == "fits" else said)
    assert ("has more than" in said) == (size == "no")
    assert memory < MEMORY


def test_more_types_and_abbreviations_than_are_read(tmp_path: Path) -> None:
    def types(writer: BitWriter) -> None:
        with writer.block(modules.TYPES):
            writer.define((LITERAL, 2))
            for _ in range((limits.BITCODE_TYPES + 1) // 8 + 1):
                writer.fixed(0o44444444, 24)

    said, memory = cost_of(module(1, string(b"1"), write_types=types), tmp_path)
    assert "more than 1048576 types" in said

    def abbreviations(writer: BitWriter) -> None:
        for _ in range(limits.BITCODE_ABBREVIATIONS + 1):
            writer.define((LITERAL, 1))

    said, memory = cost_of(module(1, string(b"1"), first=abbreviations), tmp_path)
    assert "more than 4096 abbreviations" in said
    assert memory < MEMORY


@pytest.mark.parametrize("code", [modules.VERSION, 0x3F])
def test_records_of_a_module_that_take_no_bits(tmp_path: Path, code: int) -> None:
    """Each record of 3 bits has a thousand literals; some of these are looked at."""

    def first(writer: BitWriter) -> None:
        writer.define((LITERAL, code), *[(LITERAL, 2)] * 1000)
        for _ in range(30_000):
            writer.fixed(0o44444444, 24)

    said, memory = cost_of(module(1, string(b"1"), first=first), tmp_path)
    assert said == "1 1"
    assert memory < MEMORY


def test_listed_objects_that_take_no_bits(tmp_path: Path) -> None:
    """Each pair of records of 6 bits lists a thousand objects."""

    def metadata(writer: BitWriter) -> None:
        with writer.block(modules.METADATA):
            writer.define((LITERAL, 4), *[(LITERAL, value) for value in b"llvm.embedded.objects"])
            writer.define((LITERAL, 10), *[(LITERAL, 0)] * 1000)
            for _ in range(20_000):
                writer.fixed(0o54545454, 24)

    said, memory = cost_of(module(1, string(b"1"), write_metadata=metadata), tmp_path)
    assert f"module lists more than {limits.BITCODE_OBJECTS} embedded objects" in said
    assert memory < MEMORY


def test_long_walk_over_operands(tmp_path: Path) -> None:
    """Ten million VBR operands of a record that nobody asks for."""

    def fill(writer: BitWriter) -> None:
        writer.record(SETTYPE, [BYTES])
        writer.record(STRING, b"1")
        writer.fixed(3, 4)
        writer.vbr(AGGREGATE, 6)
        writer.vbr(8 * 1_000_000, 6)
        writer.fixed(int.from_bytes(b"\x41\x10\x04" * 2_000_000, "little"), 48_000_000)

    said, memory = cost_of(module(1, fill), tmp_path)
    assert said == "1 1"
    assert memory < MEMORY
