"""``offload-tool mcp``, called by the official SDK's own client over stdin and stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from offload_tool import inspect_gpu_code_objects
from offload_tool.actions.inspection.request_schema import request_schema

from ..peers import ROOT, missing
from .running import Call

GPU = ROOT / "tests" / "data" / "gpu"
LIBRARY = str(GPU / "libcuda_two_lld.so")
TOOL = "inspect_gpu_code_objects"


REQUESTS: dict[str, dict[str, Any]] = {
    "flat": {"path": LIBRARY, "collection": "objects", "fields": ["triple"], "limit": 2},
    "view": {"path": LIBRARY, "view": {"collection": "kernels", "filters": {"registers": 8}}},
    "gone": {"path": "no/such/file"},
    "key": {"path": LIBRARY, "colection": "objects"},
    "empty": {},
    "type": {"path": LIBRARY, "limit": "many"},
    "changed": {"path": LIBRARY, "expected_sha256": "00", "object_ids": ["0"]},
    "again": {"path": LIBRARY},
}


def served(conversation: Callable[[Any], Awaitable[Any]]) -> Any:
    """What comes of a conversation with the server, in a session that is already open."""
    try:
        import anyio
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
    except ImportError:
        missing("mcp", "pip install 'offload-tool[mcp]'")
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "offload_tool", "mcp"], env={"PYTHONPATH": str(ROOT)}
    )

    async def talk() -> Any:
        async with stdio_client(server) as (incoming, outgoing), ClientSession(incoming, outgoing) as session:
            await session.initialize()
            return await conversation(session)

    return anyio.run(talk)


def wire(found: Any) -> dict[str, Any]:
    """As it goes over the wire, whatever the SDK's release calls its attributes."""
    told: dict[str, Any] = found.model_dump(by_alias=True)
    return told


def asked(*requests: Mapping[str, Any], tool: str = TOOL) -> list[tuple[bool, str]]:
    """For each request whether the answer is an error, and its text."""

    async def ask(session: Any) -> list[dict[str, Any]]:
        return [wire(await session.call_tool(tool, dict(request))) for request in requests]

    return [(found["isError"], found["content"][0]["text"]) for found in served(ask)]


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[bool, str]]:
    """One conversation with everything in it: a server that has told a fault goes on."""
    return dict(zip(REQUESTS, asked(*REQUESTS.values()), strict=True))


def test_one_tool_is_offered_with_its_schema() -> None:
    async def tools(session: Any) -> dict[str, Any]:
        return wire(await session.list_tools())

    (tool,) = served(tools)["tools"]
    assert tool["name"] == TOOL
    assert tool["inputSchema"] == request_schema()
    assert "next_cursor" in tool["description"]


@pytest.mark.parametrize("name", ["flat", "view", "again"])
def test_answers_are_those_of_the_function(name: str, answers: dict[str, tuple[bool, str]]) -> None:
    is_error, text = answers[name]
    assert not is_error
    assert json.loads(text) == inspect_gpu_code_objects(REQUESTS[name])


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("gone", "'no/such/file': No such file or directory"),
        ("key", "unknown key 'colection' in the request; did you mean 'collection'?"),
        ("empty", "the request names no file; expected a text under 'path'"),
        ("type", "'limit' is 'many'; expected a number"),
        ("changed", "has changed: its SHA-256 is"),
    ],
)
def test_faults_are_told_in_our_words(name: str, fault: str, answers: dict[str, tuple[bool, str]]) -> None:
    is_error, text = answers[name]
    assert is_error
    assert fault in text
    assert "Traceback" not in text


def test_an_unknown_tool() -> None:
    ((is_error, text),) = asked({}, tool="inspect")
    assert is_error
    assert "inspect" in text


def test_large_answers_come_in_pages(tmp_path: Path) -> None:
    image = (GPU / "fatbin_default_cuda13.fatbin").read_bytes()
    (tmp_path / "many.fatbin").write_bytes(image * 30)
    view = {"path": str(tmp_path / "many.fatbin"), "collection": "objects"}

    async def pages(session: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while not found or cursor:
            told = wire(await session.call_tool(TOOL, {**view, **cursor}))
            found.append(json.loads(told["content"][0]["text"]))
            cursor = {"cursor": found[-1]["next_cursor"]} if found[-1]["next_cursor"] else {}
        return found

    found = served(pages)
    assert [len(page["rows"]) for page in found] == [100, 20]
    assert [row["id"] for page in found for row in page["rows"]] == [str(number) for number in range(120)]


def test_a_fault_of_this_program_is_told_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    from offload_tool.cli import mcp_command

    def fail(_request: object) -> None:
        raise ZeroDivisionError("by chance")

    monkeypatch.setattr(mcp_command, "answer", fail)
    found = mcp_command._called(TOOL, {"path": LIBRARY})
    assert found["isError"]
    assert found["content"][0]["text"] == "the inspection failed: ZeroDivisionError: by chance"


def test_the_server_ends_with_its_input_and_without_a_word() -> None:
    words = [sys.executable, "-m", "offload_tool", "mcp"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_package_is_missing(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    found = call("mcp", status=1)
    assert "the server needs the package mcp: pip install 'offload-tool[mcp]'" in found.err
    assert len(found.err.splitlines()) == 1
