"""Packing manifests that include, require and keep to a budget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offload_tool import read_images

from ..peers import offload_tool_command, run
from .running import CUDA, HIP, Call, files_in, write_manifest


def _including(folder: Path, *names: str, **more: object) -> Path:
    return write_manifest(folder, name="outer.yaml", include=[{"manifest": name} for name in names], **more)


def _archs(path: Path) -> list[str]:
    return [image.arch for image in read_images(str(path))]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """``lib/m.yaml`` with two images."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / name).write_bytes(name.encode())
    return write_manifest(folder, {"file": "one", "arch": "sm_80"}, {"file": "two", "arch": "sm_90"})


@pytest.mark.parametrize("where", [".", "lib", "/"])
def test_g28_search_path_and_names_from_any_folder(where: str, library: Path, tmp_path: Path) -> None:
    outer = _including(tmp_path, "m.yaml")
    search = str({".": "lib", "lib": ".", "/": library.parent}[where])
    words: list[str | Path] = [
        "pack",
        outer,
        "-I",
        tmp_path / "none",
        "-I",
        search,
        "-o",
        tmp_path / "out",
        "--depfile",
        tmp_path / "d",
    ]
    run([*offload_tool_command(), *words], cwd=(tmp_path / where).resolve())
    assert _archs(tmp_path / "out") == ["sm_80", "sm_90"]
    depfile = (tmp_path / "d").read_text(encoding="utf-8")
    for path in (outer, library, library.parent / "one", library.parent / "two"):
        assert f" {path} \\\n" in depfile


def test_manifest_commands_take_the_search_path(call: Call, library: Path, tmp_path: Path) -> None:
    outer = _including(tmp_path, "m.yaml")
    words = [outer, "-I", library.parent]
    assert call("manifest", "check", *words).out == f"{outer}: 2 images, no fault\n"
    shown = json.loads(call("manifest", "show", "--json", *words).out)
    assert shown["manifest"] == str(outer)
    assert [image["declared"].rpartition(":")[0] for image in shown["images"]] == [f"{library}:1"] * 2
    inputs = json.loads(call("manifest", "inputs", "--json", *words).out)
    assert inputs["manifests"] == [str(outer), str(library)]
    assert call("manifest", "check", outer, status=1).err.startswith(f"{outer}:1:")


def test_variables_of_the_command_line_reach_includes(call: Call, library: Path, tmp_path: Path) -> None:
    write_manifest(library.parent, {"file": "{NAME}", "arch": "x"}, name="v.yaml", variables={"NAME": "two"})
    outer = _including(tmp_path, "{DIR}/v.yaml")
    call("pack", outer, "-D", "DIR=lib", "-D", "NAME=one", "-o", tmp_path / "out")
    assert [image.size for image in read_images(str(tmp_path / "out"))] == [3]
    assert (tmp_path / "out").read_bytes().find(b"one") > 0


def test_image_that_is_missing_is_told_in_the_included_manifest(call: Call, library: Path, tmp_path: Path) -> None:
    (library.parent / "one").unlink()
    result = call("pack", _including(tmp_path, "lib/m.yaml"), "-o", tmp_path / "out", status=1)
    assert result.err.startswith(f"{library}:1:")
    assert "error: image '" in result.err


def test_included_manifest_is_never_replaced_by_the_output(call: Call, library: Path, tmp_path: Path) -> None:
    old = library.read_bytes()
    result = call("pack", _including(tmp_path, "lib/m.yaml"), "-o", library, status=1)
    assert "is one of its own inputs" in result.err
    assert library.read_bytes() == old


