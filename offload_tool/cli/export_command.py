"""``offload-tool export``."""

from __future__ import annotations

from ..actions.export import export
from .arguments import CommandParser, add_manifest_options
from .manifests import manifest_of

__all__ = ["run"]


def run(arguments: list[str]) -> int:
    """Exports manifests and their images."""
    options = _parser().parse(arguments)
    export(manifest_of(options.manifest, options), options.folder)
    return 0


def _parser() -> CommandParser:
    parser = CommandParser(
        "export",
        description="Makes a copy that another project can include: a manifest with relative names, images beside it.",
        example="offload-tool export images.yaml -d share/offload",
    )
    parser.add_argument("manifest", nargs="+", metavar="MANIFEST", help="manifests, one after the other")
    parser.add_argument("-d", dest="folder", required=True, metavar="DIR", help="the folder, made if it is not there")
    add_manifest_options(parser)
    return parser
