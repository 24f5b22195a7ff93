"""``offload-tool pick``."""

from __future__ import annotations

import json
from typing import Any

from ..actions.pick import Candidate, Pick, pick_file
from .arguments import CommandParser
from .printing import complain, say_lines
from .table import table

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Shows which image would be loaded, and why; exit status 1 where none would."""
    options = command_parser().parse(arguments)
    found = pick_file(options.file, options.device)
    if options.json:
        say_lines(json.dumps(_json(options.file, found), indent=2))
    elif found.candidates:
        say_lines(table([("", "id", "kind", "target", "reason"), *map(_row, _marked(found), found.candidates)]))
    if found.chosen is None:
        complain(f"offload-tool: error: {options.file!r}: {found.absence()}")
    return 1 if found.chosen is None else 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "pick",
        description="Names the image that a runtime would load on a device, and says why not the others.",
        example="offload-tool pick app.bin --device sm_89",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument(
        "--device", required=True, metavar="ARCH", help="the device, such as sm_89, 8.9 or gfx90a:xnack-"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document for programs")
    return parser


def _marked(found: Pick) -> list[str]:
    """Places in the order of choice; ``*`` is the one chosen, ``-`` one that would not run."""
    return ["*" if one is found.chosen else "" if one.verdict.runs else "-" for one in found.candidates]


def _row(mark: str, one: Candidate) -> list[str]:
    return [mark, one.image.id, one.image.kind, one.target or "-", one.verdict.reason]


def _json(path: str, found: Pick) -> dict[str, Any]:
    chosen = None if found.chosen is None else found.chosen.image.id
    candidates = [_json_of_candidate(one) for one in found.candidates]
    return {"file": path, "device": found.device, "chosen": chosen, "candidates": candidates}


def _json_of_candidate(one: Candidate) -> dict[str, Any]:
    keys = ("id", "kind", "target", "payload_target")
    return {**{key: getattr(one.image, key) for key in keys}, "runs": one.verdict.runs, "reason": one.verdict.reason}
