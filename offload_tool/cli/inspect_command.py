"""``offload-tool inspect``."""

from __future__ import annotations

import json
import os
import sys

from ..actions.inspection.query import COLLECTIONS, Page, Query, page
from ..actions.inspection.report import Inspection
from ..actions.inspection.request import InspectionRequest, answer, inspected
from ..errors import UsageError
from .arguments import CommandParser, Options, add_quiet_option, pairs
from .inspect_table import columns_of, row_table
from .json_document import json_blocks
from .printing import say, say_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["command_parser", "run"]


def run(arguments: list[str]) -> int:
    """Inspects one file, a list or a tree; exit status 1 if there is a file of which nothing could be read."""
    options = command_parser().parse(arguments)
    if _is_many(options):
        from .inspect_many import run_many

        return run_many(options, _query(options))
    request = _request(options)
    if options.json or options.request is not None:
        found = answer(request, jobs=None)
        for block in json_blocks(found, "rows"):
            say_lines(block)
        return 1 if found["coverage"] == "malformed" else 0
    inspection = inspected(request, jobs=None)
    rows = page(inspection, request.query)
    if options.json_lines:
        for row in rows.rows:
            say(json.dumps({"file": inspection.file, **row}))
    else:
        _print_table(inspection, request.query, rows)
    return 1 if inspection.coverage == "malformed" else 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    parser = CommandParser(
        "inspect",
        description="Tells which GPU targets and kernels a file carries: objects, libraries, programs, archives, fat "
        "binaries of every vendor, and bare device code.  Nothing in it is run.",
        example="offload-tool inspect libsaxpy.so --view objects --filter kind=cubin",
    )
    parser.add_argument("file", nargs="*", metavar="FILE|DIR")
    parser.add_argument("--view", choices=COLLECTIONS, help="a row a target (default), a payload, or a kernel")
    parser.add_argument("--kernels", action="store_true", help="read the payloads whole and count their kernels")
    parser.add_argument("--fields", metavar="NAME,...", help="only these fields")
    parser.add_argument(
        "--filter", action="append", default=[], metavar="NAME=VALUE", help="only rows whose field has this value"
    )
    parser.add_argument("--ids", metavar="ID,...", help="only these objects; needs --expect-sha256")
    parser.add_argument("--expect-sha256", metavar="HEX", help="refuse the file if its SHA-256 is another")
    parser.add_argument("--digest", action="store_true", help="the SHA-256 of the file, and those of its payloads")
    parser.add_argument("--limit", type=int, metavar="N", help="at most so many rows")
    parser.add_argument("--cursor", metavar="TEXT", help="go on where the page before ended")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--json-lines", action="store_true", help="one JSON object a row")
    parser.add_argument("--request", metavar="FILE", help="the whole request as JSON out of a file; - is stdin")
    many = "trees and lists of files"
    parser.add_argument(
        "--jobs", group=many, type=int, metavar="N", help="so many processes; by default one for each usable CPU"
    )
    parser.add_argument(
        "--shard", group=many, metavar="K/N", help="only the K-th of N parts; the JSON Lines of all make up the whole"
    )
    add_quiet_option(parser, group=many)
    parser.add_argument(
        "--scheduler", group=many, metavar="tcp://HOST:PORT", help="let the workers of a Dask cluster do it"
    )
    return parser


def _is_many(options: Options) -> bool:
    is_asked = (options.jobs, options.shard, options.scheduler) != (None, None, None)
    is_tree = len(options.file) == 1 and os.path.isdir(options.file[0])
    return options.request is None and bool(options.file) and (is_asked or is_tree or len(options.file) > 1)


def _request(options: Options) -> InspectionRequest:
    if options.request is not None:
        if options.file:
            raise UsageError("--request names the file itself; leave FILE out")
        return InspectionRequest.parse(_json_of(options.request))
    if not options.file:
        raise UsageError("which file? see offload-tool inspect --help")
    return InspectionRequest(
        path=options.file[0], query=_query(options), kernels=options.kernels, digest=options.digest,
        expected_sha256=options.expect_sha256, object_ids=_words(options.ids),
    )  # fmt: skip


def _query(options: Options) -> Query:
    filters: dict[str, tuple[str, ...]] = {}
    for name, value in pairs(options.filter, "--filter"):
        filters[name] = (*filters.get(name, ()), value)
    query = Query(
        collection=options.view or "targets", fields=_words(options.fields), filters=filters, limit=options.limit,
        cursor=options.cursor,
    )  # fmt: skip
    query.check()
    return query


def _words(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(word for word in text.split(",") if word)


def _json_of(path: str) -> dict[str, Any]:
    from ..actions.inspection.request import request_text

    try:
        found = json.loads(sys.stdin.read() if path == "-" else request_text(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the request {path!r} is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageError(f"the request {path!r} is {type(found).__name__}; expected an object")
    return found


def _print_table(inspection: Inspection, query: Query, found: Page) -> None:
    count = len(inspection.objects)
    noun = "object" if count == 1 else "objects"
    say(f"{inspection.file}: {count} {noun} with device code, coverage {inspection.coverage}")
    if inspection.sha256 is not None:
        say(f"  sha256 {inspection.sha256}")
    if found.rows:
        columns = list(found.rows[0]) if query.fields else columns_of(query.collection, found.rows)
        say_lines(row_table(columns, found.rows))
    if found.next_cursor is not None:
        say(f"  more rows: --cursor {found.next_cursor}")
