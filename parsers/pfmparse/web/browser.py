# SPDX-License-Identifier: MIT OR GPL-2.0
"""Open a page in a browser without showing its URL to other users."""

from __future__ import annotations

import webbrowser
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Iterator

REDIRECT = """<!DOCTYPE html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}">
<title>pfmparse</title>
<a href="{url}">Open the page of pfmparse</a>
"""


@contextmanager
def opened(url: str) -> Iterator[bool]:
    """Opens a URL in a browser; yields False if no browser is found.

    All users can read a browser's arguments. Therefore the browser gets the name of a
    private file that refers to the URL. The file is deleted at the end of the block.
    """
    with TemporaryDirectory(prefix="pfmparse-") as directory:
        page = Path(directory, "open.html")
        page.write_text(REDIRECT.format(url=url), encoding="utf-8")
        yield webbrowser.open(page.as_uri())
