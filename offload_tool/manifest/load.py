"""The way into a manifest: from files to one checked value, or to every fault at once."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import Fault, ManifestError, OffloadError
from ..limits import MANIFEST_BYTES, MANIFEST_FAULTS, MANIFEST_NODES
from ..model import Declared
from .check import Context, beside, check
from .faults import PathFault, PathFaults, located
from .json_text import parse_json, parse_json_plain
from .tree import Node, Plain, TextFault, to_plain
from .values import Manifest

__all__ = ["load_manifest", "load_manifests", "place_of"]

Resolve = Callable[[str, str], str]

_SAID_ONCE = ("toolchain", "format_version", "align", "compress")


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
    settled: Collection[str] = (),
) -> Manifest:
    """Several manifests as one, in order: their images one after the other.

    ``resolve(manifest, name)`` gives the path of a file that a manifest names; without it the name is relative to
    the manifest's folder.  ``bind`` gives the files of each ``input:`` name, ``variables`` the values that count
    before the manifest's own.  Bindings that a manifest brings count for all of them.  ``settled`` names the keys
    (``toolchain``, ``format_version``, ``align``, ``compress``) that the caller decides: there manifests may differ.

    Raises ManifestError with every fault of all manifests, OffloadError where one cannot be read.
    """
    bound = {name: tuple(os.path.abspath(file) for file in files) for name, files in (bind or {}).items()}
    faults: list[Fault] = []
    read = [source for path in paths for source in _sources(os.path.abspath(path), faults)]
    for source in read:
        bound = {**_bindings(source.path, source.tree, resolve or beside), **bound}
    manifests: list[Manifest] = []
    seen: dict[Hashable, Declared] = {}
    unplaced = 0
    for source in read:
        context = Context(
            file=source.path, resolve=resolve or beside, bind=bound, variables=variables or {},
            allow_unbound=allow_unbound, seen=seen,
        )  # fmt: skip
        noted = PathFaults()
        manifest = check(source.tree, context, noted)
        faults += _placed(source, noted.found)
        unplaced += noted.count - len(noted.found)
        manifests += [manifest] if manifest else []
    if not faults and len(manifests) > 1:
        faults = [*_disagreements(read, manifests, settled)]
    if faults:
        raise ManifestError(_limited(faults, unplaced))
    return _joined(manifests)


def place_of(declared: Declared) -> Fault:
    """Line and column of a declaration, as a Fault without a message; line 1 where the file has changed since."""
    try:
        status = os.stat(declared.file)
        root = _nodes_of(declared.file, status.st_mtime_ns, status.st_size)
        line, column = located(root, PathFault(path=declared.path, message=""))
    except (OSError, OffloadError, TextFault):
        line, column = 1, 1
    return Fault(file=declared.file, line=line, column=column, message="")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """One manifest that could be read."""

    path: str
    text: str
    tree: Plain


def _sources(path: str, faults: list[Fault]) -> Iterator[_Source]:
    """The manifest at ``path``, or nothing after noting why its text is none; raises OffloadError if unreadable."""
    try:
        text = _read(path)
        tree = parse_json_plain(text) if _is_json(text) else to_plain(_nodes(text), MANIFEST_NODES)
    except TextFault as fault:
        faults.append(Fault(file=path, line=fault.line, column=fault.column, message=fault.message))
    else:
        yield _Source(path=path, text=text, tree=tree)


@lru_cache(maxsize=1)
def _nodes_of(path: str, _mtime_ns: int, _size: int) -> Node:
    """The nodes of a manifest, kept for the next image of the same one; time and size tell whether it is the same."""
    return _nodes(_read(path))


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


def _placed(source: _Source, found: Sequence[PathFault]) -> list[Fault]:
    if not found:
        return []
    path = source.path
    try:
        root = _nodes(source.text)
    except TextFault as fault:
        return [Fault(file=path, line=fault.line, column=fault.column, message=fault.message)]
    placed = [(*located(root, fault), fault.message) for fault in found]
    return [Fault(file=path, line=line, column=column, message=what) for line, column, what in sorted(set(placed))]


def _limited(faults: list[Fault], unplaced: int) -> tuple[Fault, ...]:
    if len(faults) <= MANIFEST_FAULTS:
        return tuple(faults)
    last = faults[MANIFEST_FAULTS - 1]
    count = len(faults) + unplaced - MANIFEST_FAULTS
    more = Fault(file=last.file, line=last.line, column=last.column, message=f"{count} more faults")
    return (*faults[:MANIFEST_FAULTS], more)


def _joined(manifests: list[Manifest]) -> Manifest:
    if len(manifests) == 1:
        return manifests[0]
    return Manifest(
        files=tuple(file for manifest in manifests for file in manifest.files),
        images=tuple(image for manifest in manifests for image in manifest.images),
        toolchain=_first_said(manifests, "toolchain"),
        format_version=_first_said(manifests, "format_version"),
        align=_first_said(manifests, "align"),
        compress=_first_said(manifests, "compress"),
        inputs=tuple(dict.fromkeys(name for manifest in manifests for name in manifest.inputs)),
    )


def _first_said(manifests: list[Manifest], key: str) -> Any:
    return next((getattr(manifest, key) for manifest in manifests if getattr(manifest, key) is not None), None)


def _disagreements(read: list[_Source], manifests: list[Manifest], settled: Collection[str]) -> Iterator[Fault]:
    for key in _SAID_ONCE:
        said = [pair for pair in zip(read, manifests, strict=True) if getattr(pair[1], key) is not None]
        for source, manifest in said[1:] if key not in settled else []:
            first, value, other = said[0][0].path, getattr(said[0][1], key), getattr(manifest, key)
            if other != value:
                message = f"{key} {other!r} differs from {value!r} in {first!r}; name one on the command line"
                yield from _placed(source, [PathFault(path=(key,), message=message)])


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(MANIFEST_BYTES + 1)
    except OSError as error:
        raise OffloadError(f"manifest {path!r}: {error.strerror}") from None
    if len(content) > MANIFEST_BYTES:
        raise OffloadError(f"manifest {path!r} is larger than {MANIFEST_BYTES} bytes")
    content = content.removeprefix(BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"byte 0x{content[error.start]:02x} is no UTF-8; save the manifest as UTF-8"
        raise TextFault(message, line, column) from None
