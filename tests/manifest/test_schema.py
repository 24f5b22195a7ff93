"""The JSON schema says what the loader takes: same keys, same words, same limits."""

from __future__ import annotations

import json
from typing import Any

from offload_tool.limits import ALIGN
from offload_tool.manifest import check, fields, require
from offload_tool.manifest import include as include_room
from offload_tool.manifest.expand import TARGET_NAMES
from offload_tool.manifest.schema import schema_text
from offload_tool.model import TOOLCHAINS, ImageKind, OffloadKind

SCHEMA: dict[str, Any] = json.loads(schema_text())


def test_keys_are_those_of_the_loader() -> None:
    assert set(SCHEMA["properties"]) == set(check._TOP_KEYS)
    assert set(SCHEMA["properties"]["defaults"]["properties"]) == set(check._DEFAULT_KEYS)
    assert set(SCHEMA["$defs"]["image"]["properties"]) == set(check._IMAGE_KEYS)
    include = SCHEMA["$defs"]["include"]["properties"]
    assert set(include) == set(include_room._KEYS)
    assert set(include["select"]["properties"]) == set(include_room._SELECT_KEYS)
    assert set(include["set"]["properties"]) == set(include_room._SET_KEYS)
    assert set(SCHEMA["$defs"]["requirement"]["properties"]) == set(require._KEYS)


def test_no_mapping_takes_unknown_keys() -> None:
    include = SCHEMA["$defs"]["include"]
    own = (SCHEMA, SCHEMA["properties"]["defaults"], SCHEMA["$defs"]["image"], SCHEMA["$defs"]["requirement"])
    for part in (*own, include, include["properties"]["select"], include["properties"]["set"]):
        assert part["additionalProperties"] is False


def test_words_are_those_of_the_model() -> None:
    assert SCHEMA["$defs"]["kind"]["enum"] == [kind.value for kind in OffloadKind]
    assert SCHEMA["$defs"]["image_kind"]["enum"] == [kind.word for kind in ImageKind]
    assert SCHEMA["properties"]["toolchain"]["enum"] == list(TOOLCHAINS)
    assert [str(word) for word in SCHEMA["properties"]["format_version"]["enum"][3:]] == list(check._FORMAT_VERSIONS)
    assert SCHEMA["properties"]["schema"]["enum"] == [1, "1"]


def test_names_that_are_taken() -> None:
    assert SCHEMA["properties"]["variables"]["propertyNames"]["not"]["enum"] == list(TARGET_NAMES)
    taken = SCHEMA["$defs"]["metadata"]["propertyNames"]["not"]["enum"]
    assert set(taken) == set(fields._STORED_ELSEWHERE)


def test_what_must_be_there() -> None:
    assert SCHEMA["required"] == ["schema"]
    assert SCHEMA["anyOf"] == [{"required": ["images"]}, {"required": ["include"]}]
    assert SCHEMA["$defs"]["include"]["required"] == ["manifest"]
    assert SCHEMA["$defs"]["image"]["oneOf"] == [{"required": ["file"]}, {"required": ["input"]}]


def test_limit_of_align_is_told() -> None:
    assert f"from 8 to {ALIGN}" in SCHEMA["properties"]["align"]["description"]


def test_every_reference_leads_somewhere() -> None:
    def references(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if "$ref" in part else []
            return own + [found for value in part.values() for found in references(value)]
        return [found for value in part for found in references(value)] if isinstance(part, list) else []

    names = {reference.removeprefix("#/$defs/") for reference in references(SCHEMA)}
    assert names == set(SCHEMA["$defs"])
