# SPDX-License-Identifier: MIT OR GPL-2.0
"""Control headless Chromium with the W3C WebDriver protocol."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Optional

KEYS = {"Escape": "\ue00c", "Enter": "\ue007", "Up": "\ue013", "Down": "\ue015"}
KEYS |= {"Left": "\ue012", "Right": "\ue014", "Home": "\ue011", "End": "\ue010"}
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
STARTS = re.compile(r"started successfully on port (\d+)")
PATIENCE = 300  # s, for slow or busy machines


class Browser:
    """A browser with one window, to be used as a context manager."""

    def __init__(self, directory: Path) -> None:
        """Keep the browser's files in ``directory``."""
        self._directory = directory
        self._driver: Optional[subprocess.Popen[str]] = None
        self._base = ""

    def __enter__(self) -> Browser:
        environment = {**os.environ, "HOME": str(self._directory)}
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self._driver.stdout is not None
        for line in self._driver.stdout:
            found = STARTS.search(line)
            if found:
                self._base = f"http://127.0.0.1:{found[1]}/session"
                break
        options = {
            "args": [
                *("--headless=new", "--no-sandbox", "--disable-gpu"),
                *("--window-size=1240,820", "--hide-scrollbars"),
                *("--force-device-scale-factor=1", "--disable-dev-shm-usage"),
                f"--user-data-dir={self._directory}/profile",
            ]
        }
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        made = self._ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self._base += "/" + made["sessionId"]
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        assert self._driver is not None
        try:
            self._ask("DELETE", "")
        finally:
            self._driver.terminate()
            self._driver.wait()
            assert self._driver.stdout is not None
            self._driver.stdout.close()

    def open(self, path: Path) -> None:
        """Open a file."""
        self.visit(path.resolve().as_uri())

    def visit(self, url: str) -> None:
        """Open a URL."""
        self._ask("POST", "/url", {"url": url})

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script and return its result."""
        document = {"script": script, "args": list(arguments)}
        return self._ask("POST", "/execute/sync", document)

    def click(self, selector: str) -> None:
        """Click on an element."""
        self._ask("POST", f"/element/{self._find(selector)}/click", {})

    def press(self, selector: str, *keys: str) -> None:
        """Type keys into an element. ``keys`` are texts, or names in KEYS."""
        text = "".join(KEYS.get(key, key) for key in keys)
        self._ask("POST", f"/element/{self._find(selector)}/value", {"text": text})

    def answer(self, text: str) -> None:
        """Answer a script's prompt."""
        self._ask("POST", "/alert/text", {"text": text})
        self._ask("POST", "/alert/accept", {})

    def prefer(self, scheme: str) -> None:
        """Set the user's colour scheme, dark or light."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        parameters = {"features": features}
        document = {"cmd": "Emulation.setEmulatedMedia", "params": parameters}
        self._ask("POST", "/goog/cdp/execute", document)

    def accessible(self) -> list[dict[str, str]]:
        """Return role, name and description of elements, as screen readers get them."""
        document = {"cmd": "Accessibility.getFullAXTree", "params": {}}
        nodes = self._ask("POST", "/goog/cdp/execute", document)["nodes"]
        parts = ("role", "name", "description")
        return [
            {part: str(node.get(part, {}).get("value", "")) for part in parts}
            for node in nodes
        ]

    def fit(self, width: int) -> None:
        """Make the window as high as the page at this width."""
        size = {"width": width, "height": 100, "deviceScaleFactor": 1, "mobile": False}
        for _ in range(2):
            document = {"cmd": "Emulation.setDeviceMetricsOverride", "params": size}
            self._ask("POST", "/goog/cdp/execute", document)
            size["height"] = self.run("return document.documentElement.scrollHeight")

    def picture(self, path: Path) -> None:
        """Save the window's content as a PNG."""
        path.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def complaints(self) -> list[str]:
        """Return the messages that the browser has logged since the last call."""
        log = self._ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in log]

    def wait(self, script: str, *arguments: object) -> None:
        """Wait until a script returns a true value."""
        end = time.monotonic() + PATIENCE
        while not self.run(script, *arguments):
            assert time.monotonic() < end, script
            # Sleep because WebDriver reports no change of a script's value.
            time.sleep(0.05)

    def _find(self, selector: str) -> str:
        document = {"using": "css selector", "value": selector}
        found: str = self._ask("POST", "/element", document)[ELEMENT]
        return found

    def _ask(self, method: str, path: str, document: Optional[Any] = None) -> Any:
        request = urllib.request.Request(
            self._base + path,
            None if document is None else json.dumps(document).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error
