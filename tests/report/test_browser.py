"""Reports as a browser shows them: the map, the table, dark and small screens, the keyboard, and hostile names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .browser import PHONE, Browser, browser
from .pages import archive, copy, report

ENTER, ESCAPE, RIGHT, LEFT, TAB, DOWN = "\ue007", "\ue00c", "\ue014", "\ue012", "\ue004", "\ue015"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture
def two_vendors(tmp_path: Path) -> Path:
    names = ("cubin_sm_80.cubin", "cubin_sm_90a.cubin", "co_v6_gfx90a.co", "co_v6_gfx1100.co", "ptx_compute_80.ptx")
    return report(tmp_path, archive(tmp_path / "lib.a", *((name, name) for name in names)))


class TestMap:
    def test_way_to_a_kernel_and_back(self, shown: Browser, two_vendors: Path) -> None:
        shown.show(two_vendors)
        assert {text.split("\n")[0] for text in shown.texts("#map > button .label")} == {"NVIDIA", "AMD"}
        for name in ("AMD", "gfx90a", "code-object 2"):
            next(cell for cell in shown.all("#map > button") if name in cell.get_attribute("aria-label")).click()
        labels = [cell.get_attribute("aria-label") for cell in shown.all("#map > button")]
        assert any(label.startswith("scale, kernel, ") for label in labels)
        assert any(label.startswith("not kernels, ") for label in labels)
        assert shown.texts("#trail > :not(.sep)") == ["lib.a", "AMD", "gfx90a", "code-object 2 in co_v6_gfx90a.co"]
        shown.button("#trail", "lib.a")
        assert len(shown.all("#map > button")) == 2
        assert shown.complaints() == []

    def test_areas_are_as_the_sizes(self, shown: Browser, two_vendors: Path) -> None:
        shown.show(two_vendors)
        areas = shown.script(
            "return map_areas(); function map_areas() { return [...document.querySelectorAll('#map > button')]"
            ".map((cell) => cell.offsetWidth * cell.offsetHeight); }"
        )
        sizes = shown.script("return new FileData(JSON.parse(document.getElementById('data').textContent).files[0], "
                             "JSON.parse(document.getElementById('data').textContent).strings)"
                             ".root('stored').children().map((node) => node.size)")  # fmt: skip
        assert areas[0] / areas[1] == pytest.approx(sizes[0] / sizes[1], rel=0.02)

    def test_keyboard_alone(self, shown: Browser, two_vendors: Path) -> None:
        shown.show(two_vendors)
        shown.script("document.querySelector('#map > button').focus()")
        first = shown.focused()
        shown.press(RIGHT)
        second = shown.focused()
        assert first != second
        shown.press(LEFT)
        assert shown.focused() == first
        shown.press(ENTER)
        assert len(shown.all("#trail button")) == 1
        assert ", target, " in shown.focused()
        shown.press(ESCAPE)
        assert shown.focused() == first, "the focus is where the reader came from"
        assert len(shown.all("#map > button[tabindex='0']")) == 1

    def test_change_of_size_keeps_the_focus(self, shown: Browser, two_vendors: Path) -> None:
        shown.show(two_vendors)
        shown.script("document.querySelectorAll('#map > button')[1].focus()")
        focused, told = shown.focused(), shown.one("#map-info").text
        shown.resize(PHONE)
        shown.until("document.querySelector('#map').clientWidth < 400 && document.activeElement.tagName === 'BUTTON'")
        assert (shown.focused(), shown.one("#map-info").text) == (focused, told)

    def test_one_vendor_is_gone_into(self, shown: Browser, tmp_path: Path) -> None:
        shown.show(report(tmp_path, "host_nvcc.o"))
        assert shown.texts("#trail > :not(.sep)") == ["host_nvcc.o", "NVIDIA"]
        assert len(shown.all("#map > button")) == 3

    def test_measure_keeps_the_place(self, shown: Browser, tmp_path: Path) -> None:
        shown.show(report(tmp_path, "fatbin_lz4_all.fatbin"))
        shown.all("#map > button")[0].click()
        trail = shown.texts("#trail > :not(.sep)")
        shown.button("#measure-choice", "Decoded")
        assert shown.texts("#trail > :not(.sep)") == trail


class TestTable:
    def test_sort(self, shown: Browser, two_vendors: Path) -> None:
        shown.show(two_vendors)
        shown.button("#table-choice", "Images")
        name, size = shown.all("#table th")[0], next(head for head in shown.all("#table th") if head.text == "Decoded")
        size.find_element("css selector", "button").click()
        assert size.get_attribute("aria-sort") == "descending"
        falling = shown.texts("#table tbody tr:not(.space) td:first-child")
        size.find_element("css selector", "button").send_keys(ENTER)
        assert size.get_attribute("aria-sort") == "ascending"
        assert shown.texts("#table tbody tr:not(.space) td:first-child") == falling[::-1]
        assert name.get_attribute("aria-sort") is None

    def test_filter(self, shown: Browser, two_vendors: Path) -> None:
        shown.show(two_vendors)
        shown.button("#table-choice", "Kernels")
        assert "10 rows" in shown.one("#table-count").text
        shown.one("#filter").send_keys("SCALE gfx")
        shown.until("document.querySelectorAll('#table tbody tr:not(.space)').length === 2")
        assert shown.one("#table-count").text == "2 of 10 rows"
        assert sorted(shown.texts("#table tbody td:nth-child(2)")) == ["gfx1100", "gfx90a"]
        shown.one("#filter").send_keys(" nothing")
        shown.until("document.querySelector('#table .empty') !== null")

    def test_row_leads_to_the_map(self, shown: Browser, two_vendors: Path) -> None:
        shown.show(two_vendors)
        shown.button("#table-choice", "Kernels")
        shown.click("#table td button")
        assert len(shown.texts("#trail > :not(.sep)")) == 4
        assert ", kernel, " in shown.focused()

    def test_only_rows_that_are_seen_are_drawn(self, shown: Browser, tmp_path: Path) -> None:
        names = [(f"member{number}", "cubin_sm_80.cubin") for number in range(300)]
        shown.show(report(tmp_path, archive(tmp_path / "lib.a", *names)))
        shown.button("#table-choice", "Images")
        assert shown.one("#table-count").text == "300 rows"
        assert len(shown.all("#table tbody tr")) < 60
        assert shown.one("#table table").get_attribute("aria-rowcount") == "301"
        shown.script("const box = document.querySelector('#table .scroll'); box.scrollTop = box.scrollHeight")
        shown.until("document.querySelector('#table tr[data-row=\"299\"]') !== null")
        assert len(shown.all("#table tbody tr")) < 60
        assert "299 images are copies" in shown.one("#duplicates").text


class TestScreens:
    def test_dark(self, shown: Browser, two_vendors: Path, tmp_path: Path) -> None:
        colours = []
        for dark in (False, True):
            shown.show(two_vendors, dark=dark)
            colours.append(shown.script("return getComputedStyle(document.body).backgroundColor"))
            assert shown.picture(tmp_path / f"{dark}.png").startswith(b"\x89PNG")
        assert colours == ["rgb(251, 251, 250)", "rgb(20, 23, 26)"]

    def test_phone(self, shown: Browser, two_vendors: Path) -> None:
        shown.show(two_vendors, screen=PHONE)
        assert shown.script("return document.documentElement.scrollWidth") == PHONE["width"]
        for collection in ("Images", "Kernels", "Targets"):
            shown.button("#table-choice", collection)
            assert shown.script("return document.documentElement.scrollWidth") == PHONE["width"]
        assert shown.all("#map > button")
        assert not any(head.is_displayed() for head in shown.all("th.minor"))


class TestComparison:
    def test_what_changed(self, shown: Browser, tmp_path: Path) -> None:
        shown.show(report(tmp_path, "co_v3_gfx90a_opencl.co", "co_v6_gfx90a.co"))
        text = shown.one("#comparison").text
        assert "0 images added, 0 removed, 1 changed." in text
        assert {"+ added", "\u2212 removed", "~ changed"} <= set(shown.texts("#comparison .change"))
        before = shown.texts("#map > button .name")
        next(button for button in shown.all("#file-choice button") if button.text.startswith("Before")).click()
        assert shown.texts("#map > button .name") == before
        assert shown.texts("#trail > :not(.sep)")[0] == "co_v3_gfx90a_opencl.co"
        assert shown.complaints() == []


def test_hostile_names_are_text(shown: Browser, tmp_path: Path) -> None:
    name = "</script><img src=x onerror='document.title=1'>\u202e\x1b[31m\u2028\"&amp;.a"
    held = archive(tmp_path / name.replace("/", ""), (name.replace("/", "_"), "cubin_sm_80.cubin"))
    shown.show(report(tmp_path, held))
    shown.button("#table-choice", "Images")
    assert not shown.all("img")
    assert "<img src=x onerror='document.title=1'>\\u{202e}\\u{1b}[31m\\u{2028}\"&amp;.a" in shown.one("h1").text
    assert "\\u{202e}" in shown.one("#table td button").text
    assert shown.complaints() == []


def test_name_that_is_no_text(shown: Browser, tmp_path: Path) -> None:
    shown.show(report(tmp_path, copy("cubin_sm_80.cubin", tmp_path / "a\udcff.cubin")))
    assert shown.one("h1").text == "a\\u{dcff}.cubin"


def test_file_without_device_code(shown: Browser, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see")
    shown.show(report(tmp_path, tmp_path / "notes.txt"))
    assert "no device code" in shown.one("#map").text
    assert "nothing to compress" in shown.one("#compression").text
    assert shown.complaints() == []
