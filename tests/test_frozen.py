"""Frozen values: like dataclasses for those who use them, and cheap until the first instance is made."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from offload_tool.frozen import constructor, field, frozen, names_of_fields, replace


@frozen
class Span:
    offset: int
    size: int = 4
    names: list[str] = field(default_factory=list)
    content: bytes = field(default=b"", repr=False, compare=False)

    @property
    def end(self) -> int:
        return self.offset + self.size


@frozen(kw_only=False)
class Pair:
    one: int
    other: int


@frozen
class Named(Span):
    name: str


@frozen(eq=False)
class Unequal:
    value: int


def test_fields_defaults_and_what_is_made_of_them() -> None:
    span = Span(offset=3)
    assert (span.offset, span.size, span.names, span.end) == (3, 4, [], 7)
    assert Span(offset=3).names is not span.names
    assert repr(span) == "Span(offset=3, size=4, names=[])"


def test_equal_if_all_compared_fields_are() -> None:
    assert Span(offset=3) == Span(offset=3, content=b"x")
    assert Span(offset=3) != Span(offset=4)
    assert Span(offset=3) != Named(offset=3, name="a")
    assert hash(Pair(1, 2)) == hash(Pair(1, 2))
    assert len({Pair(1, 2), Pair(1, 2), Pair(2, 1)}) == 2
    assert Unequal(value=1) != Unequal(value=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Span(size=1),  # type: ignore[call-arg]
        lambda: Span(3),  # type: ignore[call-arg]
        lambda: Span(offset=3, sise=4),  # type: ignore[call-arg]
        lambda: Pair(1),  # type: ignore[call-arg]
    ],
)
def test_wrong_arguments(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"__init__\(\)"):
        call()


@pytest.mark.parametrize("cls", [Span, Named, Unequal])
def test_constructor_makes_what_the_class_makes(cls: Any) -> None:
    words = {"offset": 3, "size": 5, "names": ["a"], "content": b"c", "name": "n", "value": 1}
    given = {name: words[name] for name in names_of_fields(cls)}
    made = constructor(cls)(**given)
    assert type(made) is cls
    assert made == cls(**given) or cls is Unequal
    assert repr(made) == repr(cls(**given))
    assert constructor(cls) is constructor(cls)
    with pytest.raises(FrozenInstanceError):
        setattr(made, names_of_fields(cls)[0], 1)


def test_constructor_knows_defaults_and_order() -> None:
    span = constructor(Span)(offset=3)
    assert span == Span(offset=3)
    assert span.names is not constructor(Span)(offset=3).names
    assert constructor(Pair)(1, 2) == Pair(1, 2)
    make: Callable[..., Span] = constructor(Span)
    assert make(3, size=5) == Span(offset=3, size=5)
    with pytest.raises(TypeError, match="positional"):
        make(3, 5)
    with pytest.raises(TypeError, match=r"Span\(\)"):
        constructor(Span)(size=1)  # type: ignore[call-arg]


def test_nothing_can_be_assigned() -> None:
    span = Span(offset=3)
    with pytest.raises(FrozenInstanceError, match="'offset'"):
        span.offset = 4  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        span.other = 4  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        del span.size
    assert not hasattr(span, "__dict__")


def test_replace() -> None:
    assert replace(Span(offset=3), size=9) == Span(offset=3, size=9)
    with pytest.raises(TypeError):
        replace(Span(offset=3), sise=9)


def test_fields_are_inherited() -> None:
    named = Named(offset=1, name="a")
    assert (named.end, named.name) == (5, "a")


def test_the_standard_library_takes_it_for_a_dataclass() -> None:
    span = Span(offset=3)
    assert [one.name for one in dataclasses.fields(span)] == ["offset", "size", "names", "content"]
    assert dataclasses.is_dataclass(span)
    assert dataclasses.asdict(Pair(1, 2)) == {"one": 1, "other": 2}
    assert dataclasses.replace(span, size=9) == Span(offset=3, size=9)


@pytest.mark.parametrize("value", [Span(offset=3, names=["a"]), Pair(1, 2), Named(offset=1, name="a")])
def test_copied_and_pickled(value: object) -> None:
    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - made right here


def test_a_command_does_without_the_standard_library_s() -> None:
    code = "import sys, offload_tool.frozen; sys.exit('dataclasses' in sys.modules or 'typing' in sys.modules)"
    assert subprocess.run([sys.executable, "-S", "-c", code], check=False).returncode == 0


def test_names_of_fields() -> None:
    assert names_of_fields(Named) == ("offset", "size", "names", "content", "name")
