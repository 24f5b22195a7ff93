"""Limits of offload binaries and of the files that hold them."""

from __future__ import annotations

import struct
from pathlib import Path

from offload_tool.actions.hosts import spans
from offload_tool.actions.mapping import inflate
from offload_tool.actions.survey import survey
from offload_tool.codec.reader import read_images
from offload_tool.containers.archive_reader import members
from offload_tool.containers.bitcode import offloading_globals
from offload_tool.containers.bitcode_symbols import defined_symbols
from offload_tool.containers.coff import offloading_sections

from ..cli.running import binary
from ..containers.bit_writer import BitWriter
from ..containers.modules import AGGREGATE, I8, NULL, SETTYPE, STRING, module
from ..containers.test_bitcode_symbols_damage import GLOBAL, bitcode, table, variable, with_assembly
from .case import FUZZ, GOLDEN, GPU, Case, held

PACK = GOLDEN / "v2-four-images.bin"


def images(name: str = PACK.name) -> object:
    return list(read_images(held(GOLDEN / name), inflate))


def long_value(_folder: Path) -> object:
    return survey(memoryview(binary(b"image", {"note": "x" * 5000})), "fat.bin")


def two_compressed(_folder: Path) -> object:
    """Each of the two has 824 bytes once inflated."""
    return survey(memoryview((GOLDEN / "v3-four-images-zlib.bin").read_bytes() * 2), "fat.bin")


def archived(_folder: Path) -> object:
    return list(members(held(FUZZ / "hosts.a")))


def bsd_archive(_folder: Path) -> object:
    body = b"a name\0\0content!"
    header = b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (b"#1/8", 0, 0, 0, b"644", len(body))
    return list(members(memoryview(b"!<arch>\n" + header + body)))


def coff(_folder: Path) -> object:
    return offloading_sections(held(GPU / "host_hip_coff.obj"))


def long_section_name(_folder: Path) -> object:
    name = b".llvm.offloading".ljust(400, b"x") + b"\0"
    section = b"/4".ljust(8, b"\0") + bytes(32)
    head = struct.pack("<HHIIIHH", 0x8664, 1, 0, 20 + len(section), 0, 0, 0)
    return offloading_sections(memoryview(head + section + struct.pack("<I", 4 + len(name)) + name))


def nested_archive(_folder: Path) -> object:
    inner = (FUZZ / "hosts.a").read_bytes()
    header = b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (b"hosts.a/", 0, 0, 0, b"644", len(inner))
    return spans(memoryview(b"!<arch>\n" + header + inner), "outer.a")


def nested_pack(_folder: Path) -> object:
    """Whether the images of an image are told."""
    inner = PACK.read_bytes()
    head = struct.pack("<4sIQQQ", inner[:4], 1, 72 + len(inner), 32, 40)
    head += struct.pack("<HHIQQQQ", 0, 0, 0, 72, 0, 72, len(inner))
    (found,) = survey(memoryview(head + inner), "fat.bin")
    return "nested" if found.nested else "plain"


def embedded(data: bytes) -> object:
    return [bytes(found.content) for found in offloading_globals(memoryview(data))]


def of_clang(_folder: Path) -> object:
    return embedded((FUZZ / "embedded.bc").read_bytes())


def zeros(_folder: Path) -> object:
    return embedded(module(9, lambda writer: writer.record(NULL)))


def plain(_folder: Path) -> object:
    return embedded(module(3, lambda writer: writer.record(STRING, b"123")))


def aggregate(_folder: Path) -> object:
    def fill(writer: BitWriter) -> None:
        writer.record(AGGREGATE, [2] * 3)
        writer.record(SETTYPE, [I8])
        writer.record(NULL)

    return embedded(module(3, fill))


def abbreviated(_folder: Path) -> object:
    def define(writer: BitWriter) -> None:
        for _ in range(3):
            writer.define((0, 1), (0, 2), (0, 3))

    return embedded(module(1, lambda writer: writer.record(STRING, b"1"), first=define))


def two_modules(_folder: Path) -> object:
    return defined_symbols(memoryview(bitcode(variable(), variable(), names=b"ab")))


def assembly(_folder: Path) -> object:
    told = table([(0, 3)], [(0, 1, GLOBAL), (1, 2, GLOBAL), (1, 2, GLOBAL)])
    return defined_symbols(memoryview(bitcode(with_assembly, names=b"vab", symtab=told)))


