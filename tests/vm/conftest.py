# SPDX-License-Identifier: MIT OR GPL-2.0
"""Prints how many tests passed on each kernel, as the table in docs/testing.md."""

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
TARGETS = pytest.StashKey[dict[str, boot.Target]]()


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Remember which kernel each test is run on."""
    found = {item.nodeid: _target(item) for item in items}
    config.stash[TARGETS] = {name: on for name, on in found.items() if on}


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the table, if there is anything in it."""
    targets: dict[str, boot.Target] = config.stash.get(TARGETS, {})
    counts: dict[boot.Target, Counter[str]] = {}
    for end in (*ENDS, "error"):
        for report in terminalreporter.stats.get(end, []):
            on = targets.get(report.nodeid)
            if on:
                counts.setdefault(boot.Target(on.arch, on.series), Counter())[end] += 1
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
