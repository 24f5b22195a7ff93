"""The values that everything else speaks of: kinds, toolchains, target ids, images.  No I/O.

The numbers are those of LLVM's offload binary (``llvm/Object/OffloadBinary.h``; docs/formats.md holds the table).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from enum import Enum, IntEnum
from functools import lru_cache
from types import MappingProxyType

from .errors import UsageError
from .frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

__all__ = [
    "DOCUMENTED",
    "IMAGE_KINDS",
    "KINDS",
    "TOOLCHAINS",
    "Declared",
    "Image",
    "ImageKind",
    "OffloadKind",
    "TargetId",
    "Toolchain",
    "arch_key",
    "closest",
    "kind_numbers",
    "same_arch",
    "serves",
    "toolchain_named",
]


class OffloadKind(Enum):
    """The programming model that made an image; the value is the word that manifests and listings use."""

    NONE = "none"
    OPENMP = "openmp"
    CUDA = "cuda"
    HIP = "hip"
    SYCL = "sycl"

    __hash__ = object.__hash__  # that of Enum is no built-in one, and costs more than the look-up


class ImageKind(IntEnum):
    """What the bytes of an image are; the number is the one on disk."""

    NONE = 0
    OBJECT = 1
    BITCODE = 2
    CUBIN = 3
    FATBINARY = 4
    PTX = 5
    SPIRV = 6

    @property
    def word(self) -> str:
        """The name in manifests and listings, such as ``cubin``."""
        return self.name.lower()


KINDS: Mapping[str, OffloadKind] = MappingProxyType({kind.value: kind for kind in OffloadKind})
"""The offload kinds by the words that manifests use."""

IMAGE_KINDS: Mapping[str, ImageKind] = MappingProxyType({kind.word: kind for kind in ImageKind})
"""The image kinds by the words that manifests use."""

_SHARED_NUMBERS = {OffloadKind.NONE: 0, OffloadKind.OPENMP: 1, OffloadKind.CUDA: 2}
_MANUAL_NUMBERS = MappingProxyType({**_SHARED_NUMBERS, OffloadKind.HIP: 3, OffloadKind.SYCL: 4})
_OLD_NUMBERS = MappingProxyType({**_SHARED_NUMBERS, OffloadKind.HIP: 3})
_NEW_NUMBERS = MappingProxyType({**_SHARED_NUMBERS, OffloadKind.HIP: 4, OffloadKind.SYCL: 8})
_SUFFIXES = {
    "o": ImageKind.OBJECT,
    "bc": ImageKind.BITCODE,
    "cubin": ImageKind.CUBIN,
    "fatbin": ImageKind.FATBINARY,
    "s": ImageKind.PTX,
}


@frozen
class Toolchain:
    """Who will read the result: decides the format version and the numbers of the offload kinds.

    ``format_version`` is the one that it writes, ``reads`` are those that it reads; ``kind_numbers``, those of format
    version 1, lack the kinds that this toolchain has no number for.
    ``llvm`` is the major release, or None for the manual (``documented``).

    >>> toolchain_named("llvm-22").kind_numbers[OffloadKind.HIP]
    4
    """

    name: str
    llvm: int | None
    format_version: int
    reads: tuple[int, ...]
    kind_numbers: Mapping[OffloadKind, int]

    def image_kind_number(self, image_kind: ImageKind) -> int:
        """The number on disk; SPIR-V has one since LLVM 22, before that it is written as none."""
        if image_kind is ImageKind.SPIRV and self.llvm is not None and self.llvm < 22:
            return ImageKind.NONE
        return image_kind

    def image_kind_of_suffix(self, suffix: str) -> ImageKind:
        """What LLVM's own packager of this release makes of a file suffix (without its dot)."""
        if suffix == "spv" and self.llvm is not None and self.llvm >= 23:
            return ImageKind.SPIRV
        return _SUFFIXES.get(suffix, ImageKind.NONE)


def _llvm(release: int) -> Toolchain:
    version = 1 if release <= 22 else 2 if release == 23 else 3
    numbers = _OLD_NUMBERS if release <= 20 else _NEW_NUMBERS
    reads = tuple(range(1, version + 1))
    return Toolchain(name=f"llvm-{release}", llvm=release, format_version=version, reads=reads, kind_numbers=numbers)


DOCUMENTED = Toolchain(name="documented", llvm=None, format_version=1, reads=(1, 2, 3), kind_numbers=_MANUAL_NUMBERS)
"""The numbers of LLVM's manual, which LLVM 21 and newer no longer write."""

TOOLCHAINS: Mapping[str, Toolchain] = MappingProxyType(
    {toolchain.name: toolchain for toolchain in (DOCUMENTED, *map(_llvm, range(15, 25)))}
)


