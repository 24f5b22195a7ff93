"""CUDA fatbins: every file gives the entries that cuobjdump and its maker's options state."""

from __future__ import annotations

import pytest

from offload_tool import limits
from offload_tool.gpu import cuda_fatbin
from offload_tool.gpu.cuda_fatbin import read_fatbin, read_fatbins
from offload_tool.gpu.payload import Payload

from .cuda_files import ADDV, LISTINGS, SCALE, Entry, data, examined, payload_bytes


def only(held: memoryview) -> tuple[Payload, ...]:
    (contents,) = read_fatbins(held)
    assert contents.fault is None
    assert contents.end == len(held)
    return contents.payloads


def listed(payload: Payload) -> Entry:
    flags = int(payload.declared.partition("flags ")[2].partition(",")[0], 16)
    is_stored = payload.compression == "none"
    return Entry(
        offset=payload.header_offset, kind=payload.kind, target=str(payload.target), flags=flags,
        header=payload.encoded_offset - payload.header_offset,
        padded=payload.encoded_size + (0 if is_stored else -payload.encoded_size % 8),
        encoded=0 if is_stored else payload.encoded_size, decoded=0 if is_stored else payload.decoded_size or 0,
        codec=payload.compression,
    )  # fmt: skip


@pytest.mark.parametrize("name", LISTINGS)
def test_entries_of_a_file(name: str) -> None:
    assert [listed(payload) for payload in only(data(f"{name}.fatbin"))] == LISTINGS[name]


@pytest.mark.parametrize("name", [name for name in LISTINGS if name not in ("fatbin_ltoir", "fatbin_empty")])
def test_payloads_are_what_their_entries_declare(name: str) -> None:
    held = data(f"{name}.fatbin")
    for payload in only(held):
        found = examined(held, payload)
        assert (found.kind, found.target, found.fault) == (payload.kind, payload.target, None)
        assert {kernel.name for kernel in found.kernels or ()} == {SCALE, ADDV}


@pytest.mark.parametrize("name", ["fatbin_default_cuda13", "fatbin_speed_lz4_ptx", "fatbin_size_zstd_all",
                                  "fatbin_lz4_all"])  # fmt: skip
def test_codecs_give_the_same_bytes(name: str) -> None:
    stored, packed = data("fatbin_none.fatbin"), data(f"{name}.fatbin")
    for plain, payload in zip(only(stored), only(packed), strict=True):
        # Stored text is filled up with zeros.
        assert bytes(payload_bytes(packed, payload)).ljust(plain.encoded_size, b"\0") == payload_bytes(stored, plain)


def test_stored_cubins_are_the_files_that_went_in() -> None:
    held = data("fatbin_none.fatbin")
    inputs = ["cubin_sm_80.cubin", "cubin_sm_90a.cubin", "cubin_sm_100f.cubin"]
    for payload, name in zip(only(held), inputs, strict=False):
        assert payload_bytes(held, payload) == data(name)


def test_name_and_options_are_declared() -> None:
    declared = [payload.declared for payload in only(data("fatbin_ident_opts.fatbin"))]
    assert declared == [
        "kind 0x2, SM 80, version 1.8, flags 0x11, name 'myobj.cu'",
        "kind 0x2, SM 100, version 1.8, flags 0x1000011, name 'myobj.cu'",
        "kind 0x1, SM 80, version 9.0, flags 0x8011, name 'myobj.cu', options '-O3 --maxrregcount 32'",
    ]


def test_scrambled_ir_keeps_its_extents() -> None:
    first, second, third = only(data("fatbin_ltoir.fatbin"))
    assert [payload.fault and payload.fault.code for payload in (first, second, third)] == ["scrambled"] * 2 + [None]
    assert (first.encoded_offset, first.encoded_size, first.decoded_size) == (136, 1997, 2688)
    assert "options '-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1 '" in first.declared


def test_fatbin_in_the_middle_counts_from_the_buffer() -> None:
    alone = read_fatbin(data("fatbin_none.fatbin"))
    within = read_fatbin(memoryview(b"x" * 40 + bytes(data("fatbin_none.fatbin")) + b"y" * 7), 40)
    assert within.end == alone.end + 40
    shifted = [(one.header_offset + 40, one.encoded_offset + 40) for one in alone.payloads]
    assert [(one.header_offset, one.encoded_offset) for one in within.payloads] == shifted


@pytest.mark.parametrize("gap", [0, 8, 64, 4096, 1 << 17])
def test_fatbins_follow_each_other_with_zeros_between(gap: int) -> None:
    one = bytes(data("fatbin_lz4_all.fatbin"))
    found = list(read_fatbins(memoryview(one + bytes(gap) + one + bytes(gap))))
    assert [contents.fault for contents in found] == [None, None]
    assert [len(contents.payloads) for contents in found] == [4, 4]
    assert found[1].payloads[0].header_offset == len(one) + gap + 16


def test_magic_inside_a_payload_is_no_fatbin() -> None:
    held = bytearray(data("fatbin_none.fatbin"))
    held[2000:2004] = cuda_fatbin.MAGIC
    assert len(list(read_fatbins(memoryview(bytes(held))))) == 1


def test_nothing_but_zeros_holds_no_fatbin() -> None:
    assert list(read_fatbins(memoryview(bytes(100)))) == []
    assert list(read_fatbins(memoryview(b""))) == []


def test_more_entries_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_fatbin, "FATBIN_ENTRIES", 2)
    (contents,) = read_fatbins(data("fatbin_none.fatbin"))
    assert contents.fault is not None
    assert (contents.fault.code, len(contents.payloads)) == ("too-large", 2)
    assert limits.FATBIN_ENTRIES > 1000
