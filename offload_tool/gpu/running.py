"""Whether an image would run on a device, why, and which of several a runtime would take.

| kind | runs where |
|---|---|
| cubin | same major version, minor not above the device's; ``a``: itself alone; ``f``: its family, not above |
| ptx | compute capability not above the device's; ``a``: itself alone; ``f``: its family, not above |
| code-object | same processor, or a generic one that covers it; features that it sets are set so on the device |
| spirv | target ``amdgcnspirv``: on AMD devices, compiled on load |

Everything else is for a linker or unpacked first, and not loaded as it is.

Source: CUDA Programming Guide, "Binary compatibility", "PTX compatibility" and appendix "Compute Capabilities"; CUDA
compatibility guides (a cubin that fits goes before PTX); nvJitLink's manual (LTO-IR is linked to a cubin, which is then
loaded); LLVM's "User Guide for AMDGPU Backend", Target ID and generic processors; AMD's HIP runtime, which looks for
the processor's own code object, then for the generic one, then for SPIR-V.  That ``a`` goes before ``f`` before none,
and a code object with more features set before one with fewer, is our order of what is more specific.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ..frozen import frozen
from ..model import TargetId
from .amdgpu_generic import GENERIC_PROCESSORS
from .devices import Device, parse_device
from .nvidia_targets import Capability, NvidiaTarget, current, dotted, family

__all__ = ["SPIRV_TARGET", "Verdict", "verdict"]

SPIRV_TARGET = "amdgcnspirv"
"""The target of SPIR-V that AMD's runtimes compile for any of their devices."""

Rank: TypeAlias = tuple[int, ...]

_SPECIFIC = {"": 0, "f": 1, "a": 2}
_NOT_LOADED = {
    "lto-ir": "LTO-IR is linked to a cubin first (nvJitLink); the driver does not load it as it is",
    "relocatable-ptx": "relocatable PTX is linked to a cubin first; the driver does not load it as it is",
    "bitcode": "LLVM bitcode is compiled and linked first; no runtime loads it as it is",
    "fatbin": "a fatbin holds images of its own; only those are loaded",
    "bundle": "a bundle holds images of its own; only those are loaded",
    "ccob": "a bundle holds images of its own; only those are loaded",
}


@frozen
class Verdict:
    """Whether an image ``runs``, and the ``reason`` in words.

    Of two images that run on one device a runtime takes the one with the larger ``rank``; it is empty where ``runs``
    is False.
    """

    runs: bool
    rank: Rank
    reason: str


def verdict(kind: str, target: str | None, device: str) -> Verdict:
    """Whether an image of a kind and target, both as readers of GPU formats name them, would run on a device.

    The kind counts and not the prefix of the target: PTX is often stored as ``sm_80``.  Target None is one that nobody
    tells.  Raises UsageError where the device is none.

    >>> verdict("cubin", "sm_80", "sm_89").runs, verdict("cubin", "sm_80", "sm_90").runs
    (True, False)
    """
    where = parse_device(device)
    if kind in _NOT_LOADED:
        return _no(_NOT_LOADED[kind])
    if kind not in _LOADED:
        return _no(f"{kind!r} is no kind of image that a driver loads")
    if target is None:
        return _no("nothing tells its target")
    return _LOADED[kind](target, where)


def _no(reason: str) -> Verdict:
    return Verdict(runs=False, rank=(), reason=reason)


def _yes(rank: Rank, reason: str) -> Verdict:
    return Verdict(runs=True, rank=rank, reason=reason)


def _nvidia(judge: Callable[[NvidiaTarget, Capability], Verdict], text: str, device: Device) -> Verdict:
    target = NvidiaTarget.parse(text)
    if target is None:
        return _no(f"{text!r} is no NVIDIA target")
    if device.capability is None:
        return _no(f"it is for NVIDIA devices, {device} is AMD's")
    refusal = _suffix_refusal(target, device.capability)
    return _no(refusal) if refusal else judge(target, device.capability)


def _suffix_refusal(target: NvidiaTarget, there: Capability) -> str:
    own = current(target.capability)
    if target.suffix == "a" and own != there:
        return f"{target} runs on compute capability {dotted(own)} alone"
    if target.suffix == "f" and there not in family(own):
        members = ", ".join(map(dotted, sorted(family(own))))
        return f"{target} runs in its family alone: {members}"
    return ""


def _cubin(target: NvidiaTarget, there: Capability) -> Verdict:
    own = current(target.capability)
    if own[0] != there[0]:
        return _no(f"a cubin runs on its own major version alone: {own[0]}, and the device is of {dotted(there)}")
    if own[1] > there[1]:
        return _no(f"a cubin for {dotted(own)} is newer than the device, {dotted(there)}")
    rank = (2, own[1], _SPECIFIC[target.suffix])
    if own == there:
        return _yes(rank, f"machine code for {dotted(own)}{target.suffix}, which the device is")
    return _yes(
        rank, f"machine code for {dotted(own)}{target.suffix}: same major version, minor not above the device's"
    )


def _ptx(target: NvidiaTarget, there: Capability) -> Verdict:
    own = target.capability
    if own > there:
        return _no(f"PTX for {dotted(own)} is newer than the device, {dotted(there)}")
    rank = (1, *own, _SPECIFIC[target.suffix])
    return _yes(rank, f"PTX for {dotted(own)}{target.suffix}, not above the device's: the driver compiles it on load")


def _code_object(text: str, device: Device) -> Verdict:
    target = TargetId.parse(text)
    if target is None:
        return _no(f"{text!r} is no AMDGPU target")
    if device.target is None:
        return _no(f"it is for AMD devices, this is {device}")
    own, there = target.processor, device.target.processor
    covered = GENERIC_PROCESSORS.get(own, frozenset())
    if own != there and there not in covered:
        return _no(f"{own} covers {', '.join(sorted(covered))}" if covered else f"it is for {own}, this is {there}")
    refusal = _feature_refusal(target, device.target)
    if refusal:
        return _no(refusal)
    rank = (3 if own == there else 2, len(target.features))
    return _yes(rank, f"machine code for {there}, which the device is" if own == there else f"{own} covers {there}")


def _feature_refusal(target: TargetId, device: TargetId) -> str:
    for name, setting in sorted(target.features.items()):
        needed = f"{name}{'+' if setting else '-'}"
        if name not in device.features:
            return f"it needs {needed}, and the device's {name} is not told: say :{name}+ or :{name}-"
        if device.features[name] is not setting:
            return f"it needs {needed}, and the device has {name}{'-' if setting else '+'}"
    return ""


def _spirv(target: str, device: Device) -> Verdict:
    if target != SPIRV_TARGET:
        return _no(f"SPIR-V for {target!r} is compiled by other runtimes; AMD's take {SPIRV_TARGET!r}")
    if device.target is None:
        return _no(f"it is for AMD devices, this is {device}")
    return _yes((1,), "SPIR-V: AMD's runtime compiles it on load")


_LOADED: dict[str, Callable[[str, Device], Verdict]] = {
    "cubin": partial(_nvidia, _cubin),
    "ptx": partial(_nvidia, _ptx),
    "code-object": _code_object,
    "spirv": _spirv,
}
