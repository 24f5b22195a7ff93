"""The first bytes by which files are told apart: one table for all rooms.

| first bytes | word |
|---|---|
| ``10 FF 10 AD`` | ``offload-binary`` |
| ``7F 45 4C 46`` | ``elf`` |
| ``42 43 C0 DE``, wrapped ``DE C0 17 0B`` | ``bitcode`` |
| ``!<arch>``, ``!<thin>``; AIX's ``<bigaf>``, ``<aiaff>`` | ``archive`` |
| ``50 ED 55 BA`` | ``fatbin``, NVIDIA's |
| ``__CLANG_OFFLOAD_BUNDLE__`` | ``bundle`` |
| ``CCOB`` | ``ccob``, a compressed bundle |
| ``ED 43 4E 7F`` | ``lto-ir``, NVIDIA's container of NVVM IR |
| ``03 02 23 07``, or the other way round | ``spirv`` |

PTX, bundles of text, PE images and COFF objects have no magic worth the name; their readers look closer.
"""

from __future__ import annotations

__all__ = [
    "AIX_ARCHIVES", "ARCHIVE", "BITCODE", "BITCODE_WRAPPER", "COMPRESSED_BUNDLE", "CUDA_FATBIN", "ELF", "NVVM",
    "OFFLOAD_BINARY", "OFFLOAD_BUNDLE", "SPIRV", "THIN_ARCHIVE", "magic_word", "may_begin_text",
]  # fmt: skip

OFFLOAD_BINARY = b"\x10\xff\x10\xad"
ELF = b"\x7fELF"
BITCODE = b"BC\xc0\xde"
BITCODE_WRAPPER = b"\xde\xc0\x17\x0b"
ARCHIVE = b"!<arch>\n"
THIN_ARCHIVE = b"!<thin>\n"
AIX_ARCHIVES = (b"<bigaf>\n", b"<aiaff>\n")
CUDA_FATBIN = b"\x50\xed\x55\xba"
OFFLOAD_BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED_BUNDLE = b"CCOB"
NVVM = b"\xed\x43\x4e\x7f"
SPIRV = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")

_WORDS = (
    (OFFLOAD_BINARY, "offload-binary"),
    (ELF, "elf"),
    ((BITCODE, BITCODE_WRAPPER), "bitcode"),
    ((ARCHIVE, THIN_ARCHIVE, *AIX_ARCHIVES), "archive"),
    (CUDA_FATBIN, "fatbin"),
    (OFFLOAD_BUNDLE, "bundle"),
    (COMPRESSED_BUNDLE, "ccob"),
    (NVVM, "lto-ir"),
    (SPIRV, "spirv"),
)
_BEGINNINGS_OF_TEXT = (b".", b"/", b"#", b";")
_ALL = tuple(magic for either, _ in _WORDS for magic in (either if isinstance(either, tuple) else (either,)))


def magic_word(head: bytes) -> str | None:
    r"""The word for what begins with these bytes, None where no magic tells.

    >>> magic_word(b"CCOB\x03\x00")
    'ccob'
    """
    if head.startswith(_ALL):
        return next(word for magic, word in _WORDS if head.startswith(magic))
    return None


def may_begin_text(head: bytes) -> bool:
    r"""Whether PTX or a bundle of text may begin so: with a directive or a comment, after white space.

    >>> may_begin_text(b"\n// made by hand\n.version 8.0\n"), may_begin_text(b"\x00\x01")
    (True, False)
    """
    return head.lstrip()[:1] in _BEGINNINGS_OF_TEXT
