"""PTX text: ``.version`` and ``.target`` come first, after comments and blank lines; kernels are ``.entry`` functions.

Source: "PTX ISA", NVIDIA's manual: directives, kernel and function directives, alignment of parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import prod

from ..wire.bounded import align_up
from .payload import Examined, Kernel, PayloadFault

__all__ = ["examine", "examine_head", "matches"]

# No part of these patterns can match in two ways, or give up after reading on and be tried again from further on:
# either would take hours on text made for it.
_COMMENT_OR_STRING = re.compile(rb'//[^\n]*|/\*.*?(?:\*/|\Z)|"[^"\n]*"?', re.DOTALL)
_START = re.compile(rb"\s*\.version\s")
_TARGET = re.compile(rb"\.target\s+(?:sm|compute)_(\d{1,9}[af]?)(?![\w$])")
_ENTRY = re.compile(rb"\.entry\s+([A-Za-z_$%][\w$]*)(?:\s*\(([^(){};]*)\))?")
_ENTRY_WORD = b".entry"
_SHORT = 4096
"""Bytes of parameters, without their kernel's name, that are worth keeping: others may have any size."""
_STOP = re.compile(rb"[{;]")
_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
_NAME_ENDS = frozenset(bytes([byte]) for byte in _WORD + b"%")
_PARAMETER = re.compile(rb"\s*\.param\s+(?:\.align\s+(\d{1,9})\s+)?\.(?:[usb]|f|bf)(8|16|32|64|128)(x2)?\s")
_DIMENSIONS = re.compile(rb"(?:\[\s*\d{1,9}\s*\]\s*){0,4}")


def matches(head: bytes) -> bool:
    r"""Whether the bytes begin as PTX does; a comment longer than ``head`` hides it.

    >>> matches(b"// made by hand\n.version 8.0\n")
    True
    """
    return head.lstrip()[:1] in (b"/", b".") and _START.match(_bare(head)) is not None


def examine_head(head: bytes) -> Examined:
    r"""The target, from the first bytes of PTX text; None without a fault where ``.target`` comes later.

    >>> examine_head(b".version 8.0\n.target sm_90a, debug\n").target
    'compute_90a'
    """
    bare = _bare(head)
    if not _START.match(bare):
        return _damaged("the text does not begin with .version")
    # The last word may be cut.
    return Examined(kind="ptx", target=_target(bare.rstrip(_WORD)))


def examine(text: bytes | memoryview, *, kernels: bool) -> Examined:
    """The target, and the kernels that the text defines where they are asked for.

    Sizes of arguments come from the parameters; registers and shared memory are for ptxas to tell.  What is wrong is
    told as the fault, nothing is raised.
    """
    bare = _bare(bytes(text))
    if not _START.match(bare):
        return _damaged("the text does not begin with .version")
    target = _target(bare)
    if target is None:
        return _damaged("the text has no .target that names an architecture")
    return Examined(kind="ptx", target=target, kernels=tuple(_kernels(bare)) if kernels else None)


def _bare(text: bytes) -> bytes:
    """The text without comments, and without what stands in strings: both may hold anything."""
    if b"/" not in text:
        # So the text in fatbins is; this takes a tenth of the time.
        return b'""'.join(text.split(b'"')[::2])
    return _COMMENT_OR_STRING.sub(lambda found: b'""' if found[0].startswith(b'"') else b" ", text)


def _target(bare: bytes) -> str | None:
    found = _TARGET.search(bare)
    return f"compute_{found[1].decode()}" if found else None


def _kernels(bare: bytes) -> Iterator[Kernel]:
    """Functions with a body: one that ends in a semicolon is only declared."""
    start = bare.find(_ENTRY_WORD)
    while start >= 0:
        found = _ENTRY.match(bare, start)
        if found is None:
            start = bare.find(_ENTRY_WORD, start + 1)
            continue
        end = _end_of_header(bare, found.end())
        if bare[end : end + 1] == b"{":
            name, parameters = found.groups(default=b"")
            # Compilers name parameters after their kernel: without that, thousands of kernels have the same ones.
            parameters = parameters.replace(name + b"_param_", b"_")
            yield Kernel(name=name.decode(), arguments_bytes=_arguments_bytes(parameters))
        start = bare.find(_ENTRY_WORD, end)


def _end_of_header(bare: bytes, start: int) -> int:
    """Where a function's header ends: directives may stand after the parameters, and a pragma has its own semicolon."""
    while stop := _STOP.search(bare, start):
        if stop[0] == b"{" or b".pragma" not in bare[start : stop.start()]:
            return stop.start()
        start = stop.end()
    return len(bare)


def _arguments_bytes(parameters: bytes) -> int | None:
    """Bytes of all parameters, each at a multiple of its alignment; None where one is of another form."""
    return _known_arguments_bytes(parameters) if len(parameters) <= _SHORT else _any_arguments_bytes(parameters)


def _any_arguments_bytes(parameters: bytes) -> int | None:
    size = 0
    for parameter in parameters.split(b",") if parameters.strip() else ():
        extent = _extent(parameter)
        if extent is None:
            return None
        step, own = extent
        size = align_up(size, step) + own
    return size


_known_arguments_bytes = lru_cache(maxsize=1024)(_any_arguments_bytes)


def _extent(parameter: bytes) -> tuple[int, int] | None:
    """Alignment and bytes of one parameter; None where it is of another form."""
    found = _PARAMETER.match(parameter)
    if found is None:
        return None
    name, bracket, dimensions = parameter[found.end() :].partition(b"[")
    # Names are long, so they are not given to a pattern.
    if name.rstrip()[-1:] not in _NAME_ENDS or b"]" in name:
        return None
    alignment, bits, pair = found.groups()
    element = int(bits) // 8 * (2 if pair else 1)
    step = int(alignment) if alignment else element
    if not step or step & (step - 1):
        return None
    if not bracket:
        return step, element
    if not _DIMENSIONS.fullmatch(bracket + dimensions):
        return None
    return step, element * prod(map(int, re.findall(rb"\d+", dimensions)))


def _damaged(text: str) -> Examined:
    return Examined(kind="ptx", target=None, fault=PayloadFault(code="bad-payload", offset=0, text=text))
