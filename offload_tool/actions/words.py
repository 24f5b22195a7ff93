"""Numbers on disk to words, in either numbering of the offload kinds.

HIP is 3 in LLVM's manual and up to LLVM 20, and 4 since; SYCL is 4 in the manual and 8 since LLVM 21.  Both write
format version 1, so 4 is told there by the target that the image is for.  Later versions have the newer numbers only.
"""

from __future__ import annotations

from functools import lru_cache

from ..model import ImageKind, OffloadKind

__all__ = ["image_kind_word", "kind_word", "one_line"]

_AMBIGUOUS = 4
_SHARED = {0: OffloadKind.NONE.value, 1: OffloadKind.OPENMP.value, 2: OffloadKind.CUDA.value, 8: OffloadKind.SYCL.value}
_OF_VERSION_1 = {**_SHARED, 3: OffloadKind.HIP.value}
_SINCE_VERSION_2 = {**_SHARED, 4: OffloadKind.HIP.value}


def kind_word(number: int, version: int, triple: str, arch: str) -> str:
    """The word for an offload kind's number; ``hip or sycl`` if the target does not tell, the number if unknown.

    SPIR-V is sycl, unless it is AMD's own or chipStar's, which is HIP on other vendors' devices.

    >>> kind_word(4, 1, "amdgcn-amd-amdhsa", "gfx90a"), kind_word(4, 1, "spirv64", ""), kind_word(4, 2, "spirv64", "")
    ('hip', 'sycl', 'hip')
    """
    words = _OF_VERSION_1 if version == 1 else _SINCE_VERSION_2
    if number in words:
        return words[number]
    if version != 1 or number != _AMBIGUOUS:
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