def test_g12_missing_target_is_told_before_anything_is_written(call: Call, library: Path, tmp_path: Path) -> None:
    outer = _including(tmp_path, "lib/m.yaml", require=[{"arch": ["sm_80", "sm_86"]}])
    before = files_in(tmp_path)
    result = call("pack", outer, "-o", tmp_path / "out", "--depfile", tmp_path / "d", status=1)
    assert result.err == f"{outer}:1:68: error: no image for sm_86; declare it or do not require it\n"
    assert files_in(tmp_path) == before
    (tmp_path / "k").write_bytes(b"k")
    image = f"file={tmp_path / 'k'},triple={CUDA},kind=cuda,arch=sm_86"
    call("pack", outer, "--image", image, "-o", tmp_path / "out")
    call("pack", outer, "--image", image, "-o", tmp_path / "out", "--select", "arch=sm_80")
    assert _archs(tmp_path / "out") == ["sm_80"], "a selection takes from what is complete"


def test_g12_budget_is_an_error_with_the_largest_images(call: Call, tmp_path: Path) -> None:
    images = []
    for number in range(12):
        with open(tmp_path / f"k{number}", "wb") as file:
            file.truncate((number + 1) << 30)
        images.append({"file": f"k{number}", "arch": f"a{number}"})
    path = write_manifest(tmp_path, *images, budget="77.5GiB")
    result = call("pack", path, "-o", tmp_path / "out", status=1)
    first, *rows, last = result.err.splitlines()
    place = f"{path}:1:{path.read_text(encoding='utf-8').index('77.5GiB')}"
    assert first.startswith(f"{place}: error: the images are 83,751,862,272 bytes, over the budget of 77.5GiB (")
    assert [row.split() for row in rows] == [
        [f"{(number + 1) << 30:,}", f"a{number}", "cuda", str(tmp_path / f"k{number}")] for number in range(11, 1, -1)
    ]
    assert last == "  and 2 smaller"
    assert not (tmp_path / "out").exists()


def test_budget_counts_what_is_selected(call: Call, library: Path, tmp_path: Path) -> None:
    outer = _including(tmp_path, "lib/m.yaml", budget="5B")
    call("pack", outer, "-o", tmp_path / "out", status=1)
    call("pack", outer, "-o", tmp_path / "out", "--select", "arch=sm_80")
    call("pack", outer, "-o", tmp_path / "out", "--no-check")
    assert _archs(tmp_path / "out") == ["sm_80", "sm_90"]
    call("pack", _including(tmp_path, "lib/m.yaml", budget="6B"), "-o", tmp_path / "out")


def test_g05_bare_and_featured_ids_of_one_processor_are_named_with_both_places(call: Call, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_bytes(name.encode())
    base = {"triple": HIP, "kind": "openmp"}
    one = write_manifest(tmp_path, {**base, "file": "a", "arch": "gfx90a"}, name="one.yaml")
    two = write_manifest(tmp_path, {**base, "file": "b", "arch": "gfx90a:xnack+"}, name="two.yaml")
    result = call("pack", one, two, "-o", tmp_path / "out")
    places = [
        f"{path}:1:{path.read_text(encoding='utf-8').index(name) + 1}" for path, name in ((one, '"a"'), (two, '"b"'))
    ]
    expected = f"images for {HIP} 'gfx90a' ({places[0]}) and 'gfx90a:xnack+' ({places[1]}): "
    assert result.err.startswith(f"offload-tool: warning: {expected}")
    assert len(result.err.splitlines()) == 1
    call("pack", one, two, "-o", tmp_path / "out", "--strict", status=1)
    assert call("pack", one, two, "-o", tmp_path / "out", "--no-check").err == ""


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("gfx90a:xnack-", "gfx90a:xnack+", "openmp"),
        ("gfx90a", "gfx942:xnack+", "openmp"),
        ("gfx90a", "gfx90a:xnack+", "none"),
        ("sm_90", "sm_90a", "openmp"),
    ],
)
def test_g05_archs_that_do_not_conflict(first: str, second: str, kind: str, call: Call, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(name.encode())
    one = {"file": "a", "arch": first, "triple": HIP, "kind": "openmp"}
    path = write_manifest(tmp_path, one, {**one, "file": "b", "arch": second, "kind": kind})
    assert call("pack", path, "-o", tmp_path / "out").err == ""
