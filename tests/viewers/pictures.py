# SPDX-License-Identifier: MIT OR GPL-2.0
"""Draw the pictures of pfmparse's HTML pages for docs/, from a capture of hotframes.

`make vm` records such a capture, "traced". Captures of other programs work, too.
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
WIDTH = 1000  # pixels


def exported(capture: Path, symfs: list[str], path: Path) -> Path:
    """Export a capture as a page, and return the page."""
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


def drawn(browser: Browser, path: Path) -> None:
    """Save pictures of the browser's window in both colour schemes."""
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        browser.fit(WIDTH)
        browser.picture(path.with_name(f"{path.name}-{scheme}.png"))


def draw(capture: Path, symfs: list[str], into: Path) -> None:
    """Draw the pictures of a capture into a directory."""
    with tempfile.TemporaryDirectory() as name, Browser(Path(name)) as browser:
        browser.open(exported(capture, symfs, Path(name) / "page.html"))
        drawn(browser, into / "flames")
        options = [f"--symfs={directory}" for directory in symfs]
        with serving(*options, str(capture)) as url:
            show(browser, url)
            drawn(browser, into / "serve")


def main() -> None:
    """Draw the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("capture", type=Path)
    parser.add_argument("--symfs", action="append", default=[], metavar="DIR")
    arguments = parser.parse_args()
    symfs = [str(Path(directory).resolve()) for directory in arguments.symfs]
    draw(arguments.capture.resolve(), symfs, IMAGES)


if __name__ == "__main__":
    main()
