"""What a payload is by its first bytes: the words of ``Payload.kind``.

The words of ``wire.magic``, but for

| word | what |
|---|---|
| ``cubin``, ``code-object``, ``object`` | ELF of machine 190, of machine 224, of another one |
| ``ptx`` | text whose first statement is ``.version`` |
| ``bundle`` | Clang's offload bundle, of text too |
| ``unknown`` | anything else |
"""

from __future__ import annotations

from ..wire.elf_head import EM_AMDGPU, EM_CUDA, elf_head
from ..wire.magic import magic_word, may_begin_text

__all__ = ["HEAD_SIZE", "kind_of"]

HEAD_SIZE = 512
"""First bytes of a payload that suffice to tell what it is."""

_MACHINES = {EM_CUDA: "cubin", EM_AMDGPU: "code-object"}


def kind_of(head: bytes) -> str:
    r"""The word for what begins with these bytes.

    >>> kind_of(b"BC\xc0\xde")
    'bitcode'
    """
    word = magic_word(head)
    if word == "elf":
        found = elf_head(head)
        return _MACHINES.get(found.e_machine, "object") if found is not None else "object"
    return word or _kind_of_text(head)


def _kind_of_text(head: bytes) -> str:
    if not may_begin_text(head):
        return "unknown"
    from . import ptx, text_bundle

    if text_bundle.matches(head):
        return "bundle"
    return "ptx" if ptx.matches(head) else "unknown"
