"""One function a target: every reader of one kind of bytes, with what it reads used as callers use it."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable

from offload_tool.actions.hosts import spans
from offload_tool.actions.inspection.query import page
from offload_tool.actions.inspection.report import inspect_file
from offload_tool.actions.inspection.request import InspectionRequest, answer, request_text
from offload_tool.actions.mapping import inflate
from offload_tool.actions.response_file import expand_response_files
from offload_tool.actions.survey import survey
from offload_tool.codec.reader import read_images
from offload_tool.containers import archive_reader, bitcode_file, bitcode_symbols
from offload_tool.containers import bitcode as embedded
from offload_tool.containers import coff as coff_objects
from offload_tool.containers import elf as elf_hosts
from offload_tool.containers import pe as pe_images
from offload_tool.containers.held_sections import DEVICE_CODE
from offload_tool.deps.depfile import depfile_text, doubtful
from offload_tool.deps.record import Record
from offload_tool.errors import OffloadError
from offload_tool.gpu import amdgpu as code_objects
from offload_tool.gpu import amdgpu_metadata, amdgpu_v2, ccob_stream, nvvm, spirv
from offload_tool.gpu import cubin as cubins
from offload_tool.gpu import cuda_fatbin as fatbins
from offload_tool.gpu import ptx as ptx_texts
from offload_tool.gpu import text_bundle as text_bundles
from offload_tool.gpu.bundle_section import read_bundles
from offload_tool.gpu.ccob import ccob_contents, read_ccob
from offload_tool.gpu.payload import CODES, Contents, Examined, PayloadFault
from offload_tool.gpu.payload_kind import kind_of
from offload_tool.manifest.load import load_manifest
from offload_tool.wire import elf as elf_tables
from offload_tool.wire.decode import decoded, decoded_head
from offload_tool.wire.elf_notes import notes
from offload_tool.wire.elf_symbols import defined_symbols

__all__ = [
    "amdgpu", "archive", "bitcode", "ccob", "codec", "coff", "cubin", "cuda_fatbin", "depfile", "elf", "hip_bundle",
    "inspection", "manifest", "nvvm_and_spirv", "pe", "ptx", "record", "request", "response_file", "text_bundle",
]  # fmt: skip

_HEAD = 4096
_RECORD_HEAD = 48


def codec(data: bytes) -> None:
    """Images lie within the file or within what was inflated; a survey takes the same bytes."""
    for image in read_images(memoryview(data), inflate):
        if image.offset is not None and image.size:
            assert image.offset + image.size <= len(data), "the image leaves the file"
    survey(memoryview(data), "fuzzed")


def elf(data: bytes) -> None:
    """Sections, segments, notes and symbols, each whatever the others say."""
    view = memoryview(data)
    _each(
        lambda: elf_hosts.offloading_sections(view), lambda: elf_hosts.device_sections(view),
        lambda: elf_tables.check_inside(view, elf_tables.sections(view)), lambda: list(elf_tables.segments(view)),
        lambda: list(notes(view)), lambda: defined_symbols(view), lambda: spans(view, "fuzzed"),
    )  # fmt: skip


def coff(data: bytes) -> None:
    """Sections of an object that hold offload binaries, and those that hold other device code."""
    view = memoryview(data)
    _each(
        lambda: coff_objects.offloading_sections(view), lambda: coff_objects.offloading_sections(view, DEVICE_CODE),
        lambda: coff_objects.matches(data), lambda: spans(view, "fuzzed"),
    )  # fmt: skip


def pe(data: bytes) -> None:
    """The same of a program or library of Windows."""
    view = memoryview(data)
    _each(
        lambda: pe_images.offloading_sections(view), lambda: pe_images.offloading_sections(view, DEVICE_CODE),
        lambda: pe_images.matches(data), lambda: spans(view, "fuzzed"),
    )  # fmt: skip


def archive(data: bytes) -> None:
    """Members lie within the archive; what is in them is looked for."""

    def members_inside() -> None:
        for member in archive_reader.members(memoryview(data)):
            assert member.is_thin or member.offset + member.size <= len(data), "the member leaves the archive"

    _each(members_inside, lambda: spans(memoryview(data), os.path.join(_folder(), "fuzzed.a")))


def bitcode(data: bytes) -> None:
    """Embedded objects, and the symbols that an archive's index wants."""
    view = memoryview(data)
    _each(
        lambda: embedded.offloading_globals(view), lambda: bitcode_symbols.defined_symbols(view),
        lambda: list(bitcode_file.bitcode_parts(bitcode_file.unwrapped(view)[1])),
    )  # fmt: skip


