"""Numbers on disk to words, in either numbering of the offload kinds.

The format version tells nothing: HIP is 3 in LLVM's manual and up to LLVM 20, and 4 since; SYCL is 4 in the manual and
8 since LLVM 21.  So 4 is told by the target that the image is for.
"""

from __future__ import annotations

from functools import lru_cache

from ..model import ImageKind, OffloadKind

__all__ = ["image_kind_word", "kind_word", "one_line"]

_AMBIGUOUS = 4
_KINDS = {0: OffloadKind.NONE, 1: OffloadKind.OPENMP, 2: OffloadKind.CUDA, 3: OffloadKind.HIP, 8: OffloadKind.SYCL}
_WORDS = {number: kind.value for number, kind in _KINDS.items()}


def kind_word(number: int, triple: str, arch: str) -> str:
    """The word for an offload kind's number; ``hip or sycl`` if the target does not tell, the number if unknown.

    SPIR-V is sycl, unless it is AMD's own or chipStar's, which is HIP on other vendors' devices.

    >>> kind_word(4, "amdgcn-amd-amdhsa", "gfx90a"), kind_word(7, "", "")
    ('hip', '7')
    """
    if number in _WORDS:
        return _WORDS[number]
    if number != _AMBIGUOUS:
        return str(number)
    parts = triple.split("-")
    if triple.startswith(("amdgcn", "amdgpu")) or arch.startswith("gfx") or "amd" in parts[1:2]:
        return OffloadKind.HIP.value
    if triple.startswith("spir") and "chipstar" not in parts:
        return OffloadKind.SYCL.value
    return f"{OffloadKind.HIP.value} or {OffloadKind.SYCL.value}"


@lru_cache(maxsize=64)
def image_kind_word(number: int) -> str:
    """The word for an image kind's number, or the number if it is unknown."""
    return ImageKind(number).word if number in ImageKind._value2member_map_ else str(number)


def one_line(text: str) -> str:
    r"""``text`` out of a file, for a message that does not quote it: what cannot be seen in it becomes an escape.

    >>> one_line("gfx90a\nerror: none")
    'gfx90a\\nerror: none'
    """
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
