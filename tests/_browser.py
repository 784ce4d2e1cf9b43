"""A browser, driven by way of chromedriver: the W3C's WebDriver protocol over plain HTTP."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

_BINARY = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
_DRIVER = shutil.which("chromedriver")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1300,900",
)

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's key of what stands for an element


class Browser:
    """A browser with one window."""

    def __init__(self, driver: str, binary: str, flags: list[str]) -> None:
        self._driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True)
        assert self._driver.stdout is not None
        lines = (re.search(r"started successfully on port (\d+)", s) for s in self._driver.stdout)
        self._address = f"http://127.0.0.1:{next(filter(None, lines))[1]}/session"
        options = {"binary": binary, "args": flags}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.call("POST", "", capabilities={"alwaysMatch": wanted})
        self._address += f"/{session['sessionId']}"

    def call(self, method: str, path: str, **body: Any) -> Any:
        """Send a command, and return its value; elements come as `Element`, and go so."""
        data = json.dumps(body, default=lambda e: {_ELEMENT: e.id}) if method == "POST" else None
        request = urllib.request.Request(
            self._address + path, data and data.encode(), {"Content-Type": "application/json"}
        )
        request.method = method
        # Without a proxy, and with the text of an error rather than its number.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Errors)
        with opener.open(request, timeout=60) as reply:
            value = json.loads(reply.read(), object_hook=self._element)["value"]
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(f"{value['error']}: {value['message']}")
        return value

    def _element(self, found: dict[str, Any]) -> Any:
        return Element(self, found[_ELEMENT]) if _ELEMENT in found else found

    def open(self, address: str) -> None:
        self.call("POST", "/url", url=address)

    def all(self, selector: str) -> list[Element]:
        return self.call("POST", "/elements", using="css selector", value=selector)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.call("POST", "/execute/sync", script=script, args=arguments)

    def log(self) -> list[Any]:
        return self.call("POST", "/se/log", type="browser")

    def devtools(self, command: str, **parameters: Any) -> None:
        self.call("POST", "/goog/cdp/execute", cmd=command, params=parameters)

    def press(self, keys: str) -> None:
        strokes = [{"type": kind, "value": k} for k in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", actions=[{"type": "key", "id": "keys", "actions": strokes}])

    def point_at(self, element: Element) -> None:
        move = {"type": "pointerMove", "duration": 100, "x": 0, "y": 0, "origin": element}
        self.call("POST", "/actions", actions=[{"type": "pointer", "id": "m", "actions": [move]}])

    def width_of_page(self, window: int) -> int:
        """Return how wide the open page is in a window of some width."""
        size = {"width": window, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", **size)
        width = self.run("return document.documentElement.scrollWidth")
        self.devtools("Emulation.clearDeviceMetricsOverride")
        return int(width)

    def quit(self) -> None:
        self.call("DELETE", "")
        self._driver.terminate()
        self._driver.communicate()


def start(profile: Path) -> Browser:
    """Start the installed browser without a window; skip the test if there is none."""
    if _BINARY is None or _DRIVER is None:
        pytest.skip("no chromium with chromedriver: tools/install_browser.sh installs them")
    return Browser(_DRIVER, _BINARY, [*_FLAGS, f"--user-data-dir={profile}"])


class _Errors(urllib.request.HTTPErrorProcessor):
    def http_response(self, request: Any, response: Any) -> Any:
        return response


class Element:
    """What stands for an element of the page."""

    def __init__(self, browser: Browser, number: str) -> None:
        self.browser, self.id = browser, number

    def _get(self, what: str) -> Any:
        return self.browser.call("GET", f"/element/{self.id}/{what}")

    @property
    def text(self) -> str:
        return str(self._get("text"))

    @property
    def is_displayed(self) -> bool:
        return bool(self._get("displayed"))

    def attribute(self, name: str) -> str:
        return str(self._get(f"attribute/{name}") or "")

    def all(self, selector: str) -> list[Element]:
        path = f"/element/{self.id}/elements"
        return self.browser.call("POST", path, using="css selector", value=selector)

    def click(self) -> None:
        self.browser.call("POST", f"/element/{self.id}/click")

    def type(self, text: str) -> None:
        self.browser.call("POST", f"/element/{self.id}/value", text=text)
