"""Bundles of text: assembly, LLVM IR and preprocessed source between marker lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from offload_tool.gpu.payload import CODES, Contents
from offload_tool.gpu.text_bundle import matches, read_text_bundle

from ..peers import peer, run
from .amd_files import held, with_bytes

START = "{} __CLANG_OFFLOAD_BUNDLE____START__ {}\n"
END = "\n{} __CLANG_OFFLOAD_BUNDLE____END__ {}\n"
ONE = "hip-amdgcn-amd-amdhsa--gfx90a"
TWO = "hip-amdgcn-amd-amdhsa--gfx1100"


def read(text: str) -> Contents:
    return read_text_bundle(memoryview(text.encode()))


def entry(text: str, name: str = ONE, sign: str = "#") -> str:
    return "\n" + START.format(sign, name) + text + END.format(sign, name)


def codes(contents: Contents) -> list[str | None]:
    return [payload.fault.code if payload.fault else None for payload in contents.payloads]


class TestCorpus:
    def test_inventory(self) -> None:
        data = held("text_bundle.s")
        contents = read_text_bundle(data)
        found = [(p.kind, p.target, p.header_offset, p.encoded_offset + p.encoded_size) for p in contents.payloads]
        assert found == [
            ("assembly", "gfx1100", 1, 4832),
            ("assembly", "gfx90a", 4898, 9826),
            ("host", None, 9891, 15404),
        ]
        assert (contents.fault, contents.end) == (None, len(data))
        first = contents.payloads[0]
        text = bytes(data[first.encoded_offset : first.encoded_offset + first.encoded_size])
        assert text.startswith(b'\t.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"')
        assert text.endswith(b"\n")

    def test_is_recognized(self) -> None:
        assert matches(bytes(held("text_bundle.s")[:200]))
        assert not matches(bytes(held("bundle_noalign.hipfb")[:200]))
        assert not matches(b"# a comment\n")

    def test_cut_at_every_length(self) -> None:
        data = held("text_bundle.s")
        for length in range(0, len(data), 31):
            contents = read_text_bundle(data[:length])
            assert contents.fault or contents.payloads
            assert set(codes(contents)) <= {None, *CODES}

    def test_flips_of_a_marker(self) -> None:
        data = bytes(held("text_bundle.s"))
        for offset in (*range(68), *range(4832, 4964)):
            contents = read_text_bundle(with_bytes(data, offset, bytes([data[offset] ^ 1])))
            assert contents.end == len(data)


@pytest.mark.parametrize(("sign", "kind"), [("#", "assembly"), (";", "llvm-ir"), ("//", "preprocessed")])
def test_sign_tells_the_kind(sign: str, kind: str) -> None:
    contents = read(entry("text\n", sign=sign))
    [payload] = contents.payloads
    assert (payload.kind, payload.encoded_size, payload.target, contents.fault) == (kind, 6, "gfx90a", None)


def test_empty_host_entry_is_left_out() -> None:
    host = "host-x86_64-unknown-linux-gnu-"
    text = "\n" + START.format("#", host) + END.format("#", host)[1:] + entry("a")
    assert [payload.kind for payload in read(text).payloads] == ["assembly"]


def test_missing_end() -> None:
    contents = read("\n" + START.format("#", ONE) + "text")
    assert codes(contents) == ["truncated"]
    assert contents.payloads[0].encoded_size == 4


def test_start_inside_an_entry() -> None:
    contents = read("\n" + START.format("#", ONE) + "text" + entry("more", TWO))
    assert codes(contents) == ["bad-header", None]
    assert [payload.target for payload in contents.payloads] == ["gfx90a", "gfx1100"]


def test_end_of_another_entry() -> None:
    contents = read("\n" + START.format("#", ONE) + "text" + END.format("#", TWO))
    assert codes(contents) == ["bad-header"]


def test_end_without_start() -> None:
    contents = read(entry("a") + END.format("#", TWO))
    assert contents.fault is not None
    assert (codes(contents), contents.fault.code) == ([None], "bad-header")


def test_text_without_markers() -> None:
    contents = read("nothing\n")
    assert contents.fault is not None
    assert (contents.payloads, contents.fault.code) == ((), "bad-header")


@pytest.mark.parametrize(("type_", "kind"), [("s", "assembly"), ("ll", "llvm-ir"), ("ii", "preprocessed")])
def test_bundler_writes_what_is_read(tmp_path: Path, type_: str, kind: str) -> None:
    texts = {ONE: "one\n", TWO: "two, longer\n"}
    for number, text in enumerate(texts.values()):
        (tmp_path / str(number)).write_text(text)
    (tmp_path / "host").write_text("")
    targets = ",".join(["host-x86_64-unknown-linux-gnu-", *texts])
    inputs = ["--input=host", "--input=0", "--input=1"]
    command = [peer("clang-offload-bundler-22"), f"--type={type_}", f"--targets={targets}", *inputs, "--output=out"]
    run(command, cwd=tmp_path)
    data = (tmp_path / "out").read_bytes()
    assert matches(data)
    contents = read_text_bundle(memoryview(data))
    device = [payload for payload in contents.payloads if payload.kind != "host"]
    assert [(each.kind, each.declared) for each in device] == [(kind, ONE), (kind, TWO)]
    for payload, text in zip(device, texts.values(), strict=True):
        found = data[payload.encoded_offset : payload.encoded_offset + payload.encoded_size]
        assert found.rstrip(b"\n") == text.encode().rstrip(b"\n")
