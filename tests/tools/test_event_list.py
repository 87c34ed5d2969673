# SPDX-License-Identifier: MIT OR GPL-2.0
"""List events, and print messages if events cannot be tested."""

from __future__ import annotations

import json
from pathlib import Path

from encoder import Encoder
from pfmon import ERROR, USAGE, Pfmon, without_kernel


def test_event_pattern_without_match_is_error(pfmon: Pfmon) -> None:
    run = pfmon("--list-events=nosuch")
    assert run.returncode == ERROR
    assert run.stdout == ""
    assert "no event matches 'nosuch'" in run.stderr


def test_list_events_without_perfmon_marks_nothing(pfmon: Pfmon) -> None:
    without_kernel()
    run = pfmon("-l^cycles$")
    assert (run.returncode, run.stdout) == (0, "cycles\n")
    assert "no event is marked" in run.stderr
    assert "modprobe pfm_pmu_perf" in run.stderr


def test_json_counted_is_null_without_perfmon(pfmon: Pfmon) -> None:
    without_kernel()
    run = pfmon("--list-events=^(cycles|page-faults)$", "--json")
    assert run.stdout.count("\n") == 1 and "no event is marked" in run.stderr
    events = json.loads(run.stdout)["events"]
    assert {event["name"]: event["counted"] for event in events} == {
        **{"cycles": None, "page-faults": None}
    }


def test_invalid_event_pattern_prints_nothing(pfmon: Pfmon) -> None:
    run = pfmon("-j", "--list-events=(")
    assert (run.returncode, run.stdout) == (USAGE, "")
    run = pfmon("-j", "--list-events=nosuch")
    assert (run.returncode, json.loads(run.stdout)) == (ERROR, {"events": []})


def test_denied_cpus_leave_thread_events_counted(
    programs: Path, encoder: Encoder
) -> None:
    later = "perf::PERF_COUNT_SW_PAGE_FAULTS"
    encoder.add_pmu("uncore", 9, {"cpumask": "0", "events/reads": "config=1"})
    user = Encoder(programs / "thread_counter", encoder.root)
    listed = user.told_as_json("list", f"^(uncore/reads/|cycles|{later})$")
    assert [(event["name"], event["counted"]) for event in listed] == [
        ("cycles", True),
        ("uncore/reads/", False),
        (later, True),
    ]
    reads, cycles = user.told_as_json("info", "uncore/reads/,cycles")
    assert reads["counted"] is False and reads["reason"]
    assert cycles["counted"] is True and cycles["reason"] is None
