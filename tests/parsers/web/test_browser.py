# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the browser is started with a private file that leads to the page.

Other users can see a program's arguments, so the page's URL must not be among them.
"""

from __future__ import annotations

import stat
import webbrowser
from pathlib import Path
from urllib.request import url2pathname

import pytest
from pfmparse.web.browser import opened

URL = "http://127.0.0.1:1/secret/"


@pytest.mark.parametrize("there", [True, False])
def test_private_file_leads_to_the_url(
    there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def browse(url: str) -> bool:
        seen.append(url)
        return there

    monkeypatch.setattr(webbrowser, "open", browse)
    with opened(URL) as found:
        assert found == there
        page = Path(url2pathname(seen[0].removeprefix("file://")))
        assert f'content="0; url={URL}"' in page.read_text()
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert not page.exists()
