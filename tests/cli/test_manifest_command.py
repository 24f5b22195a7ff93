"""``manifest check|show|inputs|schema``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .running import CUDA, Call, write_manifest


def test_check(call: Call, manifest: Path, tmp_path: Path) -> None:
    assert call("manifest", "check", manifest).out == f"{manifest}: 2 images, no fault\n"
    one = write_manifest(tmp_path, {"file": "k"}, name="n.yaml")
    assert call("manifest", "check", one).out == f"{one}: 1 image, no fault\n"
    assert call("manifest", "check", manifest, one).out == f"{manifest}, {one}: 3 images, no fault\n"
    assert call("manifest", "check", manifest, "--json").out == ""


def test_check_looks_at_no_image_and_needs_no_binding(call: Call, tmp_path: Path) -> None:
    path = write_manifest(tmp_path, {"file": "none"}, {"input": "fft"})
    call("manifest", "check", path)


def test_check_tells_every_fault_and_prints_nothing(call: Call, tmp_path: Path) -> None:
    path = write_manifest(tmp_path, {"file": "k", "kind": "HIP"}, {"file": "k", "triple": None}, {"x": "y"})
    result = call("manifest", "check", path, status=1)
    assert result.out == ""
    lines = result.err.splitlines()
    assert len(lines) == 4
    assert all(line.startswith(f"{path}:1:") and ": error: " in line for line in lines)


def test_show(call: Call, manifest: Path, tmp_path: Path) -> None:
    lines = call("manifest", "show", manifest).out.splitlines()
    assert lines[0].split() == ["file", "triple", "arch", "kind"]
    assert lines[1].split() == [str(tmp_path / "one.cubin"), CUDA, "sm_80", "cuda"]


def test_show_json(call: Call, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(
        "schema: 1\ntoolchain: llvm-22\ndefaults: {triple: t, kind: hip}\nimages:\n"
        "- file: 'k.{arch}'\n  arch: [a, 'b:c']\n  metadata: {m: 1.0}\n- {input: fft, image_kind: ptx}\n",
        encoding="utf-8",
    )
    document = json.loads(call("manifest", "show", "--json", tmp_path / "m.yaml").out)
    image = {"triple": "t", "kind": "hip", "input": None, "image_kind": None, "metadata": {"m": "1.0"}}
    place = f"{tmp_path / 'm.yaml'}:5:9"
    assert document == {
        "manifest": str(tmp_path / "m.yaml"),
        "toolchain": "llvm-22",
        "images": [
            {**image, "file": str(tmp_path / "k.a"), "arch": "a", "declared": place},
            {**image, "file": str(tmp_path / "k.b_c"), "arch": "b:c", "declared": place},
            {
                **image, "file": None, "input": "fft", "arch": "", "image_kind": "ptx", "metadata": {},
                "declared": f"{tmp_path / 'm.yaml'}:8:11",
            },
        ],
    }  # fmt: skip


def test_show_json_of_several_manifests_and_a_binding(call: Call, manifest: Path, tmp_path: Path) -> None:
    other = write_manifest(tmp_path, {"input": "fft"}, name="n.yaml")
    words = ["manifest", "show", "--json", manifest, other, "--bind", f"fft={tmp_path / 'bound'}"]
    document = json.loads(call(*words).out)
    assert document["manifest"] == [str(manifest), str(other)]
    assert document["images"][2]["file"] == str(tmp_path / "bound")


def test_show_of_thousands_of_images_reads_the_manifest_once_more(call: Call, tmp_path: Path) -> None:
    # Each place was once looked for in a text that was read anew: this took minutes.
    (tmp_path / "m.yaml").write_text(
        "schema: 1\ndefaults: {triple: t, kind: none}\nimages:\n" + "".join(f"- file: n{i}\n" for i in range(3000)),
        encoding="utf-8",
    )
    images = json.loads(call("manifest", "show", "--json", tmp_path / "m.yaml").out)["images"]
    assert images[-1]["declared"] == f"{tmp_path / 'm.yaml'}:3003:9"


def test_inputs(call: Call, tmp_path: Path) -> None:
    path = write_manifest(
        tmp_path, {"file": ["a", "b"]}, {"file": "a", "arch": "x"}, {"input": "fft"}, {"input": "blas"}
    )
    document = json.loads(call("manifest", "inputs", "--json", path, "--bind", f"blas={tmp_path / 'c'}").out)
    files = [str(tmp_path / name) for name in "abc"]
    assert document == {"manifests": [str(path)], "images": files, "inputs": ["fft"]}
    lines = call("manifest", "inputs", path).out.splitlines()
    assert lines == [str(path), files[0], files[1], "input:fft", "input:blas"]


def test_schema(call: Call) -> None:
    schema = json.loads(call("manifest", "schema").out)
    assert schema["title"] == "offload_tool manifest"


@pytest.mark.parametrize("action", ["check", "show", "inputs"])
def test_manifest_that_is_missing(action: str, call: Call, tmp_path: Path) -> None:
    result = call("manifest", action, tmp_path / "none", status=1)
    assert result.out == ""
    assert result.err == f"offload-tool: error: manifest '{tmp_path / 'none'}': No such file or directory\n"


def test_control_characters_of_a_manifest_do_not_reach_the_terminal(call: Call, tmp_path: Path) -> None:
    path = write_manifest(tmp_path, {"file": "k", "\x1b[31m": "x", "kind": "\x1b[2J"})
    result = call("manifest", "check", path, status=1)
    assert "\x1b" not in result.err