def cuda_fatbin(data: bytes) -> None:
    """Every entry of every fatbin, decoded."""
    for contents in fatbins.read_fatbins(memoryview(data)):
        _check_contents(contents, data)


def cubin(data: bytes) -> None:
    """Target by head and by all bytes, and kernels."""
    _check_examined(cubins.examine_head(data[:_HEAD]))
    _check_examined(cubins.examine(memoryview(data), kernels=True))


def ptx(data: bytes) -> None:
    """The same of PTX."""
    ptx_texts.matches(data[:_HEAD])
    _check_examined(ptx_texts.examine_head(data[:_HEAD]))
    _check_examined(ptx_texts.examine(data, kernels=True))


def nvvm_and_spirv(data: bytes) -> None:
    """Two kinds of which little is read."""
    _check_examined(nvvm.examine_head(data[:_HEAD]))
    _check_examined(spirv.examine_head(data[:_HEAD]))
    _check_examined(spirv.examine(memoryview(data)))


def hip_bundle(data: bytes) -> None:
    """Every bundle of a section, compressed ones as one payload."""
    for contents in read_bundles(memoryview(data)):
        _check_contents(contents, data)


def text_bundle(data: bytes) -> None:
    """A bundle of text."""
    text_bundles.matches(data[:_HEAD])
    _check_contents(text_bundles.read_text_bundle(memoryview(data)), data)


def ccob(data: bytes) -> None:
    """A compressed bundle: its table, the first bytes of its payloads, and all of it."""
    view = memoryview(data)
    found = read_ccob(view)
    _check_contents(ccob_contents(found), data)
    ccob_stream.bundle_head(found, view)
    heads = ccob_stream.PayloadHeads(found, view, _HEAD, checks_hash=True)
    for payload, head in heads:
        assert len(head) <= _HEAD, "more than the head was kept"
        _check_fault(payload.fault)
    _check_fault(heads.fault)
    _check_fault(ccob_stream.bundle_of(found, view).fault)


def amdgpu(data: bytes) -> None:
    """A code object; anything else is taken for the two kinds of metadata and for an ISA version."""
    view = memoryview(data)
    if kind_of(data[:_HEAD]) == "code-object":
        _check_examined(code_objects.examine_head(data[:64]))
        _check_examined(code_objects.examine(view, kernels=False))
        _check_examined(code_objects.examine(view, kernels=True))
        return
    _each(
        lambda: amdgpu_metadata.metadata(view, kernels=True), lambda: amdgpu_metadata.metadata(view, kernels=False),
        lambda: amdgpu_v2.kernels_of(view), lambda: amdgpu_v2.target_of(view),
    )  # fmt: skip


def inspection(data: bytes) -> None:
    """A file from opening it to the rows that are printed."""
    path = _written(data, "fuzzed.bin")
    _each(
        lambda: inspect_file(path), lambda: inspect_file(path, kernels=True, payload_digests=True),
        lambda: survey(memoryview(data), path),
    )  # fmt: skip


def manifest(data: bytes) -> None:
    """A manifest with all that it includes."""
    load_manifest(_written(data, "fuzzed.yaml"), allow_unbound=True)


