"""A real browser without a window, which shows pages from files."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..peers import missing, peer

PHONE = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
DESK = {"width": 1200, "height": 900, "deviceScaleFactor": 1, "mobile": False}


class Browser:
    """What a person does to a page, and what they see."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def show(self, page: Path, *, screen: dict[str, Any] = DESK, dark: bool = False) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.resize(screen)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.get(page.as_uri())

    def resize(self, screen: dict[str, Any]) -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def click(self, selector: str) -> None:
        """Clicks, however often the page draws the element anew in the meantime."""
        from selenium.common.exceptions import StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        stale = [StaleElementReferenceException]
        wait = WebDriverWait(self.driver, 10, poll_frequency=0.02, ignored_exceptions=stale)
        wait.until(lambda _: self.one(selector).click() or True)

    def texts(self, selector: str) -> list[str]:
        return [element.text for element in self.all(selector)]

    def press(self, key: str) -> None:
        self.driver.switch_to.active_element.send_keys(key)

    def button(self, group: str, text: str) -> None:
        next(button for button in self.all(f"{group} button") if button.text == text).click()

    def focused(self) -> str:
        return str(
            self.script(
                "return document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
            )
        )

    def script(self, text: str, *values: object) -> Any:
        return self.driver.execute_script(text, *values)

    def until(self, condition: str) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 10, poll_frequency=0.02).until(lambda _: self.script(f"return {condition}"))

    def complaints(self) -> list[str]:
        """What the browser has to say against the page: faults of scripts, and what the policy kept from it."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def picture(self, file: Path) -> bytes:
        found = base64.b64decode(self.driver.execute_cdp_cmd("Page.captureScreenshot", {})["data"])
        file.write_bytes(found)
        return found


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    program, service = peer("chromium"), peer("chromedriver")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        missing("selenium", "the extra test: pip install -e .[test]")
    options = Options()
    options.binary_location = program
    # Without a sandbox, since tests may run as root; the pages are this program's own.
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions"):
        options.add_argument(word)
    options.add_argument(f"--user-data-dir={folder / 'profile'}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(service))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
