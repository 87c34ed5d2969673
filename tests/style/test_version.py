# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the project's version is the same everywhere."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = (ROOT / "VERSION").read_text().rstrip("\n")
# Files that repeat the version. Builds read the file VERSION itself.
REPEATED = {
    "CHANGELOG.md": r"^## (\d\S*)",
    "debian/changelog": r"^perfmon \((\S+)\)",
    "docs/capture.md": r'"tool": "pfmon (.+?)"',
    "docs/perfmon.7": r'^\.TH .* "perfmon (\S+)"',
    "lib/libperfmon.3": r'^\.TH .* "perfmon (\S+)"',
    "lib/perfmonctl.2": r'^\.TH .* "perfmon (\S+)"',
    "parsers/pfmparse.1": r'^\.TH .* "perfmon (\S+)"',
    "parsers/pfmparse/__init__.py": r'^__version__ = "(.+)"',
    "scripts/vm/pfm-vm.1": r'^\.TH .* "perfmon (\S+)"',
    "sdk/conform/pfm-conform.1": r'^\.TH .* "perfmon (\S+)"',
    "sdk/pfm-new-format.1": r'^\.TH .* "perfmon (\S+)"',
    "tools/pfmon/pfmon.1": r'^\.TH .* "perfmon (\S+)"',
}


def test_version_is_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)


@pytest.mark.parametrize("name", REPEATED)
def test_version_is_repeated(name: str) -> None:
    said = re.search(REPEATED[name], (ROOT / name).read_text(), re.MULTILINE)
    assert said, f"{name} does not contain the version"
    assert said[1] == VERSION, f"{name} has {said[1]}, VERSION has {VERSION}"


def test_version_check_covers_all_manual_pages() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.1", "*.2", "*.3", "*.7"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert set(listed.stdout.split()) <= set(REPEATED)


def test_interface_version_matches_specification() -> None:
    header = (ROOT / "sdk/include/perfmon/perfmon.h").read_text()
    assert re.search(r"#define PFM_VERSION\s+\(\(0U << 16\) \| 6U\)", header)
