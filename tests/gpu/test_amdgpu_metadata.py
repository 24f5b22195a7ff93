"""The notes of code objects, made by hand: what is taken, and what is told of damaged ones."""

from __future__ import annotations

import struct
import tracemalloc
from contextlib import suppress
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.errors import FormatError
from offload_tool.gpu.amdgpu import examine
from offload_tool.gpu.amdgpu_metadata import metadata
from offload_tool.gpu.amdgpu_v2 import kernels_of, target_of
from offload_tool.gpu.payload import Kernel
from offload_tool.limits import AMDGPU_KERNEL_FIELDS, AMDGPU_KERNELS

from .amd_files import held

TARGET = "amdgcn-amd-amdhsa--gfx90a:xnack+"
KERNEL = {
    ".name": "k",
    ".symbol": "k.kd",
    ".vgpr_count": 3,
    ".group_segment_fixed_size": 16,
    ".kernarg_segment_size": 8,
}


def read(value: Any) -> tuple[Kernel, ...] | None:
    return metadata(memoryview(msgpack.packb(value)), kernels=True).kernels


def fault_of(note: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        metadata(memoryview(note), kernels=True)
    return caught.value


class TestMessagePack:
    def test_kernels_and_target(self) -> None:
        note = msgpack.packb(
            {"amdhsa.version": [1, 2], "amdhsa.target": TARGET, "amdhsa.kernels": [KERNEL, {".name": "l"}]}
        )
        found = metadata(memoryview(note), kernels=True)
        assert found.triple_and_target == TARGET
        assert found.kernels == (Kernel(name="k", registers=3, shared_bytes=16, arguments_bytes=8), Kernel(name="l"))
        assert metadata(memoryview(note), kernels=False).kernels is None

    def test_keys_in_any_order_and_unknown_ones(self) -> None:
        note = {"x": {"deep": [[1, {"y": b"bytes"}]]}, "amdhsa.kernels": [{".args": [{}], "z": 1.5, **KERNEL}]}
        assert read(note) == (Kernel(name="k", registers=3, shared_bytes=16, arguments_bytes=8),)

    def test_symbol_names_a_kernel_without_a_name(self) -> None:
        assert read({"amdhsa.kernels": [{".symbol": "k.kd"}]}) == (Kernel(name="k"),)

    def test_no_kernels(self) -> None:
        assert read({"amdhsa.kernels": []}) == ()
        assert read({}) is None

    def test_numbers_of_every_width(self) -> None:
        for number in (0, 127, 128, 255, 65535, 65536, (1 << 32) - 1, 1 << 32, (1 << 64) - 1):
            found = read({"amdhsa.kernels": [{".name": "k", ".vgpr_count": number}]})
            assert found == (Kernel(name="k", registers=number),)

    def test_names_of_every_length(self) -> None:
        for length in (1, 31, 32, 255, 256, 70_000):
            assert read({"amdhsa.kernels": [{".name": "k" * length}]}) == (Kernel(name="k" * length),)

    def test_name_that_is_no_utf_8(self) -> None:
        [kernel] = metadata(memoryview(b"\x81\xaeamdhsa.kernels\x91\x81\xa5.name\xa1\xff"), kernels=True).kernels or ()
        assert kernel.name == "\udcff"

    @pytest.mark.parametrize(
        ("value", "words"),
        [
            ([], "no sound MessagePack"),
            ({"amdhsa.kernels": {}}, "no sound MessagePack"),
            ({"amdhsa.kernels": [[]]}, "no sound MessagePack"),
            ({"amdhsa.kernels": [{".name": 3}]}, "expected text"),
            ({"amdhsa.kernels": [{".name": None}]}, "expected text"),
            ({"amdhsa.kernels": [{".name": "k", ".vgpr_count": "3"}]}, "expected a number"),
            ({"amdhsa.kernels": [{".name": "k", ".vgpr_count": -1}]}, "expected a number"),
            ({"amdhsa.kernels": [{".name": "k", ".vgpr_count": 1.5}]}, "expected a number"),
            ({"amdhsa.kernels": [{".vgpr_count": 1}]}, "neither .name nor .symbol"),
            ({"amdhsa.target": [TARGET]}, "expected text"),
            ({3: 4}, "expected text"),
        ],
    )
    def test_wrong_types(self, value: Any, words: str) -> None:
        assert words in fault_of(msgpack.packb(value)).what

    def test_key_twice(self) -> None:
        assert "has the key 'a' twice" in fault_of(b"\x82\xa1a\x01\xa1a\x01").what
        twice = b"\x81\xaeamdhsa.kernels\x91\x82\xa5.name\xa1k\xa5.name\xa1k"
        assert "has the key '.name' twice" in fault_of(twice).what

    @pytest.mark.parametrize("opening", [b"\x91", b"\x81\xa1a", b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff\xa1a"])
    @pytest.mark.parametrize(
        "place", [b"\x81\xa1x", b"\x81\xadamdhsa.target", b"\x81\xaeamdhsa.kernels\x91\x81\xa5.name"]
    )
    def test_deep_nesting_and_sizes_that_are_not_there(self, opening: bytes, place: bytes) -> None:
        note = place + opening * 100_000
        tracemalloc.start()
        fault_of(note)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 * len(note) + (1 << 20)

    def test_more_than_is_read(self) -> None:
        kernels = b"\x81\xaeamdhsa.kernels\xdd" + struct.pack(">I", AMDGPU_KERNELS + 1)
        assert "items, at most" in fault_of(kernels + b"\x81\xa5.name\xa1k" * 10).what
        fields = b"\xde" + struct.pack(">H", AMDGPU_KERNEL_FIELDS + 1)
        assert fault_of(fields + b"\xa1a\x01" * 300).what

    def test_cut_at_every_length(self) -> None:
        note = msgpack.packb({"amdhsa.target": TARGET, "amdhsa.kernels": [KERNEL, KERNEL]})
        for length in range(len(note)):
            assert fault_of(note[:length]).offset <= length

    @given(st.binary(max_size=200))
    def test_any_bytes(self, note: bytes) -> None:
        with suppress(FormatError):
            assert metadata(memoryview(note), kernels=True).kernels in {None, ()}

    def test_damaged_note_leaves_the_kernels_of_the_symbols(self) -> None:
        data = bytes(held("co_v6_gfx90a.co"))
        at = data.index(b"amdhsa.kernels") - 1
        found = examine(memoryview(data[:at] + b"\xc1" + data[at + 1 :]), kernels=True)
        assert found.fault is not None
        assert (found.target, found.fault.code) == ("gfx90a", "bad-payload")
        assert found.kernels is not None
        rows = [(each.name, each.registers, each.shared_bytes, each.arguments_bytes) for each in found.kernels]
        assert sorted(rows) == [("_Z4addvPKfS0_Pfi", None, 0, 28), ("scale", None, 0, 16)]


class TestVersion2:
    def test_kernels(self) -> None:
        text = (
            "---\nVersion: [ 1, 0 ]\nPrintf:\n  - 'Name: no'\nKernels:\n  - Name: one\n    SymbolName: 'one@kd'\n"
            "    Args:\n      - Name: p\n        Size: 8\n    CodeProps:\n      KernargSegmentSize: 12\n"
            "      GroupSegmentFixedSize: 16\n      NumVGPRs: 2\n  - Name: 'it''s'\r\n  - Name: \"q\"\n...\n"
        )
        assert kernels_of(memoryview(text.encode())) == (
            Kernel(name="one", registers=2, shared_bytes=16, arguments_bytes=12),
            Kernel(name="it's"),
            Kernel(name="q"),
        )

    def test_text_without_kernels(self) -> None:
        assert kernels_of(memoryview(b"---\nVersion: [ 1, 0 ]\n...\n")) == ()
        assert kernels_of(memoryview(b"\xff\x00" * 100)) == ()

    @pytest.mark.parametrize(
        ("numbers", "target"),
        [
            ((9, 0, 1), "gfx900"),
            ((9, 0, 0), "gfx900:xnack-"),
            ((9, 0, 7), "gfx906"),
            ((8, 0, 3), "gfx803"),
            ((9, 0, 10), "gfx90a"),
        ],
    )
    def test_instruction_sets(self, numbers: tuple[int, int, int], target: str) -> None:
        note = struct.pack("<HHIII", 4, 7, *numbers) + b"AMD\0AMDGPU\0"
        assert target_of(memoryview(note)) == target
        with pytest.raises(FormatError):
            target_of(memoryview(note[:12]))
