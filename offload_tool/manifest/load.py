"""The way into a manifest: from files to one checked value, or to every fault at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from ..errors import Fault, ManifestError
from ..limits import MANIFEST_FAULTS
from ..model import Image
from .check import Context, beside
from .faults import PathFault
from .gather import Gathering, finder
from .join import Joined, Joining
from .source import Source, place_of, placed
from .tree import Plain
from .values import Manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["finder", "load_manifest", "load_manifests", "place_of"]

Resolve = Callable[[str, str], str]

_SAID_ONCE = ("toolchain", "format_version", "align", "compress")


def load_manifest(
    path: str,
    resolve: Resolve | None = None,
    *,
    bind: Mapping[str, Sequence[str]] | None = None,
    variables: Mapping[str, str] | None = None,
    search: Sequence[str] = (),
    allow_unbound: bool = False,
) -> Manifest:
    """One manifest and those that it includes, checked; see ``load_manifests``.

    Included manifests are looked for beside the one that names them, then in the folders ``search`` in order.

    >>> load_manifest("images.yaml").images[0].arch  # doctest: +SKIP
    'sm_90'
    """
    find = finder(search, resolve or beside)
    return load_manifests([path], resolve, find=find, bind=bind, variables=variables, allow_unbound=allow_unbound)


def load_manifests(
    paths: Sequence[str],
    resolve: Resolve | None = None,
    *,
    find: Resolve | None = None,
    bind: Mapping[str, Sequence[str]] | None = None,
    variables: Mapping[str, str] | None = None,
    allow_unbound: bool = False,
    settled: Collection[str] = (),
    others: Iterable[Image] | None = (),
) -> Manifest:
    """Several manifests as one, in order: their images one after the other.

    ``resolve(manifest, name)`` gives the path of a file that a manifest names; without it the name is relative to
    the manifest's folder.  ``find(manifest, name)`` does the same for included manifests (see ``finder``).

    ``bind`` gives the files of each ``input:`` name, ``variables`` the values that count before the manifests' own.
    Bindings that a manifest brings count for all of them.  ``settled`` names the
    keys (``toolchain``, ``format_version``, ``align``, ``compress``) that the caller decides: there manifests may
    differ.  ``others`` are images that are packed too: they count where a manifest requires some;
    with None nothing is required.

    Raises ManifestError with every fault of all manifests, OffloadError where one of ``paths`` cannot be read.
    """
    resolve = resolve or beside
    gathering = Gathering(find or resolve)
    roots = [gathering.visit(os.path.abspath(path), variables or {}) for path in paths]
    bound = {name: tuple(os.path.abspath(file) for file in files) for name, files in (bind or {}).items()}
    for path, source in gathering.sources.items():
        bound = {**_bindings(path, source.tree, resolve), **bound}
    joining = Joining(gathering=gathering)
    for part in gathering.parts:
        context = Context(
            file=part.source.path, resolve=resolve, bind=bound, variables=part.variables, allow_unbound=allow_unbound
        )
        joining.check(part, context)
    named = joining.of(roots)
    images = joining.together(named, others) if len(named) == len(roots) else ()
    faults = gathering.all_faults() or [*_disagreements(named, settled)]
    if faults:
        raise ManifestError(_limited(faults, gathering.unplaced))
    return _whole(named, images, bound)


def _bindings(path: str, tree: Plain, resolve: Resolve) -> dict[str, tuple[str, ...]]:
    """The well-formed bindings of a manifest, before it is checked: the others may need them."""
    declared = tree.get("bind") if isinstance(tree, dict) else None
    found = {}
    for name, files in declared.items() if isinstance(declared, dict) else ():
        listed = files if isinstance(files, list) else [files]
        found[name] = tuple(resolve(path, file) for file in listed if isinstance(file, str))
    return found


def _limited(faults: list[Fault], unplaced: int) -> tuple[Fault, ...]:
    if len(faults) <= MANIFEST_FAULTS:
        return tuple(faults)
    last = faults[MANIFEST_FAULTS - 1]
    count = len(faults) + unplaced - MANIFEST_FAULTS
    more = Fault(file=last.file, line=last.line, column=last.column, message=f"{count} more faults")
    return (*faults[:MANIFEST_FAULTS], more)


def _whole(named: list[Joined], images: tuple[Image, ...], bound: Mapping[str, tuple[str, ...]]) -> Manifest:
    toolchains = [name for _, name in _toolchains(named)]
    budgets = [joined.own.budget for joined in named if joined.own.budget is not None]
    return Manifest(
        files=tuple(dict.fromkeys(file for joined in named for file in joined.files)),
        images=images,
        toolchain=toolchains[0] if toolchains else None,
        format_version=_first_said(named, "format_version"),
        align=_first_said(named, "align"),
        compress=_first_said(named, "compress"),
        budget=min(budgets, key=lambda budget: budget.size, default=None),
        inputs=tuple(dict.fromkeys(name for joined in named for name in joined.inputs)),
        bind=bound,
    )


def _first_said(named: list[Joined], key: str) -> Any:
    return next((value for joined in named if (value := getattr(joined.own, key)) is not None), None)


def _toolchains(named: list[Joined]) -> list[tuple[Source, str]]:
    """Who names which toolchain: the manifests that were named, or else those that they include."""
    naming = [joined for joined in named if joined.own.toolchain is not None] or named
    return [(source, name) for joined in naming for name, source in joined.toolchains.items()]


def _disagreements(named: list[Joined], settled: Collection[str]) -> Iterator[Fault]:
    """What manifests say differently of the one result; without a toolchain they have that of what they include."""
    for key in _SAID_ONCE:
        if key == "toolchain":
            said = _toolchains(named)
        else:
            own = ((joined.source, getattr(joined.own, key)) for joined in named)
            said = [(source, value) for source, value in own if value is not None]
        files = {joined.source.path for joined in named}
        for source, other in said[1:] if key not in settled else []:
            first, value = said[0]
            if other != value:
                place = "on the command line" if source.path in files else "in the manifest that includes it"
                message = f"{key} {other!r} differs from {value!r} in {first.path!r}; name one {place}"
                yield from placed(source, [PathFault(path=(key,), message=message)])
