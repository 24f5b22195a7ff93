"""``offload-tool manifest check|show|inputs|schema``."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from ..errors import Fault, ManifestError, UsageError
from ..manifest.load import place_of
from ..manifest.schema import schema_text
from ..manifest.values import INPUT_PREFIX, Manifest
from ..model import Image
from .arguments import CommandParser, Options, add_manifest_options
from .manifests import manifest_of
from .printing import say, say_lines
from .table import table

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Runs one of the four."""
    options = command_parser().parse(arguments)
    if options.action == "schema":
        say_lines(schema_text().rstrip("\n"))
        return 0
    if not options.manifest:
        raise UsageError(f"manifest {options.action} needs a MANIFEST")
    if options.each:
        return _check_each(options)
    manifest = manifest_of(options.manifest, options, allow_unbound=True)
    if options.action == "check":
        _check(manifest, options.manifest, options)
    else:
        {"show": _show, "inputs": _inputs}[options.action](manifest, options)
    return 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "manifest",
        description="Checks a manifest, shows the images it declares or the files it needs, or prints the schema.",
        example="offload-tool manifest check images.yaml",
    )
    parser.add_argument("action", choices=("check", "show", "inputs", "schema"))
    parser.add_argument("manifest", nargs="*", metavar="MANIFEST")
    parser.add_argument("--each", action="store_true", help="check: each by itself, not as manifests of one pack")
    parser.add_argument("--json", action="store_true", help="one JSON document for programs")
    add_manifest_options(parser)
    return parser


def _check_each(options: Options) -> int:
    if options.action != "check":
        raise UsageError(f"--each belongs to check, manifest {options.action} takes manifests together")
    faults: list[Fault] = []
    for path in options.manifest:
        try:
            _check(manifest_of([path], options, allow_unbound=True), [path], options)
        except ManifestError as error:
            faults += error.faults
    if faults:
        raise ManifestError(tuple(faults))
    return 0


def _check(manifest: Manifest, paths: Sequence[str], options: Options) -> None:
    if not options.json:
        noun = "image" if len(manifest.images) == 1 else "images"
        say(f"{', '.join(paths)}: {len(manifest.images)} {noun}, no fault")


def _show(manifest: Manifest, options: Options) -> None:
    if options.json:
        named = list(map(os.path.abspath, options.manifest))
        document = {
            "manifest": named if len(named) != 1 else named[0],
            "toolchain": manifest.toolchain or "documented",
            "images": [_json_of_image(image) for image in manifest.images],
        }
        say_lines(json.dumps(document, indent=2))
        return
    rows = [(image.file, image.triple, image.arch or "-", image.kind.value) for image in manifest.images]
    say_lines(table([("file", "triple", "arch", "kind"), *rows]))


def _json_of_image(image: Image) -> dict[str, Any]:
    bound = not image.file.startswith(INPUT_PREFIX)
    place = place_of(image.declared) if image.declared is not None else None
    return {
        "file": image.file if bound else None,
        "input": None if bound else image.file.removeprefix(INPUT_PREFIX),
        "triple": image.triple,
        "arch": image.arch,
        "kind": image.kind.value,
        "image_kind": image.image_kind.word if image.image_kind is not None else None,
        "metadata": dict(image.metadata),
        "declared": f"{place.file}:{place.line}:{place.column}" if place else None,
    }


def _inputs(manifest: Manifest, options: Options) -> None:
    files = list(dict.fromkeys(image.file for image in manifest.images))
    unbound = [file.removeprefix(INPUT_PREFIX) for file in files if file.startswith(INPUT_PREFIX)]
    if options.json:
        bound = [file for file in files if not file.startswith(INPUT_PREFIX)]
        say_lines(json.dumps({"manifests": list(manifest.files), "images": bound, "inputs": unbound}, indent=2))
        return
    for path in (*manifest.files, *files):
        say(path)