CASES: dict[str, list[Case]] = {
    "IMAGES": [Case(module="codec.reader", lowered=3, feed=lambda _: images(), told="more than 3 images")],
    "STRING_RECORDS": [Case(module="codec.reader", lowered=1, feed=lambda _: images(), told="more than there can be")],
    "STRING_BYTES": [
        Case(module="codec.reader", lowered=4, feed=lambda _: images(), told="at most 4 are read"),
        Case(module="codec.reader", lowered=4500, feed=long_value, told="no NUL within 4500 bytes"),
    ],
    "STRINGS_BYTES": [Case(module="codec.reader", lowered=9, feed=lambda _: images(), told="exceed 9 bytes")],
    "INFLATED_BYTES": [
        Case(
            module="actions.mapping", lowered=99, told="at most 99 are read",
            feed=lambda _: images("v3-four-images-zlib.bin"),
        ),
        Case(module="actions.mapping", lowered=1000, feed=two_compressed, told="more than 1000 bytes once inflated"),
    ],
    "ARCHIVE_MEMBERS": [Case(module="containers.archive_reader", lowered=2, feed=archived, told="more than 2 archive")],
    "ARCHIVE_NAME_BYTES": [
        Case(module="containers.archive_reader", lowered=9, feed=archived, told="does not end within 9 bytes"),
        Case(module="containers.archive_reader", lowered=7, feed=bsd_archive, told="names at most 7"),
    ],
    "COFF_SECTIONS": [Case(module="containers.coff", lowered=2, feed=coff, told="at most 2 are read")],
    "COFF_NAME_BYTES": [
        Case(module="containers.coff", lowered=300, feed=long_section_name, told="no NUL within 300 bytes")
    ],
    "NESTING": [
        Case(module="actions.hosts", lowered=1, feed=nested_archive, told="nested deeper than 1 levels"),
        Case(module="actions.survey", lowered=0, feed=nested_pack, told="plain"),
    ],
    "BITCODE_ABBREVIATIONS": [
        Case(module="containers.bitstream", lowered=2, feed=abbreviated, told="more than 2 abbreviations")
    ],
    "BITCODE_ABBREVIATION_OPERANDS": [
        Case(module="containers.abbreviation", lowered=2, feed=abbreviated, told="expected 1 to 2")
    ],
    "BITCODE_RECORDS": [Case(module="containers.bitstream", lowered=3, feed=plain, told="more than 3 entries")],
    "BITCODE_OPERANDS": [Case(module="containers.bitstream", lowered=2, feed=aggregate, told="more than 2 operands")],
    "BITCODE_TYPES": [Case(module="containers.bitcode_constants", lowered=2, feed=plain, told="more than 2 types")],
    "BITCODE_OBJECTS": [
        Case(module="containers.bitcode_metadata", lowered=0, feed=plain, told="lists more than 0 embedded"),
        Case(module="containers.bitcode", lowered=0, feed=plain, told="embeds more than 0 objects"),
    ],
    "BITCODE_OBJECT_BYTES": [Case(module="containers.bitcode", lowered=2, feed=plain, told="embeds more than 2 bytes")],
    "BITCODE_NAME_BYTES": [Case(module="containers.bitcode", lowered=2, feed=plain, told="at most 2 are read")],
    "BITCODE_ZERO_BYTES": [
        Case(module="containers.bitcode_constants", lowered=8, feed=zeros, told="at most 8 are read")
    ],
    "BITCODE_MODULES": [
        Case(module="containers.bitcode_file", lowered=1, feed=two_modules, told="more than 1 modules")
    ],
    "BITCODE_SYMBOLS": [
        Case(module="containers.bitcode_symbols", lowered=1, feed=two_modules, told="more than 1 symbols"),
        Case(module="containers.bitcode_symtab", lowered=2, feed=assembly, told="at most 2 are read"),
    ],
    "BITCODE_SYMBOL_BYTES": [
        Case(module="containers.bitcode_symbols", lowered=1, feed=two_modules, told="at most 1 are read"),
        Case(module="containers.bitcode_symtab", lowered=3, feed=assembly, told="take more than 3 bytes"),
    ],
}  # fmt: skip
