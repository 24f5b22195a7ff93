"""Cubins of both layouts: architectures from headers, attributes and notes; kernels with what they need."""

from __future__ import annotations

import struct

import pytest

from offload_tool.gpu import cubin, cubin_kernels
from offload_tool.gpu.payload import CODES
from offload_tool.gpu.payload_kind import kind_of
from offload_tool.wire.elf import ElfSection, section_table

from .code_of_kernels import without_code
from .cuda_files import CUBINS, data, kernels

E_FLAGS = 48


def section(held: memoryview, name: str) -> ElfSection:
    return next(one for one in section_table(held) if one.name == name)


def changed(held: memoryview, offset: int, replacement: bytes) -> memoryview:
    copy = bytearray(held)
    copy[offset : offset + len(replacement)] = replacement
    return memoryview(bytes(copy))


def header_of(held: memoryview, name: str) -> int:
    """Where the header of a section stands: section headers are 64 bytes."""
    e_shoff: int = struct.unpack_from("<Q", held, 40)[0]
    return e_shoff + 64 * [one.name for one in section_table(held)].index(name)


@pytest.mark.parametrize("name", CUBINS)
def test_architecture_of_the_header(name: str) -> None:
    target, is_exact, _ = CUBINS[name]
    found = cubin.examine_head(bytes(data(f"{name}.cubin")[:64]))
    assert (found.kind, found.target, found.is_exact, found.fault) == ("cubin", target, is_exact, None)


@pytest.mark.parametrize("name", CUBINS)
def test_architecture_and_kernels_of_the_file(name: str) -> None:
    found = cubin.examine(data(f"{name}.cubin"), kernels=True)
    assert (found.target, found.is_exact, found.fault) == (CUBINS[name][2], True, None)
    assert without_code(found.kernels) == kernels(*((8, 4) if "sm_52" in name else (12, 8)))


def test_kernels_are_not_read_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(cubin_kernels, "kernels_of")
    assert cubin.examine(data("cubin_sm_80.cubin"), kernels=False).kernels is None


def test_suffix_stays_unknown_without_note_and_attribute() -> None:
    held = data("cubin_sm_100f.cubin")
    held = changed(held, section(held, ".note.nv.tkinfo").offset + 8, b"\0")
    found = cubin.examine(held, kernels=False)
    assert (found.target, found.is_exact, found.fault) == ("sm_100", False, None)


def test_attribute_tells_the_suffix_without_the_note() -> None:
    held = data("cubin_sm_100a.cubin")
    held = changed(held, section(held, ".note.nv.tkinfo").offset + 8, b"\0")
    found = cubin.examine(held, kernels=False)
    assert (found.target, found.is_exact) == ("sm_100a", True)


def test_note_of_another_architecture_is_not_believed() -> None:
    held = data("cubin_sm_100.cubin")
    place = bytes(held).index(b"-arch sm_100")
    found = cubin.examine(changed(held, place, b"-arch sm_120"), kernels=False)
    assert (found.target, found.is_exact) == ("sm_100", False)


def test_old_layout_with_a() -> None:
    held = data("cubin_old_sm_52_cuda118.cubin")
    for flags, target in ((0x5A055A, "sm_90"), (0x5A0D5A, "sm_90a")):
        found = cubin.examine_head(bytes(changed(held, E_FLAGS, struct.pack("<I", flags))[:64]))
        assert (found.target, found.is_exact) == (target, True)


def test_32_bit_header() -> None:
    head = b"\x7fELF\x01\x01\x01\x33\x07".ljust(16, b"\0") + struct.pack(
        "<HHIIIIIHHHHHH", 2, 190, 0x76, 0, 0, 0, 0x340134, 52, 0, 0, 40, 0, 0
    )
    assert kind_of(head) == "cubin"
    assert cubin.examine_head(head).target == "sm_52"


def test_registers_come_from_the_attribute_first() -> None:
    held = data("cubin_sm_80.cubin")
    info = section(held, ".nv.info")
    place = bytes(held).index(b"\x04\x2f\x08\x00", info.offset)
    found = cubin.examine(changed(held, place + 8, b"\x63"), kernels=True)
    assert 0x63 in {kernel.registers for kernel in found.kernels or ()}


