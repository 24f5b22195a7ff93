"""Manifests as the command line names them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..errors import UsageError
from ..manifest.expand import TARGET_NAMES
from ..manifest.load import load_manifests
from ..manifest.values import Manifest
from .arguments import pairs

__all__ = ["manifest_of"]


def manifest_of(paths: Sequence[str], options: argparse.Namespace, *, allow_unbound: bool = False) -> Manifest:
    """The manifests ``paths`` as one, read with ``--bind`` and ``-D``."""
    bind: dict[str, list[str]] = {}
    for name, file in pairs(options.bind, "--bind"):
        bind.setdefault(name, []).append(file)
    variables = dict(pairs(options.define, "-D"))
    for name in variables:
        if name in TARGET_NAMES or not name.isidentifier():
            raise UsageError(f"-D {name!r} cannot name a variable; use a word other than {', '.join(TARGET_NAMES)}")
    settled = [
        key for key in ("toolchain", "format_version", "align", "compress") if getattr(options, key, None) is not None
    ]
    return load_manifests(paths, bind=bind, variables=variables, allow_unbound=allow_unbound, settled=settled)
