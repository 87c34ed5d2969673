# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the option --check-events-only."""

from __future__ import annotations

from pathlib import Path

from pfmon import ERROR, Pfmon, complaint_of, without_kernel

CHECK = "--check-events-only"


def test_event_check_answers_without_running(pfmon: Pfmon, tmp_path: Path) -> None:
    without_kernel()
    run = pfmon(CHECK, "-e", "cycles,nosuch", "touch", str(tmp_path / "ran"))
    assert run.returncode == ERROR
    cycles, nosuch = run.stdout.splitlines()
    assert cycles.startswith("cycles: no: perfmon is not loaded")
    assert nosuch.startswith("nosuch: no: unknown event 'nosuch'")
    assert not (tmp_path / "ran").exists()


def test_event_check_needs_events(pfmon: Pfmon) -> None:
    assert "no event given" in complaint_of(pfmon, (CHECK,))
