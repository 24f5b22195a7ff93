"""The schema of a request and its parser take the same."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.actions.inspection.query import COLLECTIONS
from offload_tool.actions.inspection.request import InspectionRequest
from offload_tool.actions.inspection.request_schema import KEYS, request_schema
from offload_tool.errors import UsageError

SCHEMA = request_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

plain = st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["", "kinds", "name", *COLLECTIONS])
objects = st.dictionaries(st.sampled_from(["kinds", "name"]), plain | st.lists(plain, max_size=2))
values = plain | st.lists(plain, max_size=2) | objects
requests = st.fixed_dictionaries({"path": st.just("a.so")}, optional={key: values for key in KEYS if key != "path"})


def refusal(request: Any) -> str:
    """What the parser has against it; empty where it takes it."""
    try:
        InspectionRequest.parse(request)
    except UsageError as error:
        return str(error)
    return ""


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_has_every_key_and_no_other() -> None:
    assert set(SCHEMA["properties"]) == {*KEYS, "view"}
    assert set(SCHEMA["properties"]["view"]["properties"]) == {*KEYS} - {"path"}
    for key in SCHEMA["properties"]:
        assert "description" in SCHEMA["properties"][key]


@given(requests)
def test_what_the_parser_takes_the_schema_takes(request_: dict[str, Any]) -> None:
    told = {key: value for key, value in request_.items() if value is not None}
    if not refusal(told):
        assert VALIDATOR.is_valid(told)
        assert VALIDATOR.is_valid({"path": "a.so", "view": {key: told[key] for key in told if key != "path"}})


@given(requests)
def test_what_the_schema_takes_the_parser_takes_but_for_fields_that_there_are_none_of(request_: dict[str, Any]) -> None:
    if VALIDATOR.is_valid(request_):
        fault = refusal(request_)
        assert not fault or "have no field" in fault


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"path": ""},
        {"path": "a", "pth": "b"},
        {"path": "a", "collection": "images"},
        {"path": "a", "view": {"limit": 0}},
        {"path": "a", "view": []},
        {"path": "a", "filters": {"kinds": 1.5}},
        {"path": "a", "kernels": 1},
    ],
)
def test_what_neither_takes(request_: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(request_)
    assert refusal(request_)
