# SPDX-License-Identifier: MIT OR GPL-2.0
"""Guests that count instructions are run beside those that do not.

At last it is printed how many passed on each kernel, as the table in docs/testing.md.
"""

from __future__ import annotations

import platform
from collections import Counter
from typing import Any

import boot
import kernels
import packages
import pytest

ENDS = ("passed", "skipped", "failed")
QEMU = {"x86_64": "qemu-system-x86", "arm64": "qemu-system-arm"}
TARGET = "target"
# Files whose guests on x86_64 count instructions.
COUNTING = ("test_beside_perf",)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Say what a test runs beside (pytest -n), and which kernel it is run on."""
    target = _target(item)
    item.add_marker(pytest.mark.xdist_group(_group(item, target)))
    if target:
        item.user_properties.append((TARGET, (target.arch, target.series)))


def _group(item: pytest.Item, target: boot.Target | None) -> str:
    """Return the name of the group that a test is in.

    Guests whose CPUs run at the same time need this machine's: beside them are only
    those that count instructions instead of time.
    """
    counts = target is not None and target.arch == "arm64"
    return "instructions" if counts or item.path.stem in COUNTING else "time"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the table, if there is anything in it."""
    counts: dict[boot.Target, Counter[str]] = {}
    for end in (*ENDS, "error"):
        for report in terminalreporter.stats.get(end, []):
            for name, value in report.user_properties:
                if name == TARGET:
                    counts.setdefault(boot.Target(*value), Counter())[end] += 1
    if not counts:
        return
    terminalreporter.write_line(f"| {' | '.join(('kernel', 'on', 'host', *ENDS))} |")
    terminalreporter.write_line("|---|---|---|--:|--:|--:|")
    for on, ends in counts.items():
        ends["failed"] += ends["error"]
        cells = (_release(on), on.arch, _host(on), *(str(ends[end]) for end in ENDS))
        terminalreporter.write_line(f"| {' | '.join(cells)} |")


def _target(item: pytest.Item) -> boot.Target | None:
    """Return the kernel that a test's parameters name, if they do."""
    callspec = getattr(item, "callspec", None)
    for value in callspec.params.values() if callspec else ():
        value = getattr(value, "target", value)
        if isinstance(value, boot.Target):
            return value
    return None


def _release(on: boot.Target) -> str:
    try:
        return f"{on.series}: {kernels.resolve(on.arch, on.series).release}"
    except kernels.ERRORS:
        return on.series


def _host(on: boot.Target) -> str:
    """Return the host's release of Debian and its QEMU."""
    version = packages.installed_version(QEMU[on.arch]) or "none"
    number = version.partition(":")[2].partition("+")[0] or version
    system = platform.freedesktop_os_release()
    return f"{system['NAME'].split()[0]} {system.get('VERSION_ID', '')}, QEMU {number}"
