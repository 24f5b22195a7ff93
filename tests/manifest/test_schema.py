"""The JSON schema says what the loader takes: same keys, same words, same limits."""

from __future__ import annotations

import json

import jsonschema
import pytest

from offload_tool.limits import ALIGN
from offload_tool.manifest import check, fields, require
from offload_tool.manifest import include as include_room
from offload_tool.manifest.expand import TARGET_NAMES
from offload_tool.manifest.keys import KEYS, Key
from offload_tool.manifest.schema import schema, schema_text
from offload_tool.model import TOOLCHAINS, ImageKind, OffloadKind

SCHEMA = schema()
TOP = SCHEMA["properties"]
IMAGE = TOP["images"]["items"]
INCLUDE = TOP["include"]["items"]


def test_keys_are_those_of_the_loader() -> None:
    assert set(TOP) == set(check._TOP_KEYS)
    assert set(TOP["defaults"]["properties"]) == set(check._DEFAULT_KEYS)
    assert set(IMAGE["properties"]) == set(check._IMAGE_KEYS)
    assert set(INCLUDE["properties"]) == set(include_room._KEYS)
    assert set(INCLUDE["properties"]["select"]["properties"]) == set(include_room._SELECT_KEYS)
    assert set(INCLUDE["properties"]["set"]["properties"]) == set(include_room._SET_KEYS)
    assert set(TOP["require"]["items"]["properties"]) == set(require._KEYS)


def test_words_are_those_of_the_model() -> None:
    assert IMAGE["properties"]["kind"]["enum"] == [kind.value for kind in OffloadKind]
    assert IMAGE["properties"]["image_kind"]["enum"] == [kind.word for kind in ImageKind]
    assert TOP["toolchain"]["enum"] == list(TOOLCHAINS)
    assert TOP["format_version"]["enum"][3:] == list(check._FORMAT_VERSIONS)


def test_words_that_are_told_are_all_there_are() -> None:
    by_name = {key.name: key for key in KEYS["image"]}
    for name in ("kind", "image_kind"):
        told = set(by_name[name].meaning.replace("`", "").replace(",", "").replace(";", "").split())
        assert set(IMAGE["properties"][name]["enum"]) <= told


def test_names_that_are_taken() -> None:
    assert TOP["variables"]["propertyNames"]["not"]["enum"] == list(TARGET_NAMES)
    assert set(IMAGE["properties"]["metadata"]["propertyNames"]["not"]["enum"]) == set(fields._STORED_ELSEWHERE)


def test_limit_of_align_is_told() -> None:
    assert f"up to {ALIGN}" in TOP["align"]["description"]
    assert TOP["align"]["anyOf"][0]["enum"][-1] == ALIGN


@pytest.mark.parametrize(("place", "key"), [(place, key) for place, keys in KEYS.items() for key in keys],
                         ids=lambda value: getattr(value, "name", value))  # fmt: skip
def test_every_key_has_a_description_and_an_example_that_the_schema_takes(place: str, key: Key) -> None:
    paths = {
        "document": TOP,
        "defaults": TOP["defaults"]["properties"],
        "image": IMAGE["properties"],
        "include": INCLUDE["properties"],
        "select": INCLUDE["properties"]["select"]["properties"],
        "set": INCLUDE["properties"]["set"]["properties"],
        "require": TOP["require"]["items"]["properties"],
    }
    part = paths[place][key.name]
    assert part["description"] == key.meaning
    assert len(key.meaning) > 10
    assert part["examples"] == [key.example]
    jsonschema.Draft7Validator(part).validate(key.example)


def test_schema_is_one_of_draft_7() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert json.loads(schema_text()) == SCHEMA
    assert "$ref" not in schema_text(), "beside a reference draft 7 knows no description"
