"""Kernels apart from where their code stands: test_code_bytes.py looks at that for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from offload_tool.gpu.payload import Kernel


def without_code(kernels: Iterable[Kernel] | None) -> tuple[Kernel, ...]:
    assert kernels is not None
    return tuple(replace(kernel, code_offset=None, code_bytes=None) for kernel in kernels)
