"""Manifests as the command line names them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..manifest.load import load_manifests
from ..manifest.values import Manifest
from .arguments import pairs

__all__ = ["manifest_of"]


def manifest_of(paths: Sequence[str], options: argparse.Namespace, *, allow_unbound: bool = False) -> Manifest:
    """The manifests ``paths`` as one, read with ``--bind`` and ``-D``."""
    bind: dict[str, list[str]] = {}
    for name, file in pairs(options.bind, "--bind"):
        bind.setdefault(name, []).append(file)
    return load_manifests(paths, bind=bind, variables=dict(pairs(options.define, "-D")), allow_unbound=allow_unbound)
