"""The SCons tool: builders that pack, embed and extract device images within the build itself.

>>> import offload_tool.scons
>>> env = Environment(tools=["default", offload_tool.scons.generate])  # doctest: +SKIP
>>> images = env.OffloadBinary("build/images", "images.yaml")  # doctest: +SKIP
>>> env.Program("build/app", ["main.c", env.OffloadEmbed("build/app_images", images)])  # doctest: +SKIP

Imports are absolute, since SCons may load this package by another name (``toolpath``).
"""

from __future__ import annotations

from typing import Any

from offload_tool.scons.database import offload_database
from offload_tool.scons.embedding import offload_embed
from offload_tool.scons.exporting import offload_export
from offload_tool.scons.extracting import offload_extract
from offload_tool.scons.generated_manifest import offload_manifest
from offload_tool.scons.images import offload_image
from offload_tool.scons.installing import watch_installs
from offload_tool.scons.linking import watch_links
from offload_tool.scons.packing import offload_archive, offload_binary

__all__ = ["exists", "generate"]

_METHODS = {
    "OffloadArchive": offload_archive,
    "OffloadBinary": offload_binary,
    "OffloadDatabase": offload_database,
    "OffloadEmbed": offload_embed,
    "OffloadExport": offload_export,
    "OffloadExtract": offload_extract,
    "OffloadImage": offload_image,
    "OffloadManifest": offload_manifest,
}


def generate(env: Any) -> None:
    """Adds the builders and their variables to a construction environment; what is already set stays."""
    env.SetDefault(
        OFFLOADALIGN=None,
        OFFLOADCC=None,
        OFFLOADCHECK=True,
        OFFLOADCOMSTR="OFFLOAD $TARGET",
        OFFLOADDEFINES={},
        OFFLOADFORMATVERSION=None,
        OFFLOADINCREMENTAL=True,
        OFFLOADPATH=[],
        OFFLOADSELECT={},
        OFFLOADSTRICT=False,
        OFFLOADTOOLCHAIN=None,
    )
    for name, method in _METHODS.items():
        env.AddMethod(method, name)
    watch_links(env)
    watch_installs(env)


def exists(_env: Any) -> bool:
    """Whether the builders can work here: they need nothing but this package."""
    return True