def kind_numbers(toolchain: Toolchain, format_version: int) -> Mapping[OffloadKind, int]:
    """The numbers of the offload kinds in a format version: from 2 on there is only the newer numbering.

    >>> kind_numbers(DOCUMENTED, 2)[OffloadKind.HIP]
    4
    """
    return toolchain.kind_numbers if format_version == 1 else _NEW_NUMBERS


def toolchain_named(name: str) -> Toolchain:
    """The toolchain of that name; raises UsageError that lists the names there are."""
    try:
        return TOOLCHAINS[name]
    except KeyError:
        raise UsageError(f"unknown toolchain {name!r}; expected one of {', '.join(TOOLCHAINS)}") from None


@lru_cache(maxsize=1)
def _target_id() -> re.Pattern[str]:
    """Compiled when it is first asked for: most commands have no such text, and do without the module."""
    import re

    return re.compile(r"(gfx[0-9a-z-]+)((?::[a-z0-9-]+[+-])*)")


@frozen
class TargetId:
    """An AMDGPU target: ``processor`` such as ``gfx90a``, ``features`` by name, True for ``+``, False for ``-``.

    A feature that is not named is left open.  Source: LLVM's "User Guide for AMDGPU Backend", Target ID.
    """

    processor: str
    features: Mapping[str, bool]

    @classmethod
    def parse(cls, text: str) -> TargetId | None:
        """From text such as ``gfx90a:sramecc+:xnack-``, features in any order; None where it is no target id.

        >>> TargetId.parse("gfx90a:xnack-").features
        {'xnack': False}
        """
        match = _target_id().fullmatch(text)
        if match is None:
            return None
        named = [feature for feature in match[2].split(":") if feature]
        features = {feature[:-1]: feature.endswith("+") for feature in named}
        return cls(processor=match[1], features=features) if len(features) == len(named) else None


def arch_key(arch: str) -> Hashable:
    """What is equal for the same target, see ``same_arch``: for sets, where many are compared with many.

    >>> arch_key("gfx90a:xnack-:sramecc+") == arch_key("gfx90a:sramecc+:xnack-")
    True
    """
    target = TargetId.parse(arch) if ":" in arch else None
    return arch if target is None else (target.processor, frozenset(target.features.items()))


def same_arch(one: str, other: str) -> bool:
    """Whether two archs are the same target: equal text, or target ids that differ only in the features' order.

    >>> same_arch("gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-")
    True
    """
    if one == other:
        return True
    first, second = TargetId.parse(one), TargetId.parse(other)
    return first is not None and first == second


def serves(image: str, wanted: str) -> bool:
    """Whether an image for one arch can run where another is wanted.

    A feature that the image leaves open serves both settings; one that it sets must be set so where it runs.

    >>> serves("gfx90a", "gfx90a:xnack+"), serves("gfx90a:xnack+", "gfx90a:xnack-")
    (True, False)
    """
    if image == wanted:
        return True
    offered, target = TargetId.parse(image), TargetId.parse(wanted)
    if offered is None or target is None or offered.processor != target.processor:
        return False
    return all(target.features.get(name) is setting for name, setting in offered.features.items())


@frozen
class Declared:
    """Where a value was declared: the manifest's file, and the way from its root to the value.

    >>> Declared(file="/p/m.yaml", path=("images", 0, "file")).path[-1]
    'file'
    """

    file: str
    path: tuple[str | int, ...]


@frozen
class Image:
    """One device image as it is to be packed.

    ``file`` is a path to its bytes; ``arch`` may be empty, then no such string is stored; ``image_kind`` None means
    that the bytes and the suffix decide; ``metadata`` are further key-value strings, in the order written.
    """

    file: str
    triple: str
    kind: OffloadKind
    arch: str = ""
    image_kind: ImageKind | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    declared: Declared | None = None

    def identity(self) -> Hashable:
        """Equal for images that count as one: same file, triple, arch, kind and metadata."""
        return self.file, self.triple, self.arch, self.kind, frozenset(self.metadata)

    def strings(self) -> tuple[tuple[str, str], ...]:
        """The key-value strings that are stored with the image, in argument order."""
        arch = (("arch", self.arch),) if self.arch else ()
        return (("triple", self.triple), *arch, *self.metadata)

    def argument_order(self) -> tuple[str, ...]:
        """The keys that LLVM's packager would have been called with; they decide the order of the records."""
        arch = ("arch",) if self.arch else ()
        return ("file", "triple", *arch, "kind", *[key for key, _ in self.metadata])


def closest(word: str, words: tuple[str, ...] | list[str]) -> str:
    """A hint ``; did you mean 'x'?`` if one of ``words`` is near ``word``, else nothing."""
    import difflib

    found = difflib.get_close_matches(word.lower(), words, n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else ""
