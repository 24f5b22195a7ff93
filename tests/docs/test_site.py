"""The manual as a site: every page has a place in it, and every link leads somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ..peers import ROOT, peer, run


def _pages(nav: object) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    inner = nav if isinstance(nav, list) else nav.values() if isinstance(nav, dict) else ()
    return [page for item in inner for page in _pages(item)]


def test_every_page_is_in_the_navigation() -> None:
    configuration = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(_pages(configuration["nav"])) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))


@pytest.mark.slow
def test_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command: list[str | Path] = [peer("mkdocs"), "build", "--strict", "--site-dir", tmp_path / "site"]
    done = run(command, cwd=ROOT, env={"NO_MKDOCS_2_WARNING": "1"})
    assert "WARNING" not in done.stdout + done.stderr
    page = (tmp_path / "site" / "getting-started.html").read_text(encoding="utf-8")
    assert "fonts.googleapis.com" not in page, "a page asks for nothing on the network"
    assert 'id="two-images-of-your-own"' in page
