"""What a report says, that it is one and the same page each time, and that nothing in a file becomes markup."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from offload_tool import inspect_file
from offload_tool.actions.reporting.page import page, write_report
from offload_tool.errors import OffloadError, UsageError

from ..peers import offload_tool_command, run
from .pages import GPU, archive, copy, data_of, data_text, report, texts

EVERY_FILE = sorted(path.name for path in GPU.iterdir() if path.suffix not in (".md", ".json"))
HOSTILE = "a</script><script>alert(1)</script><!-- \"'&amp; \u2028\u2029\u202e\x1b[31m.fatbin"


class TestData:
    def test_targets_are_those_of_an_inspection(self, tmp_path: Path) -> None:
        model = data_of(report(tmp_path, "fatbin_lz4_all.fatbin"))
        rows = inspect_file(str(GPU / "fatbin_lz4_all.fatbin"), kernels=True).targets
        targets = model["files"][0]["targets"]
        assert texts(model, targets["target"]) == [row.target for row in rows]
        assert targets["stored"] == [row.encoded_bytes for row in rows]
        assert targets["decoded"] == [row.decoded_bytes for row in rows]
        assert targets["kernels"] == [row.kernels for row in rows]

    def test_kernels_have_their_size(self, tmp_path: Path) -> None:
        model = data_of(report(tmp_path, "host_nvcc.o"))
        kernels = model["files"][0]["kernels"]
        assert texts(model, kernels["name"]) == ["scale"] * 3
        found = inspect_file(str(GPU / "host_nvcc.o"), kernels=True).kernels
        assert kernels["code"] == [kernel.code_bytes for kernel in found or ()]
        assert kernels["code"][2] is None
        assert all(size for size in kernels["code"][:2])

    def test_sizes_add_up(self, tmp_path: Path) -> None:
        file = data_of(report(tmp_path, "host_hip_ccob.o"))["files"][0]
        assert len(file["objects"]["stored"]) > 1
        stream = inspect_file(str(GPU / "host_hip_ccob.o")).objects[0].encoded_size
        assert stream - len(file["objects"]["stored"]) <= sum(file["objects"]["stored"]) <= stream
        assert sum(file["targets"]["stored"]) == sum(file["objects"]["stored"]) < file["bytes"]
        for number, decoded in enumerate(file["objects"]["decoded"]):
            own = [code or 0 for code, of in zip(file["kernels"]["code"], file["kernels"]["object"], strict=True)
                   if of == number]  # fmt: skip
            assert 0 < sum(own) < decoded

    @pytest.mark.parametrize("name", EVERY_FILE)
    def test_every_file_has_a_page(self, name: str, tmp_path: Path) -> None:
        model = data_of(report(tmp_path, name))
        assert model["files"][0]["coverage"] == inspect_file(str(GPU / name), kernels=True).coverage

    def test_fault_is_told(self, tmp_path: Path) -> None:
        model = data_of(report(tmp_path, "bad_fatbin_usize_too_small.fatbin"))
        faults = texts(model, model["files"][0]["objects"]["fault"])
        assert (faults[0] or "").startswith("bad-compression: ")


class TestDuplicates:
    def test_equal_payloads(self, tmp_path: Path) -> None:
        held = archive(
            tmp_path / "lib.a",
            ("one.o", "cubin_sm_80.cubin"),
            ("two.o", "cubin_sm_80.cubin"),
            ("c", "cubin_sm_75.cubin"),
        )
        model = data_of(report(tmp_path, held))
        found = model["files"][0]["duplicates"]
        size = (GPU / "cubin_sm_80.cubin").stat().st_size
        assert (found["payloads"]["count"], found["payloads"]["copies"], found["payloads"]["spare"]) == (1, 1, size)
        assert texts(model, found["payloads"]["listed"][0]["names"]) == ["cubin 0", "cubin 1"]
        assert model["files"][0]["objects"]["equal"] == [1, 1, 0]
        assert found["kernels"]["count"] == 0, "the kernels of a copy are told by the payload"

    def test_equal_kernels_of_payloads_that_differ(self, tmp_path: Path) -> None:
        changed = bytearray((GPU / "cubin_sm_80.cubin").read_bytes())
        kernels = inspect_file(str(GPU / "cubin_sm_80.cubin"), kernels=True).kernels or ()
        last = kernels[-1]
        assert last.code_offset is not None
        changed[last.code_offset] ^= 1
        (tmp_path / "changed.cubin").write_bytes(changed)
        held = archive(tmp_path / "lib.a", ("a", "cubin_sm_80.cubin"), ("b", str(tmp_path / "changed.cubin")))
        model = data_of(report(tmp_path, held))
        found = model["files"][0]["duplicates"]
        assert found["payloads"]["count"] == 0
        assert texts(model, found["kernels"]["listed"][0]["names"]) == [kernels[0].name]
        assert found["kernels"]["spare"] == kernels[0].code_bytes


class TestCompression:
    def test_plain_code_is_measured(self, tmp_path: Path) -> None:
        found = data_of(report(tmp_path, "cubin_sm_80.cubin"))["files"][0]["compression"]
        size = (GPU / "cubin_sm_80.cubin").stat().st_size
        assert found["decoded"] == found["stored"] == [size]
        assert found["methods"] == ["zlib 6", "zstd 3", "zstd 12"]
        assert all(0 < sizes[0] < size for sizes in found["sizes"])

    def test_damaged_payloads_are_not_tried(self, tmp_path: Path) -> None:
        found = data_of(report(tmp_path, "bad_ccob_v3_truncated.hipfb"))["files"][0]["compression"]
        assert sum(found["decoded"]) == 0

    def test_sample_covers_all_targets(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("offload_tool.actions.reporting.trying.REPORT_TRIED_BYTES", 12000)
        monkeypatch.setattr("offload_tool.actions.reporting.trying._FIRST_PIECE", 1000)
        found = data_of(report(tmp_path, "fatbin_none.fatbin"))["files"][0]["compression"]
        assert all(found["decoded"])
        assert sum(found["decoded"]) <= 12000


class TestPage:
    def test_same_file_in_another_place_gives_the_same_page(self, tmp_path: Path) -> None:
        pages = []
        for folder in ("one", "another place"):
            (tmp_path / folder).mkdir()
            held = copy("host_nvcc.o", tmp_path / folder / "lib.o")
            pages.append(report(tmp_path / folder, held).read_bytes())
        assert pages[0] == pages[1]
        assert str(tmp_path).encode() not in pages[0]
        assert b"another place" not in pages[0]

    def test_nothing_of_a_file_becomes_markup(self, tmp_path: Path) -> None:
        folder = tmp_path / "in"
        folder.mkdir()
        name = HOSTILE.replace("/", "\N{DIVISION SLASH}")
        held = archive(folder / name, (HOSTILE.replace("/", "_"), "cubin_sm_80.cubin"))
        page_text = report(tmp_path, held).read_bytes()
        assert page_text.isascii()
        assert not set(page_text) & ({*range(32), 127} - {ord("\n")})
        assert page_text.lower().count(b"</script") == 2
        assert page_text.count(b"<!--") == 0
        assert not set("<>&\u2028") & set(data_text(tmp_path / "report.html"))
        model = data_of(tmp_path / "report.html")
        assert model["strings"][model["files"][0]["name"]] == name

    def test_name_that_is_no_text(self, tmp_path: Path) -> None:
        held = copy("cubin_sm_80.cubin", tmp_path / "a\udcff.cubin")
        assert data_of(report(tmp_path, held))["strings"][1] == "a\udcff.cubin"

    def test_policy_allows_nothing_but_the_page_itself(self, tmp_path: Path) -> None:
        text = report(tmp_path, "host_nvcc.o").read_text(encoding="ascii")
        policy = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)[0]
        (script,), (style,) = (
            re.findall(r"<script>(.*?)</script>", text, re.DOTALL),
            re.findall("<style>(.*?)</style>", text, re.DOTALL),
        )
        assert policy.startswith("default-src 'none'; ")
        for source, held in (("script-src", script), ("style-src", style)):
            digest = base64.b64encode(hashlib.sha256(held.encode()).digest()).decode()
            assert f"{source} 'sha256-{digest}'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"https?:|url\(|innerHTML|insertAdjacent|document\.write|eval\(", text)

    def test_data_that_looks_like_the_template(self) -> None:
        model = {"strings": ["@DATA@ @SCRIPT@ @STYLE@ @POLICY@"]}
        assert page(model).count(b"@DATA@ @SCRIPT@ @STYLE@ @POLICY@") == 1


class TestComparison:
    def test_added_removed_changed(self, tmp_path: Path) -> None:
        before = archive(tmp_path / "a.a", ("a", "cubin_sm_80.cubin"), ("b", "co_v3_gfx90a_opencl.co"))
        after = archive(tmp_path / "b.a", ("a", "cubin_sm_75.cubin"), ("b", "co_v6_gfx90a.co"))
        model = data_of(report(tmp_path, before, after))
        found = model["comparison"]
        assert (found["added"], found["removed"], found["changed"]) == (1, 1, 1)
        told = [(row["change"], *texts(model, [row["target"]])) for row in found["images"]]
        assert told == [("added", "sm_75"), ("removed", "sm_80"), ("changed", "gfx90a")]
        kernels = {
            (row["change"], model["strings"][row["name"]]): (row["before"], row["after"]) for row in found["kernels"]
        }
        assert set(kernels) == {("removed", "clk"), ("added", "scale"), ("added", "_Z4addvPKfS0_Pfi")}
        assert kernels["removed", "clk"][0]
        assert kernels["removed", "clk"][1] is None

    def test_kernel_that_grew(self, tmp_path: Path) -> None:
        model = data_of(report(tmp_path, "cubin_sm_80.cubin", "cubin_sm_80.cubin"))
        assert model["comparison"]["images"] == []
        found = data_of(report(tmp_path, "co_v5_gfx90a.co", "co_v6_gfx90a.co"))["comparison"]
        assert found["changed"] == 1


class TestCommand:
    def test_says_what_it_wrote(self, tmp_path: Path) -> None:
        done = run([*offload_tool_command(), "report", GPU / "host_nvcc.o", "-o", "page.html"], cwd=tmp_path)
        assert done.stdout == "page.html: 3 images, 3 kernels of host_nvcc.o\n"
        assert (tmp_path / "page.html").read_bytes() == report(tmp_path, "host_nvcc.o").read_bytes()

    def test_page_to_stdout(self, tmp_path: Path) -> None:
        done = run([*offload_tool_command(), "report", GPU / "host_nvcc.o", "-o", "-"])
        assert done.stdout == report(tmp_path, "host_nvcc.o").read_text(encoding="ascii")

    def test_file_of_which_nothing_could_be_read(self, tmp_path: Path) -> None:
        file, output = GPU / "bad_ccob_v3_truncated.hipfb", tmp_path / "page.html"
        run([*offload_tool_command(), "report", file, "-o", output], status=1)
        assert (tmp_path / "page.html").exists()

    def test_old_page_stays_where_a_file_is_missing(self, tmp_path: Path) -> None:
        (tmp_path / "page.html").write_text("old")
        with pytest.raises(OffloadError, match="No such file"):
            write_report([str(tmp_path / "missing")], str(tmp_path / "page.html"))
        assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
        assert (tmp_path / "page.html").read_text() == "old"

    def test_folder_of_the_page_is_missing(self, tmp_path: Path) -> None:
        with pytest.raises(OffloadError, match="does not exist"):
            write_report([str(GPU / "host_nvcc.o")], str(tmp_path / "no" / "page.html"))

    def test_three_files(self) -> None:
        with pytest.raises(UsageError, match="one file or on two, not on 3"):
            write_report(["a", "b", "c"], "page.html")
