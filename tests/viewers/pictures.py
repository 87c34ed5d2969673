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


def main() -> None:
    """Draw the pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("capture", type=Path)
    parser.add_argument("--symfs", action="append", default=[], metavar="DIR")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, Browser(Path(name)) as browser:
        symfs = [str(Path(directory).resolve()) for directory in arguments.symfs]
        page = exported(arguments.capture.resolve(), symfs, Path(name) / "page.html")
        browser.open(page)
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            browser.fit(1000)
            IMAGES.mkdir(exist_ok=True)
            browser.picture(IMAGES / f"flames-{scheme}.png")


if __name__ == "__main__":
    main()
