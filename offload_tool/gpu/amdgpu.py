"""AMDGPU code objects: ELF files of machine 224, for one processor and one setting of its features.

EI_ABIVERSION of files for HSA (EI_OSABI 0x40) tells the version: 0 is V2, then one more for each up to 4, V6.  Files
for other systems have the flags of V3.  e_flags:

| bits | V2, V3 | V4, V5, V6 |
|---|---|---|
| 0 to 7 | processor | processor |
| 8, 9 | 8: XNACK on or left open; 9: SRAMECC so | XNACK: 0 none, 1 open, 2 off, 3 on |
| 10, 11 | | SRAMECC, likewise |
| 24 to 31 | | V6, generic processors: their version |

Source: LLVM's "User Guide for AMDGPU Backend", ELF Code Object, and what LLVM 15 to 22 write.
"""

from __future__ import annotations

from ..errors import FormatError
from ..frozen import frozen, replace
from ..wire.elf_head import EM_AMDGPU, IDENTITY_SIZE, ElfIdentity, elf_identity
from ..wire.elf_notes import ElfNote, notes
from . import amdgpu_metadata, amdgpu_v2
from .amdgpu_descriptors import described_kernels, with_code
from .amdgpu_machines import MACHINES, supports
from .amdgpu_targets import same_target
from .entry_id import parse_entry_id
from .payload import Examined, Kernel, PayloadFault

__all__ = ["code_object_version", "examine", "examine_head"]

KIND = "code-object"
ELFOSABI_AMDGPU_HSA = 0x40
_VERSIONS = {0: 2, 1: 3, 2: 4, 3: 5, 4: 6}
_FLAGS_OFFSET = 48
_V3_BITS = {"xnack": 0x100, "sramecc": 0x200}
_V4_SHIFTS = {"xnack": 8, "sramecc": 10}
_OFF, _ON = 2, 3


@frozen
class _Notes:
    """What the notes tell: a target id each, and the kernels of all of them."""

    targets: tuple[str, ...]
    is_exact: bool
    kernels: tuple[Kernel, ...] | None
    fault: PayloadFault | None


def code_object_version(head: bytes) -> int | None:
    """The version of the code object that begins with ``head``, 64 bytes; None where it is not for HSA, or newer."""
    found = elf_identity(head)
    return _VERSIONS.get(found.ei_abiversion) if found and found.ei_osabi == ELFOSABI_AMDGPU_HSA else None


def examine_head(head: bytes) -> Examined:
    """The target by the first 64 bytes of a code object.

    ``is_exact`` is False where a feature may be on or left open: the flags of V2 and V3 do not tell.
    """
    identity = elf_identity(head)
    if identity is None or identity.e_machine != EM_AMDGPU or not identity.is_64 or identity.order != "<":
        text = f"no header of a 64-bit, little-endian code object in its first {min(len(head), IDENTITY_SIZE)} bytes"
        code = "truncated" if len(head) < IDENTITY_SIZE else "bad-header"
        return Examined(kind=KIND, target=None, fault=PayloadFault(code=code, offset=0, text=text))
    is_hsa = identity.ei_osabi == ELFOSABI_AMDGPU_HSA
    if is_hsa and identity.ei_abiversion not in _VERSIONS:
        text = f"EI_ABIVERSION {identity.ei_abiversion} of a code object is not known, expected 0 to 4 (V2 to V6)"
        return Examined(kind=KIND, target=None, fault=PayloadFault(code="unknown-version", offset=8, text=text))
    return _by_flags(identity, _VERSIONS[identity.ei_abiversion] if is_hsa else 3)


def examine(data: memoryview, *, kernels: bool) -> Examined:
    """The target by the flags and the notes of a whole code object, and its kernels if they are asked for.

    Where flags and notes disagree, the target is that of the flags, and the fault tells both.  Kernels without
    metadata are found by their symbols, and then have no ``registers``.
    """
    head = examine_head(bytes(data[:IDENTITY_SIZE]))
    if head.target is None and head.fault is not None and head.fault.code in {"truncated", "bad-header"}:
        return head
    told = _notes(data, kernels=kernels)
    found = _with_notes(head, told)
    if not kernels:
        return found
    if told.kernels is not None:
        return replace(found, kernels=with_code(data, told.kernels))
    try:
        described = described_kernels(data)
    except FormatError as error:
        return replace(found, fault=found.fault or _bad(error))
    if described is None and found.fault is None:
        text = "the code object has neither metadata nor symbols that tell its kernels"
        return replace(found, fault=PayloadFault(code="bad-payload", offset=None, text=text))
    return replace(found, kernels=None if described is None else with_code(data, described))


