"""Entry ids of Clang's offload bundles taken apart: ``kind-arch-vendor-system-environment-target``.

| text | written by |
|---|---|
| ``host-x86_64-unknown-linux-gnu-`` | clang from 19 on; earlier ones leave out the last dash |
| ``hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+`` | clang for HIP; the environment is empty |
| ``hip-amdgcn-amd-amdhsa-gfx900`` | LLVM 15 and 16, as they were told: the environment is missing |
| ``openmp-nvptx64-nvidia-cuda-unknown-sm_80`` | LLVM 22 for a triple without environment |

The first five dashes divide; those that follow belong to the target (``gfx9-4-generic``).  ``hip`` and ``hipv4`` mean
the same.  Source: "Clang Offload Bundler" in Clang's manual, and what LLVM 15 to 22 write.
"""

from __future__ import annotations

import re

from ..frozen import frozen
from .amdgpu_targets import normalized_target, normalized_triple

__all__ = ["EntryId", "parse_entry_id"]

_TARGET = re.compile(r"gfx[0-9a-f]|sm_[0-9]|amdgcnspirv")
"""How a target begins that stands where the environment should be."""


@frozen
class EntryId:
    """The parts of an entry id, as written; parts that are missing are empty.

    ``target`` is normalized: features in the order of the alphabet; None where the id names none.
    """

    kind: str
    arch: str
    vendor: str
    system: str
    environment: str
    target: str | None

    @property
    def triple(self) -> str:
        """The triple, normalized to be compared: ``amdgcn-amd-amdhsa`` for each way of writing it."""
        return normalized_triple(f"{self.arch}-{self.vendor}-{self.system}-{self.environment}")

    @property
    def is_host(self) -> bool:
        """Whether the entry is the host's: it says for which system the bundle was made, and is empty as a rule."""
        return self.kind == "host"


def parse_entry_id(text: str) -> EntryId:
    """The parts of any text: what has too few dashes has empty parts.

    >>> found = parse_entry_id("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+")
    >>> found.triple, found.target
    ('amdgcn-amd-amdhsa', 'gfx90a:sramecc+:xnack-')
    """
    kind, arch, vendor, system, environment, target = [*text.split("-", 5), *[""] * 5][:6]
    if _TARGET.match(environment):
        environment, target = "", "-".join(filter(None, [environment, target]))
    return EntryId(
        kind=kind,
        arch=arch,
        vendor=vendor,
        system=system,
        environment=environment,
        target=normalized_target(target) if target else None,
    )
