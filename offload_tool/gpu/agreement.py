"""What is declared of an image against what its bytes are: the rules that packing and verifying share.

What the bytes do not tell is no contradiction: bitcode names no target that is cheap to read, and the header of a newer
cubin no suffix.

| code | declared | contradicted by |
|---|---|---|
| ``empty`` | any image | no bytes at all |
| ``container`` | a target, or a suffix of one code object | a bundle, an archive, an offload binary |
| ``triple`` | a GPU's or a host's triple | code for another vendor, an ELF file of another machine |
| ``kind`` | ``cuda``, ``hip`` | code of the other vendor, a host's object file |
| ``arch`` | a target | bytes for another one |
| ``image-kind`` | ``cubin``, ``ptx`` ... | other bytes |
| ``suffix`` | ``.cubin``, ``.hsaco`` ... | other bytes |
| ``damaged`` | any image | a header that is cut or contradicts itself |

Machines are those of the System V ABI's registry of e_machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..frozen import frozen
from ..model import TargetId
from ..wire.elf_head import ET_REL, elf_head
from .consistency import consistency, declared_target
from .payload import Examined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Value = TypeVar("_Value")

__all__ = ["CONTRADICTIONS", "Contradiction", "Declaration", "contradictions", "may_hide_ptx"]

CONTRADICTIONS = ("empty", "container", "triple", "kind", "arch", "image-kind", "suffix", "damaged")
"""Every code of a contradiction."""


@frozen
class Declaration:
    """What is said of an image: ``kind`` is its offload kind, ``image_kind`` may be empty or ``none``.

    ``suffix`` is that of the file's name without its dot, in small letters; empty where no name is known, or where
    something else is said of the bytes.
    """

    triple: str
    arch: str
    kind: str
    image_kind: str = ""
    suffix: str = ""


@frozen
class Contradiction:
    """One declared value that the bytes deny; ``text`` is for people and goes on after the name of the image."""

    code: str
    declared: str
    found: str
    text: str


def contradictions(declared: Declaration, examined: Examined, head: bytes, *, size: int) -> Iterator[Contradiction]:
    r"""What the bytes deny of a declaration; ``head`` are the first 20 of them or more, ``size`` counts all.

    >>> said = Declaration(triple="nvptx64-nvidia-cuda", arch="sm_80", kind="cuda")
    >>> [one.text for one in contradictions(said, Examined(kind="cubin", target="sm_86"), b"\x7fELF", size=4968)]
    ["has arch 'sm_80', but is a cubin for 'sm_86'"]
    """
    if not size:
        yield Contradiction(code="empty", declared=declared.arch, found="0 bytes", text="is empty")
        return
    if examined.kind in _CONTAINERS:
        yield from _container(declared, examined.kind)
        return
    found = _found(examined, head)
    vendor = _VENDORS.get(examined.kind)
    wrong_triple = not _triple_agrees(declared, examined.kind, vendor, head)
    if wrong_triple:
        yield _denied("triple", declared.triple, found)
    elif vendor and vendor not in _VENDORS_OF.get(declared.kind, (vendor,)):
        yield _denied("kind", declared.kind, found)
    if not wrong_triple and _is_for_another(declared.arch, examined):
        yield _denied("arch", declared.arch, found)
    yield from _of_its_form(declared, examined, found, head)
    if examined.fault is not None and examined.fault.code in _DAMAGED:
        text = f"is damaged: {examined.fault.text}"
        yield Contradiction(code="damaged", declared="", found=examined.fault.text, text=text)


def may_hide_ptx(head: bytes) -> bool:
    """Whether bytes of no known kind may be PTX all the same, behind a comment longer than ``head``.

    >>> may_hide_ptx(b"// Copyright ...")
    True
    """
    return head.lstrip()[:2] in (b"//", b"/*")


_WORDS = {
    "cubin": "a cubin",
    "code-object": "an AMDGPU code object",
    "object": "an ELF file",
    "pe": "a PE image",
    "coff": "a COFF object",
    "bitcode": "LLVM bitcode",
    "spirv": "a SPIR-V module",
    "fatbin": "a CUDA fatbin",
    "lto-ir": "NVIDIA's LTO-IR",
    "optix-ir": "NVIDIA's OptiX-IR",
    "ptx": "PTX text",
}
_CONTAINERS = {
    "bundle": "a Clang offload bundle, not a code object",
    "ccob": "a Clang offload bundle, not a code object",
    "offload-binary": "an offload binary, not a device image",
    "archive": "a static archive, not a device image",
}
_ADVICE = {"bundle": "; unbundle it first", "ccob": "; unbundle it first"}
_VENDORS = {
    "cubin": "nvidia", "ptx": "nvidia", "lto-ir": "nvidia", "optix-ir": "nvidia", "fatbin": "nvidia",
    "code-object": "amd", "spirv": "khronos", "object": "host", "pe": "host", "coff": "host",
}  # fmt: skip
_VENDORS_OF = {"cuda": ("nvidia",), "hip": ("amd", "khronos")}
"""The vendors whose code an offload kind can have; the others take any."""

_GPUS = {"nvptx": "nvidia", "amdgcn": "amd", "amdgpu": "amd", "r600": "amd", "spir": "khronos"}
_HOSTS = {
    "x86_64": 62, "i386": 3, "i486": 3, "i586": 3, "i686": 3, "aarch64": 183, "arm64": 183, "arm": 40, "thumb": 40,
    "powerpc64": 21, "ppc64": 21, "powerpc": 20, "ppc": 20, "riscv": 243, "s390x": 22, "systemz": 22,
    "loongarch": 258, "mips": 8, "sparcv9": 43, "sparc64": 43,
}  # fmt: skip
"""Machines of hosts by how the architectures of their triples begin; the first that fits counts."""

_MACHINES = {
    3: "x86", 8: "MIPS", 20: "PowerPC", 21: "PowerPC 64", 22: "S/390", 40: "Arm", 43: "SPARC V9", 62: "x86-64",
    183: "AArch64", 190: "CUDA", 224: "AMDGPU", 243: "RISC-V", 258: "LoongArch",
}  # fmt: skip
_ELF = ("object", "cubin", "code-object")
_IMAGE_KINDS = {
    "object": (*_ELF, "pe", "coff", "unknown"),
    "bitcode": ("bitcode",),
    "cubin": ("cubin",),
    "fatbinary": ("fatbin",),
    "ptx": ("ptx",),
    "spirv": ("spirv",),
}
_CODE_OBJECT_SUFFIXES = ("hsaco", "co")
_SUFFIXES = {
    "cubin": ("cubin",),
    "ptx": ("ptx",),
    "fatbin": ("fatbin",),
    "hsaco": ("code-object",),
    "co": ("code-object",),
    "bc": ("bitcode",),
    "spv": ("spirv",),
    "ltoir": ("lto-ir",),
    "optixir": ("optix-ir",),
}
"""Suffixes that promise one kind; those that stand for several things, such as ``.o``, promise nothing."""

_DAMAGED = ("truncated", "bad-header", "bad-size", "bad-offset", "bad-payload")


def _container(declared: Declaration, kind: str) -> Iterator[Contradiction]:
    """A container is wrong where one image for one target is promised."""
    is_named = declared.suffix in _CODE_OBJECT_SUFFIXES
    if is_named or TargetId.parse(declared.arch) is not None or declared.arch.startswith("sm_"):
        named = f" as its suffix '.{declared.suffix}' says" if is_named else ""
        text = f"is {_CONTAINERS[kind]}{named}{_ADVICE.get(kind, '')}"
        said = f".{declared.suffix}" if is_named else declared.arch
        yield Contradiction(code="container", declared=said, found=_CONTAINERS[kind].partition(",")[0], text=text)


def _triple_agrees(declared: Declaration, kind: str, vendor: str | None, head: bytes) -> bool:
    arch = declared.triple.partition("-")[0]
    if vendor is None or not arch:
        return True
    maker = _beginning(arch, _GPUS)
    machine = _machine(head) if kind == "object" else None
    if maker is None:
        host = _beginning(arch, _HOSTS)
        return host is None or (vendor == "host" and machine in (None, host))
    if maker == "khronos" and kind == "object":
        return machine not in _MACHINES  # devices of other makers have ELF files of their own
    return vendor == maker or (vendor == "khronos" and declared.arch == "amdgcnspirv")


def _beginning(arch: str, table: Mapping[str, _Value]) -> _Value | None:
    return next((value for name, value in table.items() if arch.startswith(name)), None)


def _is_for_another(arch: str, examined: Examined) -> bool:
    declared = declared_target(examined.kind, arch)
    return consistency(declared, examined) == "conflict" and not _is_older_ptx(declared, examined)


def _is_older_ptx(declared: str | None, examined: Examined) -> bool:
    """Whether this is PTX without a suffix for a target not above the declared one: drivers compile that for it."""
    from .nvidia_targets import NvidiaTarget, TargetForm

    wanted, found = NvidiaTarget.parse(declared or ""), NvidiaTarget.parse(examined.target or "")
    if wanted is None or found is None or found.form is not TargetForm.VIRTUAL:
        return False
    return not found.suffix and found.capability <= wanted.capability


def _machine(head: bytes) -> int | None:
    elf = elf_head(head)
    return None if elf is None else elf.e_machine


def _of_its_form(declared: Declaration, examined: Examined, found: str, head: bytes) -> Iterator[Contradiction]:
    kind = examined.kind
    if kind == "unknown" and may_hide_ptx(head):
        return
    if kind not in _IMAGE_KINDS.get(declared.image_kind, (kind,)):
        text = f"is declared {declared.image_kind} but is {found}"
        yield Contradiction(code="image-kind", declared=declared.image_kind, found=found, text=text)
    elif kind not in _SUFFIXES.get(declared.suffix, (kind,)):
        yield _named(declared.suffix, found)
    elif declared.suffix in _CODE_OBJECT_SUFFIXES and _is_relocatable(head):
        yield _named(declared.suffix, f"{found} that is yet to be linked")


def _is_relocatable(head: bytes) -> bool:
    elf = elf_head(head)
    return elf is not None and elf.e_type == ET_REL


def _named(suffix: str, found: str) -> Contradiction:
    text = f"is named '.{suffix}', but is {found}"
    return Contradiction(code="suffix", declared=f".{suffix}", found=found, text=text)


def _denied(code: str, declared: str, found: str) -> Contradiction:
    return Contradiction(code=code, declared=declared, found=found, text=f"has {code} {declared!r}, but is {found}")


def _found(examined: Examined, head: bytes) -> str:
    """What the bytes are, in words."""
    words = _WORDS.get(examined.kind, "of no known kind")
    if examined.target is not None:
        return f"{words} for {examined.target!r}"
    machine = _machine(head) if examined.kind == "object" else None
    return words if machine is None else f"{words} for {_MACHINES.get(machine, f'machine {machine}')}"
