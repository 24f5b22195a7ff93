"""What mutation starts from: golden files, the corpus, and small packs made on the fly."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from pathlib import Path

import msgpack

from offload_tool.codec.layout import VERSIONS
from offload_tool.codec.writer import NewImage, frames
from offload_tool.deps.record import NOBODY, FileIdentity, Place, Record
from offload_tool.gpu.payload_kind import kind_of
from offload_tool.wire.elf_notes import notes

__all__ = [
    "DATA", "archives", "bitcode_files", "code_objects", "coff_objects", "compressed_bundles", "cubins",
    "elf_files", "everything", "fatbins", "hip_bundles", "json_manifests", "nvvm_and_spirv", "offload_binaries",
    "path_lists", "pe_images", "ptx_texts", "records", "requests", "response_files", "text_bundles", "yaml_manifests",
]  # fmt: skip

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"

_ISA_VERSION = struct.pack("<HHIII", 4, 7, 9, 0, 10) + b"AMD\0AMDGPU\0"
_V2_METADATA = b"""---
Version: [ 1, 0 ]
Kernels:
  - Name: k
    SymbolName: 'k@kd'
    CodeProps:
      KernargSegmentSize: 24
      GroupSegmentFixedSize: 128
      NumVGPRs: 7
...
"""
_INCLUDED = str(ROOT / "examples" / "quickstart" / "images.yaml")
_YAML = f"""# a comment
schema: 1
toolchain: llvm-22
format_version: 1
align: 16
variables: {{DIR: build, ONE: &one sm_90}}
defaults: {{triple: nvptx64-nvidia-cuda, metadata: {{origin: here}}}}
require:
  - {{triple: nvptx64-nvidia-cuda, arch: [sm_90, "sm_80"], kind: cuda}}
budget: 4 MiB
include:
  - manifest: {_INCLUDED}
    select: {{kind: cuda, metadata: {{}}}}
    set: {{arch: sm_75, metadata: {{a: b}}}}
images:
  - file: "{{DIR}}/{{arch}}.cubin"
    arch: [*one, 'sm_1']
    kind: cuda
    image_kind: cubin
    metadata: {{note: "\\u00e9", <<: {{key: text}}}}
  - input: kernels
    triple: amdgcn-amd-amdhsa
    arch: |-
      gfx90a:xnack+
    kind: hip
bind:
  kernels: [b.o, c.o]
""".encode()


def offload_binaries() -> dict[str, bytes]:
    """The golden files, and a pack of two images in each version."""
    return {**_golden("offload-binary", ".bin"), **_packs()}


def elf_files() -> dict[str, bytes]:
    """Hosts, cubins and code objects."""
    return _gpu(".o", ".so", ".cubin", ".co")


def coff_objects() -> dict[str, bytes]:
    """Objects of Windows."""
    return _gpu(".obj")


def pe_images() -> dict[str, bytes]:
    """Libraries of Windows."""
    return _gpu(".dll")


def archives() -> dict[str, bytes]:
    """An archive of LLVM's with an index and long names, a thin one, and one without either."""
    pack = _packs()["pack-v1"]
    header = b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (b"fat/", 0, 0, 0, b"644", len(pack))
    return {**_golden("fuzz", ".a"), "plain.a": b"!<arch>\n" + header + pack}


def bitcode_files() -> dict[str, bytes]:
    """Modules, with an embedded object and without, one of them in the wrapper that Darwin has."""
    return {**_golden("fuzz", ".bc"), **_gpu(".bc")}


def fatbins() -> dict[str, bytes]:
    """The corpus of CUDA fatbins."""
    return _gpu(".fatbin")


def cubins() -> dict[str, bytes]:
    """Cubins of both layouts."""
    return {name: data for name, data in _gpu(".cubin").items() if kind_of(data[:64]) == "cubin"}


def ptx_texts() -> dict[str, bytes]:
    """PTX of nvcc, and a text with what else may stand in a header."""
    made = (
        b".version 8.0 // a\n.target sm_90a, debug\n/* b */ .visible .entry k(.param .align 8 .b8 p[16], .param .u64 q)"
        b'\n.maxntid 1, 1\n.pragma "nounroll";\n{ ret; }\n'
    )
    return {**_gpu(".ptx"), "made.ptx": made}


def nvvm_and_spirv() -> dict[str, bytes]:
    """One file of each."""
    return _gpu(".ltoir", ".spv")


def hip_bundles() -> dict[str, bytes]:
    """The corpus of bundles, compressed ones too."""
    return _gpu(".hipfb")


def text_bundles() -> dict[str, bytes]:
    """Assembly of clang, and a bundle of two lines."""
    made = b"".join(
        b"\n; __CLANG_OFFLOAD_BUNDLE____START__ %s\ntext\n; __CLANG_OFFLOAD_BUNDLE____END__ %s\n" % (name, name)
        for name in (b"hip-amdgcn-amd-amdhsa--gfx90a", b"host-x86_64-unknown-linux-gnu-")
    )
    return {**_golden("gpu", ".s"), "made.ll": made}


def compressed_bundles() -> dict[str, bytes]:
    """Bundles of all versions and both methods."""
    return {name: data for name, data in hip_bundles().items() if data.startswith(b"CCOB")}


