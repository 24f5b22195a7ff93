"""Manifests as the command line names them."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UsageError
from ..manifest.check import beside
from ..manifest.expand import TARGET_NAMES
from ..manifest.load import finder, load_manifests
from ..manifest.values import Manifest
from ..model import Image
from .arguments import Options, pairs

__all__ = ["manifest_of"]


_SAID_ONCE = ("toolchain", "format_version", "align", "compress")


def manifest_of(
    paths: Sequence[str],
    options: Options,
    *,
    allow_unbound: bool = False,
    others: Sequence[Image] | None = (),
    images_only: bool = False,
) -> Manifest:
    """The manifests ``paths`` as one, read with ``--bind``, ``-D`` and ``-I``; ``others`` are packed with them.

    With None for ``others`` nothing is required; with ``images_only`` manifests may differ in all but images.
    """
    bind: dict[str, list[str]] = {}
    for name, file in pairs(options.bind, "--bind"):
        bind.setdefault(name, []).append(file)
    variables = dict(pairs(options.define, "-D"))
    for name in variables:
        if name in TARGET_NAMES or not name.isidentifier():
            raise UsageError(f"-D {name!r} cannot name a variable; use a word other than {', '.join(TARGET_NAMES)}")
    settled = [key for key in _SAID_ONCE if images_only or getattr(options, key, None) is not None]
    return load_manifests(
        paths, find=finder(options.search, beside), bind=bind, variables=variables,
        allow_unbound=allow_unbound, settled=settled, others=others,
    )  # fmt: skip
