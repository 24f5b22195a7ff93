"""Manifests that ask for more than they are: refused at once, by a child that may use 2 s of CPU and 100 MB."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from offload_tool.errors import ManifestError
from offload_tool.manifest.load import load_manifest

from ..peers import PEAK_KIB
from .reading import load

BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 9)
)
MERGES = "a0: &a0 {k: v}\n" + "".join(
    f"a{level}: &a{level} {{<<: [*a{level - 1}, *a{level - 1}]}}\n" for level in range(1, 60)
)
CHAIN = "a0: &a0 {k: v}\n" + "".join(f"a{level}: &a{level} {{<<: *a{level - 1}}}\n" for level in range(1, 2000))
LADDER = "a0: &a0 [v]\n" + "".join(f"a{level}: &a{level} [*a{level - 1}]\n" for level in range(1, 2000))
NESTED = "[" * 10_000 + "]" * 10_000

_CHILD = """
import sys
from offload_tool.cli.main import main
status = main(sys.argv[1:])
sys.stderr.write(f"maxrss {PEAK_KIB}\\n")
sys.exit(status)
""".replace("PEAK_KIB", PEAK_KIB)


def _held() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))


def _check(manifest: Path) -> tuple[int, str, int]:
    """Exit status, words and largest memory in KB of a child that checks ``manifest``."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, "manifest", "check", str(manifest)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=_held,
        check=False,
    )
    words, _, most = done.stderr.rpartition("maxrss ")
    return done.returncode, words, int(most or 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema: 1\nimages: []\n" + BOMB, "values after following aliases; a manifest needs far fewer"),
        ("schema: 1\nimages: []\n" + MERGES, "values after following aliases"),
        ("schema: 1\nimages: []\n" + CHAIN, "unknown key 'a0'"),
        ("schema: 1\nimages: []\n" + LADDER, "unknown key 'a0'"),
        ("schema: 1\nimages: []\nx: &x [*x]\n", "a value holds itself through an alias"),
        ("schema: 1\nimages: []\nx: &x {y: {z: *x}}\n", "a value holds itself through an alias"),
        ("schema: 1\nimages: []\nx: &x {<<: *x}\n", "a value holds itself through an alias"),
        ("schema: 1\nimages: []\nx: &x {y: {<<: *x}}\n", "a value holds itself through an alias"),
        ("schema: 1\nimages: []\nx: " + NESTED + "\n", "nest"),
        (NESTED, "nest"),
        ('{"schema": 1, "images": [], "x": ' + NESTED + "}", "nested deeper than 64 levels"),
        ('{"schema": 1, "images": ' + NESTED + "}", "nested deeper than 64 levels"),
        ("{" + '"a": {' * 10_000 + "}" * 10_001, "nested deeper than 64 levels"),
    ],
    ids=[
        "aliases", "merges", "merge chain", "alias ladder", "list cycle", "mapping cycle", "merge cycle",
        "deep merge cycle", "yaml nesting", "yaml nesting alone", "json nesting", "json images", "json mappings",
    ],
)  # fmt: skip
def test_g27_is_refused_cheaply(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    status, words, most = _check(tmp_path / "m.yaml")
    assert status == 1, words
    assert message in words
    assert "Traceback" not in words
    assert 0 < most < 100_000


@pytest.mark.usefixtures("yaml_reader")
@pytest.mark.parametrize("text", [BOMB, MERGES, "x: &x [*x]\n", "x: &x {<<: *x}\n"])
def test_g27_with_either_reader(text: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="alias"):
        load(tmp_path, "schema: 1\nimages: []\n" + text)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_nesting_is_told_at_the_level_too_many(form: str, tmp_path: Path) -> None:
    depth = 20_000
    head = '{"schema": 1,\n"a[\\"[": "]",\n"x": ' if form == "json" else "schema: 1\n\nx: "
    (tmp_path / "m").write_text(head + "[" * depth, encoding="utf-8")
    with pytest.raises(ManifestError, match="nest") as raised:
        load_manifest(str(tmp_path / "m"))
    assert raised.value.faults[0].line == 3
    assert raised.value.faults[0].column > 64


def test_lists_that_multiply_are_refused_cheaply(tmp_path: Path) -> None:
    words = ", ".join(f"a{number}" for number in range(50_000))
    text = f"schema: 1\nimages:\n- {{file: [{words}], arch: [{words}], triple: t, kind: hip}}\n"
    with pytest.raises(ManifestError, match=r"m.yaml:3:3: error: with its lists more than 1000000 images"):
        load(tmp_path, text)


def test_includes_that_multiply_are_refused_cheaply(tmp_path: Path) -> None:
    # Each rung includes the next under two values of a variable of its own: 2 to the 7th, more often than is allowed.
    for level in range(7):
        for side in "ab":
            text = f"schema: 1\nvariables: {{V{level}: {side}}}\ninclude: [{{manifest: {level + 1}.yaml}}]\n"
            (tmp_path / f"{level}{side}.yaml").write_text(text, encoding="utf-8")
        sides = f"include: [{{manifest: {level}a.yaml}}, {{manifest: {level}b.yaml}}]\n"
        (tmp_path / f"{level}.yaml").write_text("schema: 1\n" + sides, encoding="utf-8")
    last = "schema: 1\ninclude: [" + "{manifest: k.yaml}, " * 100 + "]\n"
    (tmp_path / "7.yaml").write_text(last, encoding="utf-8")
    (tmp_path / "k.yaml").write_text("schema: 1\nimages: []\n", encoding="utf-8")
    status, words, most = _check(tmp_path / "0.yaml")
    assert status == 1, words
    assert "7.yaml:2:10: error: more than 1024 includes with those of the other manifests" in words
    assert 0 < most < 100_000


def test_one_alias_of_each_of_many_anchors_is_no_bomb(tmp_path: Path) -> None:
    images = "".join(
        f"- &i{index} {{file: k{index}, triple: t, kind: hip}}\n- {{<<: *i{index}, arch: x}}\n" for index in range(200)
    )
    assert len(load(tmp_path, "schema: 1\nimages:\n" + images).images) == 400


def test_start_of_the_child_is_what_the_limits_leave_room_for(tmp_path: Path) -> None:
    # The other tests would mean nothing if the child failed for another reason.
    (tmp_path / "m.yaml").write_text("schema: 1\nimages: []\n", encoding="utf-8")
    status, words, most = _check(tmp_path / "m.yaml")
    assert (status, words) == (0, "")
    assert 0 < most < 100_000