def code_objects() -> dict[str, bytes]:
    """Code objects of V3 to V6, and what notes of V2 and later hold."""
    whole = {name: data for name, data in _gpu(".co").items() if kind_of(data[:64]) == "code-object"}
    held = {
        f"{name}.note": bytes(note.descriptor)
        for name, data in whole.items()
        for note in notes(memoryview(data))
        if note.owner == b"AMDGPU"
    }
    kernel = {".name": "k", ".vgpr_count": 3, ".args": [{".size": 8}], ".x": [None, True, -1, 1.5, b"b"]}
    made = msgpack.packb({"amdhsa.target": "amdgcn-amd-amdhsa--gfx90a", "amdhsa.kernels": [kernel, kernel]})
    return {**whole, **held, "made.msgpack": made, "isa-version": _ISA_VERSION, "v2.yaml": _V2_METADATA}


def everything() -> dict[str, bytes]:
    """Every file that may carry device code."""
    makers = (offload_binaries, elf_files, coff_objects, pe_images, archives, bitcode_files, fatbins, ptx_texts,
              nvvm_and_spirv, hip_bundles, text_bundles)  # fmt: skip
    return {name: data for maker in makers for name, data in maker().items()}


def yaml_manifests() -> dict[str, bytes]:
    """Manifests as YAML, one with every key."""
    examples = {path.parent.name: path.read_bytes() for path in (ROOT / "examples").glob("*/images.yaml")}
    return {**examples, "every-key.yaml": _YAML, "aliases.yaml": b"a: &a [x, x]\nimages: [*a, *a, {<<: *a}]\n"}


def json_manifests() -> dict[str, bytes]:
    """Manifests as JSON."""
    image = {"file": "{D}/a.o", "triple": "t-u-v", "arch": "a", "kind": "hip", "metadata": {"k": "v\u00e9\U0001f600"}}
    one = {"schema": 1, "variables": {"D": "x"}, "images": [image, {**image, "arch": "b"}], "bind": {"i": "f"}}
    wide = {
        "schema": 1, "format_version": 3, "align": 8, "defaults": {"kind": "sycl"}, "compress": "zstd:3",
        "budget": "1GiB", "include": [{"manifest": _INCLUDED, "select": {"arch": "a"}}], "literal": True, "require": [],
        "images": [],
    }  # fmt: skip
    deep = {"schema": 1, "images": [], "unknown": json.loads("[" * 60 + "]" * 60)}
    texts = {"one.json": one, "wide.json": wide, "deep.json": deep}
    return {name: json.dumps(tree, indent=1).encode() for name, tree in texts.items()}


def path_lists() -> dict[str, bytes]:
    """Paths as depfiles have them, and paths that they cannot say."""
    return {"plain": b"out.bin\0a.o\0b c.o\0#x\0$y", "refused": b"o\0a\nb\0c:\0d\\e", "odd": "o\0\u00e9 &'*^<".encode()}


def response_files() -> dict[str, bytes]:
    """Words in every way of quoting, and files that name themselves."""
    return {
        "quoted": b'--image=file=\'a b\',kind=hip -o "c \\" d" e\\ f\r\n\tg',
        "itself": b"a @words b",
        "none": b"@ @missing '@x y' \xff",
        "mark": b"\xef\xbb\xbfa\\",
    }


def records() -> dict[str, bytes]:
    """Records of no image and of two."""
    file = FileIdentity(size=5, mtime_ns=1 << 60, ctime_ns=2, inode=3)
    places = tuple(Place(path=path, offset=64 * number, file=file) for number, path in enumerate(("a.o", "b/\udcff")))
    base = Record(packager="ab" * 32, began_ns=7, form="{}", output=file, places=())
    full = Record(packager="00" * 32, began_ns=7, form="form \u00e9", output=NOBODY, places=places)
    return {"empty": base.encoded(), "two": full.encoded()}


def requests() -> dict[str, bytes]:
    """Requests of every key."""
    golden = str(DATA / "gpu" / "fatbin_lz4_all.fatbin")
    every = {
        "path": golden, "kernels": True, "digest": True, "expected_sha256": "00", "object_ids": ["0"],
        "view": {"collection": "objects", "fields": ["kind"], "filters": {"kind": ["ptx", None]}, "limit": 1},
    }  # fmt: skip
    short = {"path": golden, "collection": "kernels", "filters": {"target": "sm_90"}, "cursor": "eA=="}
    return {"every.json": json.dumps(every).encode(), "short.json": json.dumps(short).encode()}


def _gpu(*suffixes: str) -> dict[str, bytes]:
    return _golden("gpu", *suffixes)


def _golden(folder: str, *suffixes: str) -> dict[str, bytes]:
    found: Iterable[Path] = sorted((DATA / folder).iterdir())
    return {path.name: path.read_bytes() for path in found if path.suffix in suffixes}


def _packs() -> dict[str, bytes]:
    """Two images in one binary of each version, the second one with strings of its own."""
    contents = (b"\x7fELF" + bytes(12), b".version 8.0\n.target sm_90\n")
    strings = ([(b"triple", b"t"), (b"arch", b"a")], [(b"note", b"x" * 40)])
    images = [
        NewImage(size=len(content), image_kind=1, offload_kind=2, strings=pairs)
        for content, pairs in zip(contents, strings, strict=True)
    ]
    return {
        f"pack-v{number}": b"".join(
            frame.before + content + bytes(frame.after)
            for frame, content in zip(frames(images, version), contents, strict=True)
        )
        for number, version in VERSIONS.items()
    }
