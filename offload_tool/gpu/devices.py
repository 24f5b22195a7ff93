"""Devices as people name them: ``sm_89`` or ``8.9``, ``gfx90a:xnack-``."""

from __future__ import annotations

import re

from ..errors import UsageError
from ..frozen import frozen
from ..model import TargetId
from .amdgpu_generic import GENERIC_PROCESSORS
from .nvidia_targets import Capability, NvidiaTarget, TargetForm, current, dotted

__all__ = ["Device", "parse_device"]

_CAPABILITY = re.compile(r"([1-9][0-9]?)\.([0-9])", re.ASCII)
_PROCESSOR = re.compile(r"gfx[0-9]{1,3}[0-9a-f]{2}", re.ASCII)
_FEATURES = {"sramecc", "xnack"}
"""The features that a target id may hold, and so a device may have on or off."""

_EXAMPLES = "expected one such as 'sm_89', '8.9' or 'gfx90a:xnack-'"


@frozen
class Device:
    """One device: of NVIDIA with ``capability``, of AMD with ``target``; the other of the two is None.

    A feature that ``target`` does not name is one whose setting is not known.
    """

    capability: Capability | None = None
    target: TargetId | None = None

    def __str__(self) -> str:
        if self.capability is not None:
            return f"a device of compute capability {dotted(self.capability)}"
        assert self.target is not None, "a device is of one of the two"
        return self.target.processor


def parse_device(text: str) -> Device:
    """The device that a text names; raises UsageError with examples for any other text.

    >>> parse_device("sm_89") == parse_device("8.9")
    True
    """
    if match := _CAPABILITY.fullmatch(text):
        return Device(capability=current((int(match[1]), int(match[2]))))
    nvidia = NvidiaTarget.parse(text)
    if nvidia is not None and nvidia.form is TargetForm.REAL and not nvidia.suffix:
        return Device(capability=current(nvidia.capability))
    amd = TargetId.parse(text)
    if amd is not None and _PROCESSOR.fullmatch(amd.processor) and set(amd.features) <= _FEATURES:
        return Device(target=amd)
    raise UsageError(f"{text!r} is no device{_why(nvidia, amd)}; {_EXAMPLES}")


def _why(nvidia: NvidiaTarget | None, amd: TargetId | None) -> str:
    if nvidia is not None and nvidia.form is TargetForm.REAL:
        return f" but a target for one: devices have no suffix {nvidia.suffix!r}"
    if nvidia is not None:
        return " but a target for later compilation"
    if amd is not None and amd.processor in GENERIC_PROCESSORS:
        return " but a target for several: name the processor"
    if amd is not None and set(amd.features) - _FEATURES:
        return ": the features of devices are sramecc and xnack"
    return ""
