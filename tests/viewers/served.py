# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run `pfmparse serve`, and wait for its page in a browser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from browser import Browser

ROOT = Path(__file__).resolve().parents[2]
READY = """
    return document.getElementById("title").textContent !== "pfmparse" &&
        !document.querySelector("main").hasAttribute("aria-busy");
"""


@contextmanager
def serving(*argv: str) -> Iterator[str]:
    """Serve captures while the with block runs; yield the URL of the page."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pfmparse", "serve", *argv],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.stdout.close()
        process.wait()


def show(browser: Browser, url: str, hash: str = "") -> None:
    """Open the page, and wait until it is drawn."""
    # Visit another page first; otherwise a new hash would not reload the page.
    browser.visit("about:blank")
    browser.visit(url + hash)
    ready(browser)


def ready(browser: Browser) -> None:
    """Wait until the page shows its current selection."""
    browser.wait(READY)