def depfile(data: bytes) -> None:
    """Paths, separated by NUL: what is written is read back as ninja does."""
    target, *prerequisites = (os.fsdecode(path) for path in data.split(b"\0"))
    doubtful(prerequisites)
    rule = depfile_text(target, prerequisites).replace("\\\n", "")
    assert rule.count("\n") == 1, "a path broke the rule in two"
    words = re.findall(r"(?:\\ |[^ ])+", rule[:-1])
    read = [re.sub(r"\\([ #])", r"\1", word).replace("$$", "$") for word in words]
    assert read[0] == f"{target}:", "another target is read back"
    assert read[1:] == [path for path in dict.fromkeys(prerequisites) if path], "other paths"


def response_file(data: bytes) -> None:
    """A file of words, some of which may name it again."""
    path = _written(data, "words")
    here = os.getcwd()
    os.chdir(os.path.dirname(path))
    try:
        expand_response_files(["@words", path])
    finally:
        os.chdir(here)


def record(data: bytes) -> None:
    """The record of a last pack; its checksum is made to fit, so that what it guards is read, too."""
    body = data[_RECORD_HEAD:]
    head = data[:_RECORD_HEAD].ljust(_RECORD_HEAD, b"\0")[:16] + hashlib.sha256(body).digest()
    _each(lambda: Record.decoded(data), lambda: Record.decoded(head + body))
    with contextlib.suppress(OffloadError, UnicodeError):
        found = Record.decoded(head + body)
        if "\ufffd" not in found.form:  # stands for bytes that are no text
            assert found.encoded() == head + body, "the record is written back otherwise"


def request(data: bytes) -> None:
    """A request as JSON, answered."""
    try:
        told = json.loads(request_text(_written(data, "request.json")))
    except (ValueError, RecursionError):  # as the command line catches them
        return
    if isinstance(told, dict):
        parsed = InspectionRequest.parse(told)
        _each(lambda: answer(parsed), lambda: page(inspect_file(_golden()), parsed.query))


def _each(*calls: Callable[[], object]) -> None:
    """Every call, whatever those before it raised."""
    for call in calls:
        with contextlib.suppress(OffloadError):
            call()


def _check_contents(contents: Contents, data: bytes) -> None:
    assert contents.end <= len(data), "the container ends behind its buffer"
    _check_fault(contents.fault)
    for payload in contents.payloads:
        _check_fault(payload.fault)
        end = payload.encoded_offset + payload.encoded_size
        if payload.fault is not None or payload.compression == "unknown":
            continue
        assert end <= len(data), "a payload without a fault leaves its buffer"
        encoded = memoryview(data)[payload.encoded_offset : end]
        size = payload.encoded_size if payload.decoded_size is None else payload.decoded_size
        with contextlib.suppress(OffloadError):
            assert len(decoded_head(payload.compression, encoded, size, _HEAD)) == min(size, _HEAD)
        with contextlib.suppress(OffloadError):
            assert _total(decoded(payload.compression, encoded, size)) == size


def _total(pieces: Iterable[bytes]) -> int:
    return sum(len(piece) for piece in pieces)


def _check_examined(examined: Examined) -> None:
    _check_fault(examined.fault)
    for kernel in examined.kernels or ():
        kernel.name.encode("utf-8", "surrogateescape")


def _check_fault(fault: PayloadFault | None) -> None:
    if fault is not None:
        assert fault.code in CODES, f"{fault.code!r} is no code"
        assert "\n" not in fault.text, "a fault is one line"


@functools.lru_cache(maxsize=1)
def _folder() -> str:
    folder = tempfile.TemporaryDirectory(prefix="offload-fuzz-")
    atexit.register(folder.cleanup)
    return folder.name


@functools.lru_cache(maxsize=1)
def _golden() -> str:
    from .seeds import DATA

    return str(DATA / "offload-binary" / "v1-llvm22.bin")


def _written(data: bytes, name: str) -> str:
    """The path of a file that has these bytes, the same at each call in one process."""
    path = os.path.join(_folder(), name)
    with open(path, "wb") as file:
        file.write(data)
    return path
