# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse the reports of pfm-conform."""

from __future__ import annotations

import re

RESULT = re.compile(r"    (ok|not ok) \d+ (\w+)(?:: (.*)| # SKIP (.*))?")
SUBTEST = "    # Subtest: "


def results(report: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the outcome and the text of each check of each format in a report."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    name = ""
    for line in report.splitlines():
        if line.startswith(SUBTEST):
            name = line.removeprefix(SUBTEST)
            found[name] = {}
        match = RESULT.fullmatch(line)
        if match:
            word, check, finding, reason = match.groups()
            found[name][check] = ("skip" if reason else word, finding or reason or "")
    return found
