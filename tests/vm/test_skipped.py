# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test which program tests count as skipped in all guests, with invented results."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boot
import programs
import pytest

CONFTEST = str(Path(__file__).with_name("conftest.py"))
PROGRAM = "evtset"
GUEST, OTHER = programs.Guest("x86_64", "6.12"), programs.Guest("arm64", "6.12")


@pytest.fixture(autouse=True)
def guests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make PROGRAM run in two guests, in one of them also as a 32-bit program."""
    monkeypatch.setattr(programs, "GUESTS", [GUEST, OTHER])
    monkeypatch.setattr(boot, "without_narrow", lambda: None)
    names = [
        program for guest in programs.GUESTS for program in programs.programs_of(guest)
    ]
    assert [name for name in names if programs.source_of(name) == PROGRAM] == [
        *(PROGRAM, f"{PROGRAM}32", PROGRAM)
    ]


def skipped(config: pytest.Config, **results: int) -> bool:
    """Return whether a test with these numbers of results is skipped everywhere."""
    test = f"{PROGRAM} {programs.names_in(PROGRAM)[0]}"
    report = SimpleNamespace(user_properties=[("target", ""), (programs.RAN, test)])
    stats = {end: [report] * number for end, number in results.items()}
    reporter = SimpleNamespace(stats=stats)
    plugins = SimpleNamespace(get_plugin=lambda _: reporter)
    conftest: Any = config.pluginmanager.get_plugin(CONFTEST)
    found = conftest.skipped_everywhere(SimpleNamespace(pluginmanager=plugins))
    assert found in ([], [test])
    return bool(found)


def test_skip_in_every_guest_is_found(pytestconfig: pytest.Config) -> None:
    assert skipped(pytestconfig, skipped=3)


def test_result_in_one_guest_is_enough(pytestconfig: pytest.Config) -> None:
    assert not skipped(pytestconfig, skipped=2, passed=1)
    assert not skipped(pytestconfig, skipped=2, failed=1)


def test_guest_without_result_is_not_a_skip(pytestconfig: pytest.Config) -> None:
    assert not skipped(pytestconfig, skipped=2)
    assert not skipped(pytestconfig)


def test_missing_32_bit_programs_are_not_expected(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boot, "without_narrow", lambda: "user-i386 is left out")
    assert skipped(pytestconfig, skipped=2)
    assert not skipped(pytestconfig, skipped=1, passed=1)
