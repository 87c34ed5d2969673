# SPDX-License-Identifier: MIT OR GPL-2.0
"""Report usage errors of --trigger-start and --trigger-stop."""

from __future__ import annotations

import platform

import pytest
from pfmon import Pfmon, complaint_of

EVENT = ("-e", "page-faults")
WITH_BREAKPOINTS = platform.machine() in ("x86_64", "aarch64")


@pytest.mark.skipif(not WITH_BREAKPOINTS, reason="this machine has no triggers")
@pytest.mark.parametrize("option", ["--trigger-start=main", "--trigger-stop=main"])
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--attach-task=1",), "need a command"),
        (("--attach-process=1",), "need a command"),
        (("--system-wide", "true"), "--system-wide measures CPUs"),
        (("--follow-fork", "true"), "combined with --follow-* or --exclude"),
        (("--exclude=x", "true"), "combined with --follow-* or --exclude"),
        (("--delay=1", "true"), "combined with --delay or --duration"),
        (("--delay=-1", "true"), "combined with --delay or --duration"),
        (("--duration=1", "true"), "combined with --delay or --duration"),
    ],
)
def test_trigger_option_usage_errors(
    pfmon: Pfmon, option: str, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in complaint_of(pfmon, (*EVENT, option, *arguments))


@pytest.mark.skipif(WITH_BREAKPOINTS, reason="this machine has triggers")
def test_triggers_are_refused_on_other_machines(pfmon: Pfmon) -> None:
    arguments = (*EVENT, "--trigger-start=main", "true")
    assert "available only on x86_64 and arm64" in complaint_of(pfmon, arguments)
