"""``diff``: device images added, removed and changed, whatever files they are in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from offload_tool import diff_files

from ..gpu.amd_files import compiled
from .declaring import CORPUS
from .running import CUDA, Call, binary

FATBINS = ["none", "default_cuda13", "speed_lz4_ptx", "size_zstd_all", "lz4_all"]
BUNDLES = ["bundle_align4096", "bundle_noalign", "ccob_v1_zstd_handmade", "ccob_v2_zstd_llvm22", "ccob_v3_zstd_llvm22"]


def _fat(path: Path, *images: tuple[str, str]) -> Path:
    """Offload binaries in a row: files of the corpus, each with its arch."""
    parts = [binary((CORPUS / name).read_bytes(), {"triple": CUDA, "arch": arch}, kind=2) for name, arch in images]
    path.write_bytes(b"".join(parts))
    return path


def _json(call: Call, *words: str | Path) -> dict[str, Any]:
    result = call("diff", *words, "--json", status=None)
    found: dict[str, Any] = json.loads(result.out)
    assert result.status == (1 if any(found[key] for key in ("added", "removed", "changed")) else 0)
    return found


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_every_file_equals_itself(path: Path, call: Call) -> None:
    assert "the same images" in call("diff", path, path, "--kernels").out


@pytest.mark.parametrize("name", FATBINS[1:])
def test_codec_of_a_fatbin_does_not_count(name: str, call: Call) -> None:
    call("diff", CORPUS / "fatbin_none.fatbin", CORPUS / f"fatbin_{name}.fatbin")


@pytest.mark.parametrize("name", BUNDLES[1:])
def test_form_of_a_bundle_does_not_count(name: str, call: Call) -> None:
    call("diff", CORPUS / f"{BUNDLES[0]}.hipfb", CORPUS / f"{name}.hipfb")


def test_bare_file_and_the_same_in_a_fat_binary(call: Call, tmp_path: Path) -> None:
    fat = _fat(tmp_path / "a.bin", ("cubin_sm_80.cubin", "sm_80"))
    assert call("diff", CORPUS / "cubin_sm_80.cubin", fat).out.endswith(": the same images\n")


def test_bare_file_and_another_in_a_fat_binary(call: Call, tmp_path: Path) -> None:
    fat = _fat(tmp_path / "a.bin", ("cubin_sm_86_virtual_80.cubin", "sm_86"))
    found = _json(call, CORPUS / "cubin_old_sm_86_virtual_80_cuda129.cubin", fat)
    assert [len(found[key]) for key in ("added", "removed", "changed")] == [0, 0, 1]


def test_added_and_removed(call: Call, tmp_path: Path) -> None:
    a = _fat(tmp_path / "a.bin", ("cubin_sm_80.cubin", "sm_80"), ("cubin_sm_75.cubin", "sm_75"))
    b = _fat(tmp_path / "b.bin", ("cubin_sm_100.cubin", "sm_100"), ("cubin_sm_80.cubin", "sm_80"))
    result = call("diff", a, b, status=1)
    head, _, *rows = result.out.splitlines()
    assert head == f"{a}: 2 images, {b}: 2 images: 1 added, 1 removed, 0 changed"
    assert [row.split() for row in rows] == [
        ["added", "cubin", "sm_100", "8584"],
        ["removed", "cubin", "sm_75", "4584"],
    ]
    found = _json(call, a, b)
    assert [(row["id"], row["target"]) for row in found["added"]] == [("0", "sm_100")]
    assert [(row["id"], row["decoded_size"]) for row in found["removed"]] == [("1", 4584)]
    assert found["a"] == {"file": str(a), "images": 2, "coverage": "complete"}


def test_changed_size(call: Call, tmp_path: Path) -> None:
    a = _fat(tmp_path / "a.bin", ("cubin_sm_86_virtual_80.cubin", "sm_86"))
    b = _fat(tmp_path / "b.bin", ("cubin_old_sm_86_virtual_80_cuda129.cubin", "sm_86"))
    assert call("diff", a, b, status=1).out.splitlines()[-1].split(maxsplit=4) == [
        "changed", "cubin", "sm_86", "4456", "size 4968 -> 4456"
    ]  # fmt: skip


def test_same_size_other_bytes(call: Call, tmp_path: Path) -> None:
    a = _fat(tmp_path / "a.bin", ("cubin_sm_80.cubin", "sm_80"))
    b = tmp_path / "b.bin"
    content = bytearray(a.read_bytes())
    content[-1000] ^= 1
    b.write_bytes(content)
    assert call("diff", a, b, status=1).out.splitlines()[-1].endswith("other bytes")


def test_changed_target_of_the_same_bytes(call: Call, tmp_path: Path) -> None:
    a = _fat(tmp_path / "a.bin", ("bitcode_raw.bc", "gfx90a"))
    b = _fat(tmp_path / "b.bin", ("bitcode_raw.bc", "gfx942"))
    (change,) = _json(call, a, b)["changed"]
    assert (change["values"], change["other_bytes"]) == ({"target": ["gfx90a", "gfx942"]}, False)


def test_bytes_for_another_target_than_before(call: Call, tmp_path: Path) -> None:
    a = _fat(tmp_path / "a.bin", ("cubin_sm_80.cubin", "sm_80"))
    b = _fat(tmp_path / "b.bin", ("cubin_sm_86_virtual_80.cubin", "sm_80"))
    assert "payload target sm_80 -> sm_86; other bytes" in call("diff", a, b, status=1).out


def test_first_of_several_for_one_target_is_gone(call: Call, tmp_path: Path) -> None:
    names = ["cubin_sm_80.cubin", "cubin_sm_86_virtual_80.cubin", "cubin_sm_75.cubin"]
    a = _fat(tmp_path / "a.bin", *((name, "sm_80") for name in names))
    b = _fat(tmp_path / "b.bin", *((name, "sm_80") for name in names[1:]))
    found = _json(call, a, b)
    assert ([row["id"] for row in found["removed"]], found["added"], found["changed"]) == (["0"], [], [])


def test_kernels_removed(call: Call) -> None:
    a, b = CORPUS / "fatbin_none.fatbin", CORPUS / "libcuda_two_lld.so"
    kernels = [change["kernels"]["removed"] for change in _json(call, a, b, "--kernels")["changed"]]
    assert kernels == [["_Z4addvPKfS0_Pfi"]] * 2
    assert "kernel _Z4addvPKfS0_Pfi: removed" in call("diff", a, b, "--kernels", status=1).out
    assert "kernel" not in call("diff", a, b, status=1).out


def test_kernels_changed_and_added(call: Call, tmp_path: Path) -> None:
    old = "__kernel void k(__global int *p) { *p = 1; }\n"
    new = (
        "__kernel void k(__global float16 *p, int n) { __local int s[8]; s[n & 7] = n; p[n] *= p[s[3]] + p[2]; }\n"
        "__kernel void added(__global int *p) { *p = 1; }\n"
    )
    a, b = (compiled(tmp_path, "gfx90a", name=name, source=text) for name, text in (("a.co", old), ("b.co", new)))
    (change,) = _json(call, a, b, "--kernels")["changed"]
    assert change["kernels"]["added"] == ["added"]
    (kernel,) = change["kernels"]["changed"]
    assert kernel["name"] == "k"
    assert kernel["shared_bytes"] == [0, 32]
    assert kernel["registers"][0] < kernel["registers"][1]
    lines = call("diff", a, b, "--kernels", status=1).out
    assert "kernel added: added" in lines
    assert "shared bytes 0 -> 32" in lines


def test_damaged_image_is_compared_by_its_stored_bytes(call: Call, tmp_path: Path) -> None:
    whole = (CORPUS / "fatbin_size_zstd_all.fatbin").read_bytes()
    start = whole.index(b"\x28\xb5\x2f\xfd")
    for name, value in (("a", 1), ("b", 2)):
        damaged = bytearray(whole)
        damaged[start + 40 : start + 60] = bytes([value] * 20)
        (tmp_path / name).write_bytes(damaged)
    assert "the same images" in call("diff", tmp_path / "a", tmp_path / "a").out
    result = call("diff", tmp_path / "a", tmp_path / "b", status=1).out
    assert f"{tmp_path / 'b'}: 4 images (1 with a fault; see inspect)" in result
    assert result.splitlines()[-1].endswith("other bytes")


def test_file_without_device_code(call: Call, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("nothing\n")
    fat = _fat(tmp_path / "a.bin", ("cubin_sm_80.cubin", "sm_80"))
    assert "0 images (the file is of no kind that holds any)" in call("diff", tmp_path / "text", fat, status=1).out


@pytest.mark.parametrize("words", [["none", "none"], ["none"], []])
def test_trouble_is_status_2(words: list[str], call: Call) -> None:
    assert call("diff", *words, status=2).err.startswith("offload-tool: error: ")


def test_python(tmp_path: Path) -> None:
    a = _fat(tmp_path / "a.bin", ("cubin_sm_80.cubin", "sm_80"))
    assert diff_files(str(a), str(a)).is_empty
    b = _fat(tmp_path / "b.bin", ("cubin_sm_75.cubin", "sm_75"))
    found = diff_files(str(a), str(b), kernels=True)
    assert [row.target for row in found.added] == ["sm_75"]
    assert [row.target for row in found.removed] == ["sm_80"]
