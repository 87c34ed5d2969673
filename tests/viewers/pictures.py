# SPDX-License-Identifier: MIT OR GPL-2.0
"""Draw the documentation's pictures of pages, from a capture of hotframes.

Use the capture "traced", which `make vm` records, or any other capture.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import Browser
from served import serving, show

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs/images"


def exported(capture: Path, symfs: list[str], path: Path) -> Path:
    """Return the page made from a capture."""
    options = [option for directory in symfs for option in ("--symfs", directory)]
    command = [sys.executable, "-m", "pfmparse", "export", capture.name, *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "parsers")}
    subprocess.run(
        [*command, "--to", "html", "-o", str(path)],
        cwd=capture.parent,
        env=environment,
        check=True,
    )
    return path


def drawn(browser: Browser, name: str, width: int) -> None:
    """Draw what the browser shows, in both colour schemes."""
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        browser.fit(width)
        browser.picture(IMAGES / f"{name}-{scheme}.png")


def main() -> None:
    """Draw the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("capture", type=Path)
    parser.add_argument("--symfs", action="append", default=[], metavar="DIR")
    arguments = parser.parse_args()
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, Browser(Path(name)) as browser:
        symfs = [str(Path(directory).resolve()) for directory in arguments.symfs]
        capture = arguments.capture.resolve()
        browser.open(exported(capture, symfs, Path(name) / "page.html"))
        drawn(browser, "flames", 1000)
        options = [f"--symfs={directory}" for directory in symfs]
        with serving(*options, str(capture)) as url:
            show(browser, url)
            drawn(browser, "serve", 1000)


if __name__ == "__main__":
    main()