def _by_flags(identity: ElfIdentity, version: int) -> Examined:
    flags = identity.e_flags
    processor = MACHINES.get(flags & 0xFF)
    if processor is None:
        text = f"processor {flags & 0xFF:#04x} in e_flags {flags:#x} is not known"
        return Examined(
            kind=KIND, target=None, fault=PayloadFault(code="unknown-kind", offset=_FLAGS_OFFSET, text=text)
        )
    features = supports(processor)
    if version > 3:
        settings = {name: flags >> shift & 3 for name, shift in _V4_SHIFTS.items()}
        signs = {name: "+" if setting == _ON else "-" for name, setting in settings.items() if setting in {_OFF, _ON}}
        return Examined(kind=KIND, target=_target(processor, signs))
    signs = {name: "-" for name in features if not flags & _V3_BITS[name]}
    return Examined(kind=KIND, target=_target(processor, signs), is_exact=len(signs) == len(features))


def _target(processor: str, signs: dict[str, str]) -> str:
    return processor + "".join(f":{name}{sign}" for name, sign in sorted(signs.items()))


def _notes(data: memoryview, *, kernels: bool) -> _Notes:
    """Linking files leaves a note of each: their kernels are put together."""
    targets: dict[str, None] = {}
    found: list[Kernel] | None = None
    is_exact, fault = True, None
    try:
        for note in notes(data):
            try:
                target, more = _told(note, kernels=kernels)
            except FormatError as error:
                fault = fault or _bad(error.shifted(note.offset))
                continue
            if target:
                targets[target] = None
                is_exact = note.owner == amdgpu_metadata.OWNER
            found = found if more is None else [*(found or []), *more]
    except FormatError as error:
        fault = fault or _bad(error)
    return _Notes(
        targets=tuple(targets), is_exact=is_exact, kernels=None if found is None else tuple(found), fault=fault
    )


def _told(note: ElfNote, *, kernels: bool) -> tuple[str | None, tuple[Kernel, ...] | None]:
    if note.owner == amdgpu_metadata.OWNER and note.type == amdgpu_metadata.NT_AMDGPU_METADATA:
        found = amdgpu_metadata.metadata(note.descriptor, kernels=kernels)
        return _target_of(found.triple_and_target), found.kernels
    if note.owner == amdgpu_v2.OWNER and note.type == amdgpu_v2.NT_AMD_HSA_METADATA and kernels:
        return None, amdgpu_v2.kernels_of(note.descriptor)
    if note.owner == amdgpu_v2.OWNER and note.type == amdgpu_v2.NT_AMD_HSA_ISA_VERSION:
        return amdgpu_v2.target_of(note.descriptor), None
    return None, None


def _target_of(triple_and_target: str | None) -> str | None:
    """A target without its triple: an entry id without its kind."""
    return None if triple_and_target is None else parse_entry_id(f"hip-{triple_and_target}").target


def _with_notes(head: Examined, told: _Notes) -> Examined:
    if not told.targets:
        return replace(head, fault=head.fault or told.fault)
    if head.target is None:
        is_newer = head.fault is not None and head.fault.code == "unknown-version"
        fault = head.fault if is_newer else told.fault
        return replace(head, target=told.targets[0], is_exact=told.is_exact, fault=fault)
    for target in told.targets:
        if same_target(target, head.target, is_exact=head.is_exact) is False:
            text = f"the flags of the code object say {head.target!r}, its notes {target!r}"
            return replace(head, fault=PayloadFault(code="bad-payload", offset=_FLAGS_OFFSET, text=text))
    if told.is_exact and not head.is_exact:
        return replace(head, target=told.targets[0], is_exact=True, fault=told.fault)
    return replace(head, fault=told.fault)


def _bad(error: FormatError) -> PayloadFault:
    return PayloadFault(code="bad-payload", offset=error.offset, text=error.what)
