# SPDX-License-Identifier: MIT OR GPL-2.0
"""List the project's own formats, and parse the reports of pfm-conform."""

from __future__ import annotations

import re

# The formats that this project's modules contain.
OURS = (
    *("default", "nway", "pebs32", "pebs64", "oprofile", "callstack", "histogram"),
    *("flight", "stacks", "cgroup_counts"),
)
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
