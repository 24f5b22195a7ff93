"""``pick``: the image for a device, out of a fat binary or what holds one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from offload_tool import OffloadError, pick_file, pick_images, read_images

from ..peers import ROOT
from .running import HIP, Call, binary, write_manifest

CORPUS = ROOT / "tests" / "data" / "gpu"


@pytest.fixture
def fat(call: Call, tmp_path: Path) -> Path:
    """Real images for both vendors, one that is linked first, and one of no kind."""
    (tmp_path / "text.bin").write_bytes(b"neither this nor that")
    amd = {"triple": HIP, "kind": "hip"}
    write_manifest(
        tmp_path,
        {"file": str(CORPUS / "ptx_compute_80.ptx"), "arch": "sm_80"},
        {"file": str(CORPUS / "cubin_sm_80.cubin"), "arch": "sm_80"},
        {"file": str(CORPUS / "cubin_sm_90a.cubin"), "arch": "sm_90a"},
        {"file": str(CORPUS / "ltoir_80.ltoir"), "arch": "lto_80"},
        {"file": str(CORPUS / "co_v6_gfx90a_xnack-on.co"), "arch": "gfx90a:xnack+", **amd},
        {"file": str(CORPUS / "co_v6_gfx11-generic.co"), "arch": "gfx11-generic", **amd},
        {"file": str(CORPUS / "spirv.spv"), "arch": "amdgcnspirv", "triple": "spirv64-amd-amdhsa", "kind": "hip"},
        {"file": "text.bin", "arch": "sm_80"},
        toolchain="llvm-22",
    )
    call("pack", tmp_path / "m.yaml", "-o", tmp_path / "fat.bin", "--no-check")
    return tmp_path / "fat.bin"


@pytest.mark.parametrize(
    ("device", "target", "kind"),
    [
        ("sm_80", "sm_80", "cubin"),
        ("8.9", "sm_80", "cubin"),
        ("9.0", "sm_90a", "cubin"),
        ("12.0", "compute_80", "ptx"),
        ("gfx90a:xnack+", "gfx90a:xnack+", "code-object"),
        ("gfx90a:xnack-", "amdgcnspirv", "spirv"),
        ("gfx1103", "gfx11-generic", "code-object"),
    ],
)
def test_image_for_a_device(call: Call, fat: Path, device: str, target: str, kind: str) -> None:
    found = json.loads(call("pick", fat, "--device", device, "--json").out)
    assert (found["file"], found["device"]) == (str(fat), device)
    best = found["candidates"][0]
    assert (best["target"], best["kind"], best["runs"]) == (target, kind, True)
    assert found["chosen"] == best["id"]
    assert len(found["candidates"]) == 8


def test_table(call: Call, fat: Path) -> None:
    lines = call("pick", fat, "--device", "sm_90").out.splitlines()
    assert lines[0].split() == ["id", "kind", "target", "reason"]
    marks = [line[2] for line in lines[1:]]
    assert marks == ["*", " ", *"------"]
    assert "nvJitLink" in next(line for line in lines if "lto_80" in line)
    assert lines[1].split()[:4] == ["*", "2", "cubin", "sm_90a"]
    assert lines[2].endswith("PTX for 8.0, not above the device's: the driver compiles it on load")


def test_none_would_load(call: Call, fat: Path) -> None:
    done = call("pick", fat, "--device", "sm_75", status=1)
    assert done.out.count("\n") == 9
    assert done.err.startswith(f"offload-tool: error: '{fat}': no image would run on sm_75: PTX for 8.0 is newer")
    assert done.err.count("\n") == 1
    found = json.loads(call("pick", fat, "--device", "sm_75", "--json", status=1).out)
    assert found["chosen"] is None
    assert not any(candidate["runs"] for candidate in found["candidates"])


def test_images_of_a_nested_fat_binary(call: Call, tmp_path: Path) -> None:
    inner = binary((CORPUS / "cubin_sm_80.cubin").read_bytes(), {"arch": "sm_80"})
    (tmp_path / "outer.bin").write_bytes(binary(inner, {"arch": "sm_80"}))
    assert json.loads(call("pick", tmp_path / "outer.bin", "--device", "sm_80", "--json").out)["chosen"] == "0"


def test_image_without_arch_is_judged_by_its_bytes(call: Call, tmp_path: Path) -> None:
    (tmp_path / "plain.bin").write_bytes(binary((CORPUS / "cubin_sm_80.cubin").read_bytes(), {"triple": "t"}))
    assert "sm_80" in call("pick", tmp_path / "plain.bin", "--device", "sm_80").out


def test_a_library_of_another_maker(call: Call) -> None:
    found = json.loads(call("pick", CORPUS / "libcuda_two_lld.so", "--device", "sm_90", "--json").out)
    assert (found["chosen"], found["candidates"][0]["target"]) == ("1", "sm_90a")
    assert call("pick", CORPUS / "libhip_two_lld.so", "--device", "gfx1100").out.count("*") == 1


def test_relocatable_code_is_not_loaded(call: Call) -> None:
    said = call("pick", CORPUS / "host_nvcc_rdc_relfatbin.o", "--device", "sm_80", status=1).err
    assert "relocatable code (section __nv_relfatbin)" in said


def test_what_the_bytes_say_counts_before_what_is_declared(call: Call, tmp_path: Path) -> None:
    (tmp_path / "wrong.bin").write_bytes(binary((CORPUS / "cubin_sm_80.cubin").read_bytes(), {"arch": "sm_90"}))
    assert "declared 'sm_90', but its bytes are for 'sm_80'" in call(
        "pick", tmp_path / "wrong.bin", "--device", "sm_90", status=1
    ).err  # fmt: skip


def test_text_of_a_file_does_not_reach_the_terminal(call: Call, tmp_path: Path) -> None:
    (tmp_path / "bad.bin").write_bytes(binary((CORPUS / "cubin_sm_80.cubin").read_bytes(), {"arch": "\x1b[31msm_80"}))
    done = call("pick", tmp_path / "bad.bin", "--device", "sm_80")
    assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("words", [[], ["--device", "sm_90"], ["x"], ["x", "y", "--device", "sm_90"]], ids=" ".join)
def test_wrong_use(call: Call, words: list[str]) -> None:
    assert call("pick", *words, status=2).err.startswith("offload-tool: error: ")


def test_wrong_device_is_wrong_use_before_the_file_is_read(call: Call, tmp_path: Path) -> None:
    said = call("pick", tmp_path / "none", "--device", "sm_90a", status=2).err
    assert "devices have no suffix 'a'; expected one such as 'sm_89', '8.9' or 'gfx90a:xnack-'" in said


def test_file_that_is_not_there(call: Call, tmp_path: Path) -> None:
    assert "No such file" in call("pick", tmp_path / "none", "--device", "sm_90", status=1).err


def test_from_python(fat: Path) -> None:
    found = pick_file(str(fat), "sm_80")
    assert found.chosen is not None
    assert found.chosen.image.id == "1"
    of_listed = pick_images(read_images(str(fat)), "sm_80").chosen
    assert of_listed is not None
    assert of_listed.image.id == "1"
    with pytest.raises(OffloadError, match="No such file"):
        pick_file("none", "sm_80")


def test_in_one_log_the_table_comes_before_what_is_wrong() -> None:
    words = [sys.executable, "-m", "offload_tool", "pick", str(CORPUS / "libcuda_two_lld.so"), "--device", "sm_75"]
    log = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    assert [line.split()[0] for line in log.splitlines()] == ["id", "-", "-", "-", "-", "offload-tool:"]
