"""Parts of a tree: together they are the whole, whoever runs them and wherever."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offload_tool.actions.inspection.tree import Shard, candidates
from offload_tool.errors import UsageError

from .trees import GPU, Result, caller, small_tree

ALL = [found.path for found in candidates([str(GPU)], Shard())]


def part(number: int, count: int, *operands: str) -> list[str]:
    return [found.path for found in candidates(operands or [str(GPU)], Shard(number=number, count=count))]


@pytest.mark.parametrize("count", [1, 2, 3, 8, 1000])
def test_every_file_is_in_one_part_and_in_order(count: int) -> None:
    parts = [part(number + 1, count) for number in range(count)]
    assert sorted(path for one in parts for path in one) == sorted(ALL)
    assert all(one == [path for path in ALL if path in one] for one in parts)


def test_the_work_is_divided() -> None:
    assert all(len(part(number, 4)) > len(ALL) // 8 for number in (1, 2, 3, 4))


@given(st.text(min_size=1).filter(lambda text: "\0" not in text), st.integers(1, 100))
def test_a_name_is_in_exactly_one_part(name: str, count: int) -> None:
    name = name.encode("utf-8", "replace").decode()
    assert sum(Shard(number=number + 1, count=count).has(name) for number in range(count)) == 1


def test_the_part_of_a_file_does_not_depend_on_others_or_on_the_place_of_the_tree(tmp_path: Path) -> None:
    for name in ("one", "elsewhere/two"):
        (tmp_path / name).mkdir(parents=True)
        small_tree(tmp_path / name)
    (tmp_path / "one" / "tree" / "app.bin").unlink()
    for number in (1, 2, 3):
        here, there = (
            {Path(path).name for path in part(number, 3, str(tmp_path / name / "tree"))}
            for name in ("one", "elsewhere/two")
        )
        assert here == there - {"app.bin"}


def test_parts_are_the_same_in_every_release() -> None:
    parts = [number for number in (1, 2, 3, 4) if Shard.parse(f"{number}/4").has("lib/librccl.so.1.0")]
    assert parts == [3]


@pytest.mark.parametrize(
    "text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1 /2", "9999999999/9999999999"]
)
def test_what_is_no_part(text: str) -> None:
    with pytest.raises(UsageError, match="is no part; expected K/N"):
        Shard.parse(text)


def test_the_lines_of_all_parts_are_those_of_the_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = small_tree(tmp_path)
    call = caller(capsys)

    def lines_of(*words: str) -> list[str]:
        found: Result = call("inspect", tree, "--json-lines", "--jobs", "1", *words, status=None)
        return found.out.splitlines()

    parts = [line for number in (1, 2, 3) for line in lines_of("--shard", f"{number}/3")]
    whole = lines_of()
    assert len(whole) == 5
    assert sorted(parts) == sorted(whole)
