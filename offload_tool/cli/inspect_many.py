"""``offload-tool inspect`` of trees and of lists of files."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable
from typing import Any

from ..actions.inspection.many import inspect_many
from ..actions.inspection.query import Query
from ..actions.inspection.tree import Shard
from ..actions.inspection.work import FileRows
from ..errors import UsageError
from .arguments import Options
from .counted import Counted
from .inspect_table import columns_of, row_table
from .printing import say, say_lines
from .progress import progress

__all__ = ["run_many"]

_ONE_FILE_ONLY = ("--limit", "--cursor", "--ids", "--expect-sha256")


def run_many(options: Options, query: Query) -> int:
    """Inspects every file with device code; exit status 1 if there was one of which nothing could be read."""
    _refuse(options)
    shard = Shard() if options.shard is None else Shard.parse(options.shard)
    found = inspect_many(
        options.file, query, kernels=options.kernels, digest=options.digest, shard=shard,
        jobs=options.jobs, scheduler=options.scheduler,
    )  # fmt: skip
    with contextlib.closing(found):
        broken = _print_lines(found) if options.json_lines else _print_table(found, query, quiet=options.quiet)
    return 1 if broken else 0


def _refuse(options: Options) -> None:
    for name in _ONE_FILE_ONLY:
        if getattr(options, name[2:].replace("-", "_")) is not None:
            raise UsageError(f"{name} is for one file, and here are several; inspect that file by itself")
    if options.json:
        raise UsageError("--json is for one file; for several use --json-lines, a JSON object a row")
    if options.scheduler is not None and options.jobs is not None:
        raise UsageError(
            "--jobs counts processes of this machine, with --scheduler there are none; leave one of them out"
        )


def _print_lines(found: Iterable[FileRows]) -> int:
    """Prints rows as they come, and counts the files of which nothing could be read."""
    broken = 0
    for file in found:
        broken += file.is_broken
        for row in file.rows:
            say(json.dumps(row))
        sys.stdout.flush()
    return broken


def _print_table(found: Iterable[FileRows], query: Query, *, quiet: bool) -> int:
    counted = Counted(found, "file with device code", "files with device code")
    with progress("inspecting", counted.text, quiet=quiet):
        files = list(counted)
    broken = sum(file.is_broken for file in files)
    rows: list[dict[str, Any]] = [row for file in files for row in file.rows]
    count = len(files) - broken
    unread = f", and {broken} of which nothing could be read" if broken else ""
    say(f"{count} {'file' if count == 1 else 'files'} with device code{unread}")
    if rows:
        columns = list(query.fields) if query.fields else columns_of(query.collection, rows)
        faults = ["fault"] if any(row["fault"] for row in rows) else []
        say_lines(row_table(list(dict.fromkeys(["file", *columns, *faults])), rows))
    return broken
