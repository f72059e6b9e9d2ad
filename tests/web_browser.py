"""A headless Chromium that is driven by mouse and keys only, and what it must never do."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-prefers-reduced-motion",
)


_OWN = ("data:", "chrome:", "chrome-untrusted:", "about:")
"""How the addresses of the browser's own pages begin."""


def _program(name: str) -> str:
    found = shutil.which(name, path=f"/usr/bin{os.pathsep}{os.environ['PATH']}")
    assert found, f"{name} is missing: install Debian's packages chromium and chromium-driver"
    return found


class Page:
    """One window on a server."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver, self.address = driver, address

    def visit(self, path: str) -> None:
        self.driver.get(self.address + path)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return self.find(selector).text

    def wait(self, selector: str, words: str, seconds: float = 60) -> str:
        """The text of an element as soon as it contains some words."""
        try:
            WebDriverWait(self.driver, seconds, 0.1).until(lambda _: words in self.text(selector))
        except Exception as error:
            shown = self.text(selector)
            raise AssertionError(f"{selector} says {shown!r}, not {words!r}") from error
        return self.text(selector)

    def count(self, selector: str, number: int) -> list[WebElement]:
        """The elements of a selector as soon as there are so many."""
        WebDriverWait(self.driver, 60, 0.1).until(lambda _: len(self.all(selector)) == number)
        return self.all(selector)

    def click(self, selector: str) -> None:
        """A click of the mouse in the middle of an element."""
        self.click_on(self.find(selector))

    def click_on(self, element: WebElement) -> None:
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.driver).move_to_element(element).click().perform()

    def hover(self, selector: str) -> None:
        """The mouse rests on an element."""
        ActionChains(self.driver).move_to_element(self.find(selector)).perform()

    def named(self, selector: str, words: str) -> WebElement:
        """The element of a selector that reads so."""
        return next(element for element in self.all(selector) if element.text == words)

    def square(self, name: str) -> WebElement:
        return self.find(f".square[data-square={name}]")

    def man(self, name: str) -> str:
        """What stands on a square, as a screen reader says it."""
        return str(self.square(name).get_attribute("aria-label")).split(", ")[1]

    def drag(self, start: str, end: str) -> None:
        """A drag of the mouse from one square to another."""
        self.driver.execute_script(
            "arguments[0].scrollIntoView({block: 'center'})", self.find("#board")
        )
        chain = ActionChains(self.driver, duration=20)
        chain.click_and_hold(self.square(start)).move_to_element(self.square(end))
        chain.release().perform()

    def keys(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def replace(self, selector: str, text: str) -> None:
        """Types over what a field holds."""
        self.click(selector)
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("a").key_up(
            Keys.CONTROL
        ).send_keys(text).perform()

    def faults(self) -> list[str]:
        """Messages of the console, and requests that went to another machine."""
        found = [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message: dict[str, Any] = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith((self.address, *_OWN)):
                    found.append(url)
        return found


@contextmanager
def browsing(address: str, size: str, scheme: str = "light") -> Iterator[Page]:
    """A fresh browser."""
    width, height = SIZES[size]
    options = webdriver.ChromeOptions()
    options.binary_location = _program("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*_FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
            options.add_argument(flag)
        service = webdriver.ChromeService(_program("chromedriver"))
        driver = webdriver.Chrome(options, service)
        try:
            driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
            )
            driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
            )
            yield Page(driver, address)
        finally:
            driver.quit()
            service.stop()
