"""``offload-tool mcp``: inspections as a tool of an assistant, by the Model Context Protocol over stdin and stdout.

The official SDK registers handlers in one way in its releases 1.x, in another one from 2 on; both are served here.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..actions.inspection.request import InspectionRequest, answer
from ..actions.inspection.request_schema import request_schema
from ..errors import OffloadError
from ..frozen import replace
from ..version import __version__
from .arguments import CommandParser

__all__ = ["LIMIT", "TOOL", "command_parser", "run"]

TOOL = "inspect_gpu_code_objects"
LIMIT = 100
"""Rows of an answer unless the request has a limit of its own."""

_DESCRIPTION = (
    "Tells which GPU targets, code objects and kernels a file carries (objects, libraries, programs, archives, CUDA "
    "and HIP fat binaries, offload binaries, bare device code), from its bytes alone: nothing is run.  The answer is "
    f"JSON with file, sha256, collection, coverage, rows and next_cursor; it has {LIMIT} rows unless a limit is given, "
    "and where next_cursor is not null there are more."
)


def run(arguments: list[str]) -> int:
    """Serves until stdin ends."""
    command_parser().parse(arguments)
    try:
        import anyio
        from mcp import types
        from mcp.server.lowlevel import Server
        from mcp.server.stdio import stdio_server
    except ImportError as error:
        raise OffloadError(f"the server needs the package mcp: pip install 'offload-tool[mcp]' ({error})") from None

    async def told(name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        return await anyio.to_thread.run_sync(_called, name, arguments or {})

    async def serve() -> None:
        server: Any = _server(Server, types, told)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)
    return 0


def command_parser() -> CommandParser:
    """What the command line of this command may be."""
    return CommandParser(
        "mcp",
        description="Offers inspect as a tool to an assistant, by the Model Context Protocol over stdin and stdout.",
        example="offload-tool mcp",
    )


_Call = Callable[[str, Mapping[str, Any] | None], Awaitable[dict[str, Any]]]


def _server(kind: Any, types: Any, told: _Call) -> Any:
    """A server of the SDK's ``kind``, whose ``types`` are made from what goes over the wire."""
    tool = {"name": TOOL, "description": _DESCRIPTION, "inputSchema": request_schema()}
    tools = types.ListToolsResult.model_validate({"tools": [tool]})

    async def called(params: Any) -> Any:
        return types.CallToolResult.model_validate(await told(params.name, params.arguments))

    async def listed_by_context(_context: Any, _params: Any) -> Any:
        return tools

    async def called_by_context(_context: Any, params: Any) -> Any:
        return await called(params)

    async def listed_by_request(_request: Any) -> Any:
        return types.ServerResult(tools)

    async def called_by_request(request: Any) -> Any:
        return types.ServerResult(await called(request.params))

    if not hasattr(kind, "list_tools"):
        return kind(
            "offload-tool", version=__version__, on_list_tools=listed_by_context, on_call_tool=called_by_context
        )
    server = kind("offload-tool", version=__version__)
    server.request_handlers[types.ListToolsRequest] = listed_by_request
    server.request_handlers[types.CallToolRequest] = called_by_request
    return server


def _called(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a call as it goes over the wire; a fault is one, too, with our words."""
    if name != TOOL:
        return _result(f"unknown tool {name!r}; expected {TOOL!r}", is_error=True)
    try:
        request = InspectionRequest.parse(arguments)
        limited = replace(request.query, limit=request.query.limit or LIMIT)
        return _result(json.dumps(answer(replace(request, query=limited))), is_error=False)
    except OffloadError as error:
        return _result(str(error), is_error=True)
    except Exception as error:  # noqa: BLE001 - a fault of this program is told, and the server goes on
        return _result(f"the inspection failed: {type(error).__name__}: {error}", is_error=True)


def _result(text: str, *, is_error: bool) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}