@pytest.mark.parametrize(("name", "registers"), [("cubin_sm_80", (12, 8)), ("cubin_sm_90a", (None, None))])
def test_registers_without_the_attribute(name: str, registers: tuple[int | None, int | None]) -> None:
    held = data(f"{name}.cubin")
    # An attribute of a number that nobody reads.
    held = memoryview(bytes(held).replace(b"\x04\x2f\x08\x00", b"\x04\xf0\x08\x00"))
    found = cubin.examine(held, kernels=True)
    assert tuple(kernel.registers for kernel in found.kernels or ()) == registers


def test_shared_memory_is_the_size_of_a_section_without_bytes() -> None:
    held = data("cubin_sm_80.cubin")
    names = section(held, ".shstrtab")
    # The section of parameters becomes one of shared memory; both names end alike and have the same length.
    place = bytes(held).index(b".nv.constant0.scale", names.offset)
    held = changed(held, place, b".nv..shared.scale\0\0")
    header = header_of(held, ".nv..shared.scale")
    held = changed(held, place, b".nv.shared.scale\0\0\0")
    held = changed(held, header + 4, struct.pack("<I", 8))
    held = changed(held, header + 32, struct.pack("<Q", 1 << 40))
    found = {kernel.name: kernel.shared_bytes for kernel in cubin.examine(held, kernels=True).kernels or ()}
    assert found == {"_Z4addvPKfS0_Pfi": 0, "scale": 1 << 40}


@pytest.mark.parametrize("st_other", [0x00, 0x03, 0x20, 0xA0])
def test_function_without_the_mark_is_no_kernel(st_other: int) -> None:
    held = data("cubin_sm_80.cubin")
    table = section(held, ".symtab")
    for place in range(table.offset, table.offset + table.size, 24):
        if held[place + 5] & 0x10:
            held = changed(held, place + 5, bytes([st_other]))
    assert cubin.examine(held, kernels=True).kernels == ()


def test_kernel_that_is_local_or_hidden_is_a_kernel() -> None:
    held = data("cubin_sm_80.cubin")
    table = section(held, ".symtab")
    for place in range(table.offset, table.offset + table.size, 24):
        if held[place + 5] & 0x10:
            held = changed(held, place + 4, b"\x02\x13")
    assert without_code(cubin.examine(held, kernels=True).kernels) == kernels(12, 8)


@pytest.mark.parametrize(("offset", "value", "code"), [
    (7, b"\x40", "unknown-version"), (8, b"\x09", "unknown-version"), (18, b"\xe0", "bad-payload"),
    (4, b"\x03", "truncated"), (0, b"\x00", "truncated"),
])  # fmt: skip
def test_header_that_is_no_cubins(offset: int, value: bytes, code: str) -> None:
    found = cubin.examine_head(bytes(changed(data("cubin_sm_80.cubin"), offset, value)[:64]))
    assert found.fault is not None
    assert (found.target, found.fault.code) == (None, code)


def test_damaged_attributes_keep_the_architecture() -> None:
    held = data("cubin_sm_80.cubin")
    info = section(held, ".nv.info.scale")
    found = cubin.examine(changed(held, info.offset, b"\x09"), kernels=True)
    assert (found.target, found.kernels) == ("sm_80", None)
    assert found.fault is not None
    assert (found.fault.code, found.fault.offset) == ("bad-payload", info.offset + 4)


def test_attribute_sections_that_overlap_are_not_read_again_and_again() -> None:
    held = data("cubin_sm_80.cubin")
    for name in (".nv.info.scale", ".nv.info._Z4addvPKfS0_Pfi"):
        held = changed(held, header_of(held, name) + 24, struct.pack("<QQ", 0, len(held)))
    found = cubin.examine(held, kernels=True)
    assert found.fault is not None


@pytest.mark.parametrize("name", ["cubin_sm_80", "cubin_sm_100f", "cubin_old_sm_52_cuda118"])
def test_cut_at_every_length(name: str) -> None:
    held = data(f"{name}.cubin")
    for size in [*range(200), *range(200, len(held), 29), len(held) - 1]:
        found = cubin.examine(held[:size], kernels=True)
        assert found.fault is not None
        assert found.fault.code in CODES


@pytest.mark.parametrize("name", ["cubin_sm_90a", "cubin_old_sm_52_cuda118"])
def test_flipped_bytes(name: str) -> None:
    held = data(f"{name}.cubin")
    for offset in range(0, len(held), 3):
        found = cubin.examine(changed(held, offset, bytes([held[offset] ^ 0xFF])), kernels=True)
        assert found.fault is None or found.fault.code in CODES
