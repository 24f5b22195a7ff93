"""A manifest's meaning: walks the plain tree, notes every fault by its path, and builds the images."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import lru_cache

from ..frozen import field, frozen
from ..limits import IMAGES
from ..model import IMAGE_KINDS, KINDS, TOOLCHAINS, Declared, Image, ImageKind, OffloadKind
from . import fields
from .expand import TARGET_NAMES, expanded, file_name_part
from .faults import PathFaults
from .tree import Path, Plain
from .values import INPUT_PREFIX, Budget, Manifest

__all__ = ["Context", "beside", "check", "equals"]

_TOP_KEYS = (
    "schema",
    "toolchain",
    "format_version",
    "align",
    "compress",
    "variables",
    "defaults",
    "images",
    "include",
    "require",
    "budget",
    "bind",
    "literal",
)
_DEFAULT_KEYS = ("triple", "arch", "kind", "image_kind", "metadata")
_IMAGE_KEYS = ("file", "input", *_DEFAULT_KEYS)
_SCHEMAS = {"1": 1}
_FORMAT_VERSIONS = {"1": 1, "2": 2, "3": 3}


@frozen
class Context:
    """What a manifest is read with: ``file`` is its absolute path, ``resolve`` gives the path of a name in it."""

    file: str
    resolve: Callable[[str, str], str]
    bind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    allow_unbound: bool = False


@frozen
class _Target:
    """What an image of the manifest may take from ``defaults``."""

    triple: str | None
    archs: tuple[str, ...]
    kind: OffloadKind | None
    image_kind: ImageKind | None
    metadata: Mapping[str, str]


def check(tree: Plain, context: Context, faults: PathFaults) -> Manifest | None:
    """The manifest that ``tree`` declares, or None where it is no mapping; faults are noted in ``faults``."""
    top = fields.mapping(tree, (), faults, keys=_TOP_KEYS)
    if top is None:
        return None
    return _Check(top, context, faults).manifest()


class _Check:
    def __init__(self, top: dict[str, Plain], context: Context, faults: PathFaults) -> None:
        self._top = top
        self._context = context
        self._faults = faults
        self._bind = {**self._bound(), **context.bind}
        self._variables = {**self._declared_variables(), **context.variables}
        self._defaults: dict[str, Plain] = {}
        self._literal = fields.boolean(top["literal"], ("literal",), faults) if "literal" in top else False
        self._inputs: dict[str, None] = {}
        self._seen: dict[Hashable, Declared] = {}
        self._made = 0

    def manifest(self) -> Manifest:
        top, faults = self._top, self._faults
        if "schema" not in top:
            faults.add((), "missing key 'schema'; write 'schema: 1'")
        else:
            fields.choice(top["schema"], ("schema",), faults, _SCHEMAS)
        toolchain = (
            fields.choice(top["toolchain"], ("toolchain",), faults, dict(TOOLCHAINS)) if "toolchain" in top else None
        )
        images = tuple(self._images())
        return Manifest(
            files=(self._context.file,), images=images, toolchain=toolchain.name if toolchain else None,
            format_version=self._format_version(), align=self._align(), compress=self._compress(),
            budget=self._budget(),
            inputs=tuple(self._inputs), bind=self._bind,
        )  # fmt: skip

    def _format_version(self) -> int | None:
        key = "format_version"
        return fields.choice(self._top[key], (key,), self._faults, _FORMAT_VERSIONS) if key in self._top else None

    def _align(self) -> int | None:
        return fields.alignment(self._top["align"], ("align",), self._faults) if "align" in self._top else None

    def _compress(self) -> str | None:
        return (
            fields.compression(self._top["compress"], ("compress",), self._faults) if "compress" in self._top else None
        )

    def _budget(self) -> Budget | None:
        path: Path = ("budget",)
        size = fields.size(self._top["budget"], path, self._faults) if "budget" in self._top else None
        declared = Declared(file=self._context.file, path=path)
        return None if size is None else Budget(text=str(self._top["budget"]), size=size, declared=declared)

    def _bound(self) -> dict[str, tuple[str, ...]]:
        if "bind" not in self._top:
            return {}
        declared = fields.mapping(self._top["bind"], ("bind",), self._faults) or {}
        bound = {name: fields.texts(files, ("bind", name), self._faults) for name, files in declared.items()}
        resolve, manifest = self._context.resolve, self._context.file
        return {name: tuple(resolve(manifest, file) for _, file in files) for name, files in bound.items()}

    def _declared_variables(self) -> dict[str, str]:
        if "variables" not in self._top:
            return {}
        declared = fields.mapping(self._top["variables"], ("variables",), self._faults) or {}
        found = {}
        for name, value in declared.items():
            if name in TARGET_NAMES or not name.isidentifier():
                message = f"{name!r} cannot name a variable; use a word other than {', '.join(TARGET_NAMES)}"
                self._faults.add(("variables", name), message, on_key=True)
            content = fields.text(value, ("variables", name), self._faults)
            found[name] = content or ""
        return found

    def _images(self) -> Iterator[Image]:
        defaults: dict[str, Plain] = {}
        if "defaults" in self._top:
            declared_defaults = self._top["defaults"]
            defaults = fields.mapping(declared_defaults, ("defaults",), self._faults, keys=_DEFAULT_KEYS) or {}
        self._defaults = defaults
        base = self._target(defaults, ("defaults",))
        if "images" not in self._top and "include" in self._top:
            return
        if "images" not in self._top:
            self._faults.add((), "missing key 'images'; give a list, which may be empty")
            return
        declared = fields.items(self._top["images"], ("images",), self._faults)
        if len(declared) > IMAGES:
            self._faults.add(("images",), f"{len(declared)} images, at most {IMAGES} are read")
            return
        for index, item in enumerate(declared):
            path: Path = ("images", index)
            image = fields.mapping(item, path, self._faults, keys=_IMAGE_KEYS)
            if image is None:
                continue
            self._made += _length(image.get("file")) * _length(image.get("arch", defaults.get("arch")))
            if self._made > IMAGES:
                self._faults.add(path, f"with its lists more than {IMAGES} images, at most so many are read")
                return
            yield from self._image(image, path, base)

    def _target(self, declared: dict[str, Plain], path: Path) -> _Target:
        faults = self._faults

        def choice(key: str, choices: Mapping[str, fields._Choice]) -> fields._Choice | None:
            return fields.choice(declared[key], (*path, key), faults, choices) if key in declared else None

        return _Target(
            triple=fields.text(declared["triple"], (*path, "triple"), faults) if "triple" in declared else None,
            archs=tuple(arch for _, arch in fields.texts(declared["arch"], (*path, "arch"), faults))
            if "arch" in declared
            else (),
            kind=choice("kind", KINDS),
            image_kind=choice("image_kind", IMAGE_KINDS),
            metadata=fields.metadata(declared["metadata"], (*path, "metadata"), faults)
            if "metadata" in declared
            else {},
        )

    def _image(self, declared: dict[str, Plain], path: Path, base: _Target) -> Iterator[Image]:
        faults_before = self._faults.count
        own = self._target(declared, path)
        for key in ("triple", "kind"):
            if key not in declared and key not in self._defaults:
                hint = "; write 'kind: none' if no runtime shall take it" if key == "kind" else ""
                self._faults.add(path, f"missing key {key!r}{hint}")
        kind, triple = own.kind or base.kind or OffloadKind.NONE, own.triple or base.triple or ""
        is_sound = self._faults.count == faults_before  # else images may be equal in what is missing
        image_kind = own.image_kind if own.image_kind is not None else base.image_kind
        metadata = tuple({**base.metadata, **own.metadata}.items())
        manifest = self._context.file
        for arch in own.archs or base.archs or ("",):
            for where, file in self._files(declared, path, {"arch": arch, "triple": triple, "kind": kind.value}):
                image = Image(
                    file=file, triple=triple, arch=arch, kind=kind, image_kind=image_kind, metadata=metadata,
                    declared=Declared(file=manifest, path=where),
                )  # fmt: skip
                if is_sound:
                    self._check_new(image)
                yield image

    def _check_new(self, image: Image) -> None:
        assert image.declared is not None, "given by the caller"
        first = self._seen.setdefault(image.identity(), image.declared)
        if first is not image.declared:
            self._faults.add(image.declared.path, equals(image, first))

    def _files(self, declared: dict[str, Plain], path: Path, target: dict[str, str]) -> Iterator[tuple[Path, str]]:
        if ("file" in declared) == ("input" in declared):
            both = "both 'file' and 'input'; keep one" if "file" in declared else "missing key 'file' (or 'input')"
            self._faults.add(path, both)
        elif "file" in declared:
            for where, file in fields.texts(declared["file"], (*path, "file"), self._faults):
                name = self._expanded(file, where, target)
                if name is not None:
                    yield where, self._context.resolve(self._context.file, name)
        else:
            yield from self._input(declared["input"], (*path, "input"))

    def _input(self, value: Plain, path: Path) -> Iterator[tuple[Path, str]]:
        name = fields.text(value, path, self._faults)
        if name is None:
            return
        self._inputs[name] = None
        if name in self._bind:
            yield from ((path, file) for file in self._bind[name])
        elif self._context.allow_unbound:
            yield path, INPUT_PREFIX + name
        else:
            self._faults.add(path, f"input {name!r} is not bound; pass --bind {name}=FILE")

    def _expanded(self, file: str, path: Path, target: dict[str, str]) -> str | None:
        if self._literal or ("{" not in file and "}" not in file):
            return file
        values = {**self._variables, **{name: file_name_part(value) for name, value in target.items()}}
        return expanded(file, values, path, self._faults)


def _length(value: Plain) -> int:
    return len(value) if isinstance(value, list) else 1


def equals(image: Image, first: Declared) -> str:
    """The fault of an image that another one equals, which stands at ``first``."""
    assert image.declared is not None, "images of manifests have a place"
    place = ".".join(map(str, first.path)) + ("" if first.file == image.declared.file else f" in {first.file}")
    return f"image {image.file!r} equals that of {place}: same file, triple, arch, kind and metadata"


def beside(manifest: str, name: str) -> str:
    """The absolute path of ``name`` as the manifest's own folder sees it."""
    if "." in (name[:1], name[-1:]) or "/" in (name[:1], name[-1:]) or "/." in name or "//" in name or not name:
        return os.path.normpath(os.path.join(os.path.dirname(manifest), name))
    return _folder(manifest) + name


@lru_cache(maxsize=64)
def _folder(manifest: str) -> str:
    """What stands before an ordinary name beside the manifest."""
    return os.path.normpath(os.path.join(os.path.dirname(manifest), "x"))[:-1]
