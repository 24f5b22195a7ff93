"""``offload-tool verify``."""

from __future__ import annotations

import json
from typing import Any

from ..actions.selecting import Selection
from ..actions.verify import Verified, VerifyFault, verify
from .arguments import CommandParser, add_manifest_options
from .manifests import manifest_of
from .printing import complain, say, say_lines

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Verifies one file and tells every fault; exit status 1 if there is one."""
    options = command_parser().parse(arguments)
    # Manifests may differ in the form of the result, which is not looked at.
    manifest = manifest_of(options.manifest, options, images_only=True) if options.manifest else None
    found = verify(options.file, manifest, select=Selection.parse(options.select))
    if options.json:
        say_lines(json.dumps(_json(found), indent=2))
    else:
        for fault in found.faults:
            complain(f"offload-tool: error: {fault.text}" if fault.place is None else str(fault.place))
        faults = len(found.faults)
        told = "no fault" if not faults else "1 fault" if faults == 1 else f"{faults} faults"
        say(f"{found.file}: {found.images} {'image' if found.images == 1 else 'images'}, {told}")
    return 1 if found.faults else 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "verify",
        description="Holds the images in a fat binary, or in a file that holds one, against what is declared of them.",
        example="offload-tool verify images.bin --manifest images.yaml",
    )
    parser.add_argument("file", metavar="FAT")
    parser.add_argument(
        "--manifest", action="append", default=[], metavar="M", help="what FAT was packed from; may be given again"
    )
    add_manifest_options(parser)
    parser.add_argument(
        "--select", action="append", default=[], metavar="KEY=VALUE,...", help="FAT was packed with these of M alone"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document for programs")
    return parser


def _json(found: Verified) -> dict[str, Any]:
    return {"file": found.file, "images": found.images, "faults": [_json_of_fault(fault) for fault in found.faults]}


def _json_of_fault(fault: VerifyFault) -> dict[str, Any]:
    keys = ("code", "image", "triple", "arch", "kind", "declared", "found", "text")
    place = fault.place
    told = None if place is None else {"file": place.file, "line": place.line, "column": place.column}
    return {**{key: getattr(fault, key) for key in keys}, "place": told}
