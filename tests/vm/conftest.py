# SPDX-License-Identifier: MIT OR GPL-2.0
"""Schedule guests that may run at the same time, and report at the end.

The report counts the results of the tests on each kernel, like the table in
docs/testing.md. The run fails if a program's test was skipped in all its guests.
"""

from __future__ import annotations

import platform
from collections import Counter
from typing import Any

import boot
import commands
import kernels
import packages
import programs
import pytest

ENDS = ("passed", "skipped", "failed")
QEMU = {"x86_64": "qemu-system-x86", "arm64": "qemu-system-arm"}
TARGET = "target"
# Test files whose x86_64 guests either have a clock that counts instructions or do not
# depend on time.
COUNTING = ("test_beside_perf", "test_profile", "test_run")
# Test files that only `make check-all` runs.
collect_ignore = [] if programs.ALL else ["test_eight_cpus.py"]
# The group of tests whose guests must run one after the other.
TIME = "time"
# Program tests that were skipped in all their guests.
SKIPPED = pytest.StashKey[list[str]]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the group TIME first: it takes longest, because its tests run in sequence."""
    items.sort(key=lambda item: _group(item, _target(item)) != TIME)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Set a test's group for pytest -n, and record the kernel that it runs on."""
    target = _target(item)
    item.add_marker(pytest.mark.xdist_group(_group(item, target)))
    if target:
        item.user_properties.append((TARGET, (target.arch, target.series)))


def _group(item: pytest.Item, target: boot.Target | None) -> str:
    """Return the name of a test's group.

    Guests whose virtual CPUs run in parallel need both CPUs of this machine, so they
    run one after the other. Guests whose clock counts instructions may run at the same
    time as others.
    """
    counts = item.path.stem in COUNTING
    if isinstance(target, programs.Guest):
        counts = not target.parallel
    if counts or (target and target.arch == "arm64"):
        return f"{item.path.stem}-{target}"
    return TIME


def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """If a test fails, do not keep the run of its guest."""
    for value in getattr(node, "funcargs", {}).values():
        if isinstance(value, boot.Boot | boot.Boots):
            value.forget()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run if a test of a program was skipped in all its guests."""
    skipped = skipped_everywhere(session.config)
    session.config.stash[SKIPPED] = skipped
    if skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def skipped_everywhere(config: pytest.Config) -> list[str]:
    """Return the program tests that were skipped in all their guests.

    32-bit programs that this host cannot build have no results.
    """
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    skipped = Counter(
        value
        for report in (reporter.stats.get("skipped", []) if reporter else ())
        for name, value in report.user_properties
        if name == programs.RAN
    )
    if not skipped:
        return []
    expected = Counter(
        f"{programs.source_of(program)} {test}"
        for guest in programs.GUESTS
        for program in programs.programs_of(guest)
        if not (commands.narrow(program) and boot.without_narrow())
        for test in programs.names_in(program)
    )
    return [name for name, number in skipped.items() if number == expected[name]]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print tests that were skipped in all guests, and the results on each kernel."""
    for name in terminalreporter.config.stash.get(SKIPPED, []):
        terminalreporter.write_line(f"skipped in every guest: {name}", red=True)
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
    """Return the kernel from a test's parameters, or None."""
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
    """Return a text with the host's Debian release and the version of QEMU."""
    version = packages.installed_version(QEMU[on.arch]) or "none"
    number = version.partition(":")[2].partition("+")[0] or version
    system = platform.freedesktop_os_release()
    return f"{system['NAME'].split()[0]} {system.get('VERSION_ID', '')}, QEMU {number}"
