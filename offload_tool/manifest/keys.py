"""Every key of a manifest, once: the JSON schema and the tables of docs/manifest.md are made of these.

The loader's own checks stand in ``check``, ``include`` and ``require``; a property test holds them and the schema
together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ..frozen import field, frozen, replace
from ..limits import ALIGN
from ..model import KINDS, TOOLCHAINS, ImageKind
from .expand import TARGET_NAMES

__all__ = ["KEYS", "Form", "Key"]

_TAKEN = ("file", "triple", "arch", "kind")


@frozen
class Form:
    """What a value looks like: in ``words`` for a person, as a part of a JSON schema, and which mapping it is.

    ``keys`` and ``is_list`` are for values that are mappings with keys of their own: the place in ``KEYS`` where those
    stand, and whether there is a list of such mappings.
    """

    words: str
    schema: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    keys: str = ""
    is_list: bool = False


@frozen
class Key:
    """One key; ``meaning`` is Markdown, ``required`` says when it must be there (empty: never).

    ``section`` is where docs/manifest.md tells more, if it does.

    >>> [key.name for key in KEYS["require"]]
    ['triple', 'arch', 'kind']
    """

    name: str
    form: Form
    meaning: str
    example: Any
    required: str = ""
    section: str = ""


# Strings have no control characters.  In YAML 9.0 and true are no strings to an editor, but texts to the loader.
_PRINTABLE: Mapping[str, Any] = {"minLength": 1, "pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$"}
_TEXT: Mapping[str, Any] = {"type": ["string", "number", "boolean"], **_PRINTABLE}


def _or_list(one: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"anyOf": [one, {"type": "array", "minItems": 1, "items": one}]}


def _word_of(words: Iterable[str], kind: str) -> Form:
    return Form(words=kind, schema={"enum": list(words)})


def _powers_of_two() -> list[int]:
    return [1 << power for power in range(3, ALIGN.bit_length())]


def _mapping(values: Mapping[str, Any], names: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    named = {"propertyNames": names} if names is not None else {}
    return {"type": "object", **named, "additionalProperties": values}


_A_TEXT = Form(words="text", schema=_TEXT)
_TEXTS = Form(words="text, or list of texts", schema=_or_list(_TEXT))
_KIND = _word_of(KINDS, "word")
_KIND_OF_IMAGE = _word_of((kind.word for kind in ImageKind), "word")
_METADATA = Form(
    words="mapping of texts", schema=_mapping(_TEXT, {**_PRINTABLE, "not": {"enum": list(_TAKEN)}})
)  # fmt: skip
# Names outside ASCII are left to the loader: what Unicode calls a letter is beyond regular expressions of schemas.
_VARIABLES = Form(
    words="mapping of texts",
    schema=_mapping(
        _TEXT,
        {
            "pattern": r"^([A-Za-z_]|[^\u0000-\u007f])([A-Za-z0-9_]|[^\u0000-\u007f])*$",
            "not": {"enum": list(TARGET_NAMES)},
        },
    ),
)
_ALIGN = Form(
    words="number",
    schema={
        "anyOf": [
            {"enum": _powers_of_two()},
            {"type": "string", "maxLength": 9, "pattern": f"^0*({'|'.join(map(str, _powers_of_two()))})$"},
        ]
    },
)
_SIZE = Form(
    words="size",
    schema={
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 10**18 - 1},
            {"type": "string", "pattern": r"^[0-9]{1,18}( ?|(\.[0-9]{1,9})? ?([kKMGT]?B|[KMGT]iB))$"},
        ]
    },
)

_TRIPLE = Key(name="triple", form=_A_TEXT, meaning="the target triple", example="nvptx64-nvidia-cuda")
_ARCH = Key(
    name="arch", form=_TEXTS, meaning="the architecture; a list is one image for each", example=["sm_80", "sm_90"]
)
_OF_KIND = Key(
    name="kind", form=_KIND, example="cuda",
    meaning="`openmp`, `cuda`, `hip`, `sycl`, or `none` for an image that no runtime takes",
)  # fmt: skip
_OF_IMAGE_KIND = Key(
    name="image_kind", form=_KIND_OF_IMAGE, example="cubin",
    meaning="`object`, `bitcode`, `cubin`, `fatbinary`, `ptx`, `spirv`, `none`; "
    "by default the bytes tell, then the suffix",
)  # fmt: skip
_OF_METADATA = Key(
    name="metadata", form=_METADATA, example={"feature": "+ptx70"},
    meaning="further key-value strings, stored as they are",
)  # fmt: skip


_DOCUMENT = (
    Key(
        name="schema", form=Form(words="`1`", schema={"enum": [1, "1"]}), required="always", example=1,
        meaning="the version of these keys",
    ),
    Key(
        name="toolchain", form=_word_of(TOOLCHAINS, "word"), example="llvm-22",
        meaning="who reads the result: `documented` (default) or `llvm-15` ... `llvm-24`; "
        "decides the numbers of the offload kinds",
    ),
    Key(
        name="format_version", form=Form(words="1 to 3", schema={"enum": [1, 2, 3, "1", "2", "3"]}), example=1,
        meaning="version of the offload binary, if not the one that the toolchain writes; it must be one that it reads",
    ),
    Key(
        name="compress", example="zstd:-5",
        meaning="`zlib` or `zstd`, with `:LEVEL` where wanted; needs format version 3",
        form=Form(words="text", schema={"type": "string", "pattern": "^(zlib|zstd)(:-?[0-9]{1,6})?$"}),
    ),
    Key(
        name="align", form=_ALIGN, example=4096,
        meaning=f"sizes and image offsets become multiples of so many bytes: 8 (default) or a larger power of two up "
        f"to {ALIGN}; above 8 needs format version 1",
    ),
    Key(
        name="variables", form=_VARIABLES, example={"BUILD": "out/kernels"},
        meaning="values for `{NAME}` in `file`; `-D NAME=VALUE` counts before them",
    ),
    Key(
        name="defaults", form=Form(words="mapping", keys="defaults"),
        example={"triple": "amdgcn-amd-amdhsa", "kind": "hip"},
        meaning="keys for images that do not give their own; metadata is merged key by key",
    ),
    Key(
        name="images", form=Form(words="list", keys="image", is_list=True), required="unless there is `include`",
        meaning="the images, in the order in which they are packed; may be empty",
        example=[{"file": "saxpy.cubin", "triple": "nvptx64-nvidia-cuda", "arch": "sm_90", "kind": "cuda"}],
    ),
    Key(
        name="include", form=Form(words="list", keys="include", is_list=True), example=[{"manifest": "blas.yaml"}],
        meaning="manifests whose images are packed after the manifest's own", section="including-manifests",
    ),
    Key(
        name="require", form=Form(words="list", keys="require", is_list=True), example=[{"arch": ["sm_80", "sm_90"]}],
        meaning="targets that must have an image", section="what-must-be-there",
    ),
    Key(
        name="budget", form=_SIZE, example="1.9GiB",
        meaning="most bytes that the packed images may have together: `1.9GiB`, `500MB`, or a plain number",
    ),
    Key(
        name="bind", form=Form(words="mapping of texts or lists", schema=_mapping(_TEXTS.schema)),
        example={"fft": "build/fft.cubin"},
        meaning="files for `input` names, relative to this manifest; generated manifests have it",
    ),
    Key(
        name="literal", example=True,
        form=Form(words="`true`, `false`", schema={"enum": [True, False, "true", "false"]}),
        meaning="`true`: braces in `file` are plain characters; generated manifests have it",
    ),
)  # fmt: skip

_SELECT = (
    replace(_TRIPLE, form=_TEXTS, meaning="triples to take"),
    replace(
        _ARCH,
        meaning="architectures to take; AMDGPU target ids must be the same but for the order of their features",
    ),
    replace(
        _OF_KIND, form=Form(words="word, or list of words", schema=_or_list(_KIND.schema)),
        meaning="offload kinds to take",
    ),
    replace(
        _OF_IMAGE_KIND, form=Form(words="word, or list of words", schema=_or_list(_KIND_OF_IMAGE.schema)),
        meaning="kinds of bytes to take",
    ),
    replace(
        _OF_METADATA, form=Form(words="mapping of texts or lists", schema=_mapping(_TEXTS.schema)),
        meaning="values of metadata to take", example={"tuned": ["full", "partly"]},
    ),
)  # fmt: skip

KEYS: Mapping[str, tuple[Key, ...]] = {
    "document": _DOCUMENT,
    "defaults": (_TRIPLE, _ARCH, _OF_KIND, _OF_IMAGE_KIND, _OF_METADATA),
    "image": (
        Key(
            name="file", form=_TEXTS, required="this or `input`", example="build/saxpy.{arch}.cubin",
            meaning="path or paths, relative to the manifest that holds them; a list is one image for each",
        ),
        Key(
            name="input", form=_A_TEXT, required="this or `file`", example="fft",
            meaning="a name that the build binds to one file or several",
        ),
        replace(_TRIPLE, required="here or in `defaults`"),
        _ARCH,
        replace(_OF_KIND, required="here or in `defaults`"),
        _OF_IMAGE_KIND,
        _OF_METADATA,
    ),
    "include": (
        Key(
            name="manifest", form=_A_TEXT, required="always", example="blas.yaml",
            meaning="path, relative to the manifest that names it; if there is no such file, relative to the folders "
            "of `-I` in order. Variables are filled in",
        ),
        Key(
            name="select", form=Form(words="mapping", keys="select"),
            example={"kind": "cuda", "arch": ["sm_80", "sm_90"]},
            meaning="only these images: all keys must agree, each with any of its values. Without it, all images",
        ),
        Key(
            name="set", form=Form(words="mapping", keys="set"), example={"metadata": {"origin": "blas"}},
            meaning="what these images get. File names are filled in before, with the image's own words",
        ),
    ),
    "select": _SELECT,
    "set": (
        replace(_ARCH, form=_A_TEXT, meaning="the architecture that they are called", example="sm_90"),
        replace(_OF_KIND, meaning="the offload kind that they get"),
        replace(_OF_METADATA, meaning="merged into their own, key by key"),
    ),
    "require": (
        replace(_TRIPLE, form=_TEXTS, required="at least one of the three", meaning="triples that need an image"),
        replace(_ARCH, required="at least one of the three", meaning="architectures that need an image"),
        replace(_SELECT[2], required="at least one of the three", meaning="offload kinds that need an image"),
    ),
}  # fmt: skip
"""The keys of every mapping of a manifest, by the name of that mapping, in the order in which they are told."""
