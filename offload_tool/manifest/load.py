"""The way into a manifest: from files to one checked value, or to every fault at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import Fault, ManifestError, OffloadError, UsageError
from ..limits import MANIFEST_BYTES, MANIFEST_FAULTS, MANIFEST_NODES
from ..model import Declared
from .check import Context, beside, check
from .faults import PathFault, PathFaults, located
from .json_text import parse_json, parse_json_plain
from .tree import Node, Plain, TextFault, to_plain
from .values import Manifest

__all__ = ["load_manifest", "load_manifests", "place_of"]

Resolve = Callable[[str, str], str]


def load_manifest(
    path: str,
    resolve: Resolve | None = None,
    *,
    bind: Mapping[str, Sequence[str]] | None = None,
    variables: Mapping[str, str] | None = None,
    allow_unbound: bool = False,
) -> Manifest:
    """One manifest, checked; see ``load_manifests``.

    >>> load_manifest("images.yaml").images[0].arch  # doctest: +SKIP
    'sm_90'
    """
    return load_manifests([path], resolve, bind=bind, variables=variables, allow_unbound=allow_unbound)


def load_manifests(
    paths: Sequence[str],
    resolve: Resolve | None = None,
    *,
    bind: Mapping[str, Sequence[str]] | None = None,
    variables: Mapping[str, str] | None = None,
    allow_unbound: bool = False,
) -> Manifest:
    """Several manifests as one, in order: their images one after the other.

    ``resolve(manifest, name)`` gives the path of a file that a manifest names; without it the name is relative to
    the manifest's folder.  ``bind`` gives the files of each ``input:`` name, ``variables`` the values that count
    before the manifest's own.  Bindings that a manifest brings count for all of them.

    Raises ManifestError with every fault of all manifests, OffloadError where one cannot be read.
    """
    bound = {name: tuple(os.path.abspath(file) for file in files) for name, files in (bind or {}).items()}
    absolute = [os.path.abspath(path) for path in paths]
    texts = [_read(path) for path in absolute]
    faults: list[Fault] = []
    trees = [_plain(path, text, faults) for path, text in zip(absolute, texts, strict=True)]
    for path, tree in zip(absolute, trees, strict=True):
        bound = {**_bindings(path, tree, resolve or beside), **bound}
    manifests = []
    for path, text, tree in zip(absolute, texts, trees, strict=True):
        context = Context(
            file=path, resolve=resolve or beside, bind=bound, variables=variables or {}, allow_unbound=allow_unbound
        )
        noted = PathFaults()
        manifest = check(tree, context, noted) if tree is not _AT_FAULT else None
        faults += _placed(path, text, noted.found)
        manifests += [manifest] if manifest else []
    if faults:
        raise ManifestError(_limited(faults))
    return _joined(manifests)


def place_of(declared: Declared) -> Fault:
    """Line and column of a declaration, as a Fault without a message; line 1 where the file has changed since."""
    try:
        line, column = located(_nodes(_read(declared.file)), PathFault(path=declared.path, message=""))
    except (OffloadError, TextFault):
        line, column = 1, 1
    return Fault(file=declared.file, line=line, column=column, message="")


_AT_FAULT: Plain = ["text at fault"]


def _plain(path: str, text: str, faults: list[Fault]) -> Plain:
    try:
        return parse_json_plain(text) if _is_json(text) else to_plain(_nodes(text), MANIFEST_NODES)
    except TextFault as fault:
        faults.append(Fault(file=path, line=fault.line, column=fault.column, message=fault.message))
        return _AT_FAULT


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] == "{"


def _nodes(text: str) -> Node:
    if _is_json(text):
        return parse_json(text)
    from .yaml_text import parse_yaml

    return parse_yaml(text)


def _bindings(path: str, tree: Plain, resolve: Resolve) -> dict[str, tuple[str, ...]]:
    """The well-formed bindings of a manifest, before it is checked: the others may need them."""
    declared = tree.get("bind") if isinstance(tree, dict) else None
    found = {}
    for name, files in declared.items() if isinstance(declared, dict) else ():
        listed = files if isinstance(files, list) else [files]
        found[name] = tuple(resolve(path, file) for file in listed if isinstance(file, str))
    return found


def _placed(path: str, text: str, found: list[PathFault]) -> list[Fault]:
    if not found:
        return []
    try:
        root = _nodes(text)
    except TextFault as fault:
        return [Fault(file=path, line=fault.line, column=fault.column, message=fault.message)]
    placed = [(*located(root, fault), fault.message) for fault in found]
    return [Fault(file=path, line=line, column=column, message=what) for line, column, what in sorted(set(placed))]


def _limited(faults: list[Fault]) -> tuple[Fault, ...]:
    if len(faults) <= MANIFEST_FAULTS:
        return tuple(faults)
    last = faults[MANIFEST_FAULTS - 1]
    more = Fault(
        file=last.file, line=last.line, column=last.column, message=f"{len(faults) - MANIFEST_FAULTS} more faults"
    )
    return (*faults[:MANIFEST_FAULTS], more)


def _joined(manifests: list[Manifest]) -> Manifest:
    if len(manifests) == 1:
        return manifests[0]
    return Manifest(
        files=tuple(file for manifest in manifests for file in manifest.files),
        images=tuple(image for manifest in manifests for image in manifest.images),
        toolchain=_agreed(manifests, "toolchain"),
        format_version=_agreed(manifests, "format_version"),
        align=_agreed(manifests, "align"),
        inputs=tuple(dict.fromkeys(name for manifest in manifests for name in manifest.inputs)),
    )


def _agreed(manifests: list[Manifest], key: str) -> Any:
    said = {getattr(manifest, key): manifest.files[0] for manifest in manifests if getattr(manifest, key) is not None}
    if len(said) > 1:
        (one, first), (other, second) = list(said.items())[:2]
        raise UsageError(f"{first} says {key} {one!r}, {second} says {other!r}; name one on the command line")
    return next(iter(said), None)


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(MANIFEST_BYTES + 1)
    except OSError as error:
        raise OffloadError(f"manifest {path!r}: {error.strerror}") from None
    if len(content) > MANIFEST_BYTES:
        raise OffloadError(f"manifest {path!r} is larger than {MANIFEST_BYTES} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        message = f"byte 0x{content[error.start]:02x} is no UTF-8; save the manifest as UTF-8"
        raise ManifestError((Fault(file=path, line=line, column=column, message=message),)) from None
