"""Damaged CUDA fatbins: each fault is told where it is, and what can be read is read all the same."""

from __future__ import annotations

import pytest

from offload_tool.errors import FormatError
from offload_tool.gpu.cuda_fatbin import read_fatbin, read_fatbins

from .cuda_files import FIELDS, data, examined, patched, read_everything

SMALL = "fatbin_size_zstd_all.fatbin"


@pytest.mark.parametrize(
    ("name", "entries", "offset", "words"),
    [
        ("bad_fatbin_truncated_last_entry", 3, 4568, "the fatbin claims bytes 0 to 4608 of 4568"),
        ("bad_fatbin_payload_size_wraps", 0, 4608, "needs bytes up to 18446744073709551632"),
        ("bad_fatbin_outer_size_cuts_last", 3, 4544, "needs bytes up to 4608, the fatbin ends at 4544"),
    ],
)
def test_damaged_file(name: str, entries: int, offset: int, words: str) -> None:
    (contents,) = read_fatbins(data(f"{name}.fatbin"))
    assert contents.fault is not None
    assert (contents.fault.code, contents.fault.offset) == ("truncated", offset)
    assert words in contents.fault.text
    assert [payload.target for payload in contents.payloads] == ["sm_80", "sm_90a", "sm_100f"][:entries]
    for payload in contents.payloads:
        assert examined(data(f"{name}.fatbin"), payload).target == payload.target


def test_decoded_size_that_is_too_small_is_a_fault_of_that_entry_only() -> None:
    held = data("bad_fatbin_usize_too_small.fatbin")
    (contents,) = read_fatbins(held)
    assert contents.fault is None
    first, *others = contents.payloads
    with pytest.raises(FormatError, match="tells 4968 bytes, 16 are declared"):
        examined(held, first)
    assert [examined(held, payload).target for payload in others] == ["sm_90a", "sm_100f", "compute_100f"]


@pytest.mark.parametrize(
    ("field", "value", "code", "offset"),
    [
        ("version", 0x0102, "unknown-version", 18),
        ("kind", 0x10, "unknown-kind", 16),
        ("compressed_size", 1049, "bad-size", 32),
        ("compressed_size", 0, "bad-size", 32),
        ("decoded_size", 0, "bad-size", 32),
        ("decoded_size", 1 << 62, "too-large", 72),
        ("flags", 0xA011, "unknown-compression", 56),
        ("flags", 0x0011, "unknown-compression", 56),
        ("flags", 0x18011, "scrambled", 80),
        ("name_offset", 0x41, "bad-offset", 48),
        ("options_offset", 0x40, "bad-offset", 36),
        ("options_offset", 0xFFFFFFFF, "bad-offset", 36),
    ],
)
def test_fault_of_one_entry(field: str, value: int, code: str, offset: int) -> None:
    (contents,) = read_fatbins(patched(SMALL, field, value))
    assert contents.fault is None
    first, *others = contents.payloads
    assert first.fault is not None
    assert (first.fault.code, first.fault.offset) == (code, offset)
    assert [payload.fault for payload in others] == [None] * 3


def test_unknown_codec_keeps_its_extents() -> None:
    first = read_fatbin(patched(SMALL, "flags", 0xA011)).payloads[0]
    assert (first.compression, first.encoded_size, first.decoded_size) == ("unknown", 1046, 4968)


@pytest.mark.parametrize(("kind", "name", "target"), [
    (4, "pre-elf-cubin", "sm_80"), (0x20, "index", None), (0x40, "relocatable-ptx", "compute_80"),
    (0x80, "tile-ir", "sm_80"), (0x100, "concatenated", None), (0, "unknown", None), (0x10, "unknown", None),
])  # fmt: skip
def test_kinds_that_no_sample_holds(kind: int, name: str, target: str | None) -> None:
    first = read_fatbin(patched(SMALL, "kind", kind)).payloads[0]
    assert (first.kind, first.target) == (name, target)


@pytest.mark.parametrize(("flags", "target"), [(0x108011, "sm_80a"), (0x208011, "sm_80f"), (0x308011, "sm_80a")])
def test_suffix_comes_from_the_flags(flags: int, target: str) -> None:
    assert read_fatbin(patched(SMALL, "flags", flags)).payloads[0].target == target


@pytest.mark.parametrize("size", [0, 8, 63])
def test_header_size_too_small_ends_the_walk(size: int) -> None:
    (contents,) = read_fatbins(patched(SMALL, "header_size", size, entry=0x468))
    assert contents.fault is not None
    assert (contents.fault.code, contents.fault.offset) == ("bad-header", 0x468 + 4)
    assert [payload.target for payload in contents.payloads] == ["sm_80"]
    assert contents.end == len(data(SMALL))


@pytest.mark.parametrize(
    ("offset", "value", "code"), [(0, b"\x51", "bad-header"), (4, b"\2", "unknown-version"), (6, b"\x0f", "bad-header")]
)
def test_damaged_outer_header(offset: int, value: bytes, code: str) -> None:
    held = bytearray(data(SMALL))
    held[offset : offset + 1] = value
    contents = read_fatbin(memoryview(bytes(held)))
    assert contents.fault is not None
    assert contents.fault.code == code
    assert len(contents.payloads) == (4 if code == "unknown-version" else 0)


def test_something_else_than_zeros_between_fatbins() -> None:
    one = bytes(data(SMALL))
    first, *others = read_fatbins(memoryview(one + bytes(16) + b"junk" + bytes(12) + one))
    assert others == []
    assert first.fault is not None
    assert (first.fault.code, first.fault.offset) == ("bad-padding", len(one) + 16)
    assert len(first.payloads) == 4


@pytest.mark.parametrize("name", [SMALL, "fatbin_lz4_all.fatbin"])
def test_cut_at_every_length(name: str) -> None:
    held = data(name)
    for size in [*range(400), *range(400, len(held), 37)]:
        read_everything(held[:size])
        for contents in read_fatbins(held[:size]):
            assert contents.fault is not None


@pytest.mark.parametrize("name", [SMALL, "fatbin_ident_opts.fatbin", "fatbin_ltoir.fatbin"])
def test_flipped_header_bytes(name: str) -> None:
    held = bytes(data(name))
    payloads = read_fatbin(memoryview(held)).payloads
    headers = (range(16), *(range(one.header_offset, one.encoded_offset) for one in payloads))
    for offset in (offset for header in headers for offset in header):
        for flip in (0x01, 0x80, 0xFF):
            changed = bytearray(held)
            changed[offset] ^= flip
            read_everything(memoryview(bytes(changed)))


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [0, 1, 0x7FFF, 0xFFFF])
def test_extreme_fields(field: str, value: int) -> None:
    read_everything(patched("fatbin_lz4_all.fatbin", field, value))
    read_everything(patched("fatbin_ident_opts.fatbin", field, value, entry=0x35D0))
