# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that debian/copyright agrees with each file's SPDX line."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARAGRAPH = re.compile(r"^Files:(.*?)^Copyright:.*?^License: (.*?)$", re.M | re.S)
SPDX = re.compile(r"SPDX-License-Identifier: ([^*\n]*\w)")


def test_copyright_agrees_with_spdx_lines() -> None:
    text = (ROOT / "debian/copyright").read_text()
    paragraphs = [(files.split(), name) for files, name in PARAGRAPH.findall(text)]
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    wrong = []
    for name in listed:
        path = ROOT / name
        head = path.read_bytes()[:1000] if path.is_file() else b""
        line = SPDX.search(head.decode(errors="replace"))
        if line is None:
            continue
        # The last paragraph that matches applies.
        (*_, told) = (
            licence
            for patterns, licence in paragraphs
            if any(fnmatchcase(name, pattern) for pattern in patterns)
        )
        if told != ("Expat or GPL-2" if "MIT" in line[1] else "GPL-2"):
            wrong.append((name, line[1], told))
    assert not wrong
